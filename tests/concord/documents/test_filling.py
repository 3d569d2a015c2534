"""Documents filled from objects."""

import json
from dataclasses import dataclass, field
from typing import Annotated, NotRequired, TypedDict

import pytest

from concord.documents.conversion import ABSENT, INLINE, fill, from_json, to_json
from concord.inference import Estimate
from tests.documents import faults


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


@dataclass(frozen=True)
class Part:
    figure: Annotated[Estimate, INLINE]
    n: int


@dataclass(frozen=True)
class Result:
    parts: list[Part]
    ends: tuple[float, float] | None
    units: list[tuple[str, int]]
    means: dict[int, float | None]
    verdict: str = field(init=False)
    note: Annotated[str | None, ABSENT] = None
    draws: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", f"{len(self.parts)} parts")


def test_a_result_is_its_json_and_is_read_from_it() -> None:
    figure = Estimate(0.5, 0.4, 0.6, p=0.1, clusters=9, over="passages")
    result = Result(
        [Part(figure, 3), Part(Estimate(None, reason="few"), 0)],
        (0.0, 1.0),
        [("passages", 9)],
        {7: None},
    )
    document = to_json(result)
    assert document == {
        "parts": [
            {"value": 0.5, "p": 0.1, "ci": [0.4, 0.6], "clusters": 9, "over": "passages", "n": 3},
            {"value": None, "reason": "few", "n": 0},
        ],
        "ends": [0.0, 1.0],
        "units": [["passages", 9]],
        "means": {7: None},
        "verdict": "2 parts",
    }
    assert faults(document, Result) == []
    stored = json.loads(json.dumps(document))
    assert from_json(Result, stored) == result
