"""Documents filled from objects."""

from dataclasses import dataclass
from typing import NotRequired, TypedDict

import pytest

from concord.documents.conversion import fill


class Row(TypedDict):
    value: float
    undefined: NotRequired[int]
    name: str


@dataclass(frozen=True)
class Measured:
    value: float
    name: str = "alpha"

    def undefined(self) -> int:
        return 3


def test_attributes_become_values_and_methods_do_not() -> None:
    assert fill(Row, Measured(0.5)) == {"value": 0.5, "name": "alpha"}


def test_a_field_that_only_a_method_is_named_like_has_no_value() -> None:
    class Named:
        value = 0.5

        def name(self) -> str:
            return "alpha"

    with pytest.raises(TypeError, match="Row: no value for name"):
        fill(Row, Named())
