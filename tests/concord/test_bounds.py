"""Options of commands have the bounds of a dataclass's fields."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from concord.bounds import (
    REQUIRED,
    Choice,
    Items,
    Number,
    Text,
    add_options,
    choice,
    find_value_problems,
    flag,
    number,
    text,
)


@dataclass(frozen=True)
class Order:
    item: str = field(metadata=text(5, required=REQUIRED, pattern=r"^[a-z]+\Z", pattern_help="a-z"))
    pieces: int = field(default=1, metadata=number(1, 9, label="Pieces"))
    share: float = field(default=0.5, metadata=number(0, 1, above=True, help="Above 0."))
    colour: Literal["red", "blue"] = field(
        default="red", metadata=choice({"red": "R", "blue": "B"})
    )
    price: str = field(default="0", metadata=number(0, 10))
    is_gift: bool = field(default=False, metadata=flag("It is a gift."))


def parsed(*words: str) -> Order:
    parser = ArgumentParser(exit_on_error=False)
    add_options(parser, Order, *Order.__dataclass_fields__)
    return Order(**vars(parser.parse_args(words)))


def test_options_have_the_defaults_and_types_of_the_fields() -> None:
    assert parsed("--item", "tea") == Order("tea")
    words = ("--item", "tea", "--pieces", "9", "--share", "1", "--colour", "blue")
    more = ("--price", "2.50", "--is-gift")
    assert parsed(*words, *more) == Order("tea", 9, 1.0, "blue", "2.50", True)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--item", "coffee"], "has 6 characters; at most 5 are allowed"),
        (["--item", "T"], "a-z"),
        (["--item", ""], "must not be empty"),
        (["--item", "tea", "--pieces", "10"], "must be a whole number from 1 to 9"),
        (["--item", "tea", "--pieces", "1.5"], "must be a whole number from 1 to 9"),
        (["--item", "tea", "--share", "0"], "must be a number above 0 and at most 1"),
        (["--item", "tea", "--share", "nan"], "must be a number above 0 and at most 1"),
        (["--item", "tea", "--price", "10.01"], "must be a number from 0 to 10"),
        (["--item", "tea", "--price", "NaN"], "must be a number from 0 to 10"),
        (["--item", "tea", "--colour", "green"], "invalid choice: 'green'"),
        ([], "required: --item"),
    ],
)
def test_options_refuse_what_is_out_of_bounds(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises((Exception, SystemExit)) as refused:
        parsed(*words)
    assert problem in f"{refused.value} {capsys.readouterr().err}"


@pytest.mark.parametrize(
    ("value", "kind", "bound", "problems"),
    [
        (("a", "b"), tuple[str, ...], Items(2, each=Choice(("a",), ("A",))), 1),
        ("a", str, Choice(("a",), ("A",)), 0),
        ("", str, Choice(("", "a"), ("none", "A")), 0),
        ("12.345", str, Number(0, 20), 0),
        ("x", str, Number(0, 20), 1),
        (" a ", str, Text(3), 0),
    ],
)
def test_a_value_is_checked_against_a_type_and_a_bound(
    value: Any, kind: Any, bound: Any, problems: int
) -> None:
    assert len(find_value_problems(value, kind, bound)) == problems
