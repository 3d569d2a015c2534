"""Validation of dataclass objects against the bounds of their fields."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, get_args, get_origin

from concord.bounds.metadata import (
    Items,
    Number,
    Text,
    bounded_fields,
    choices_of,
    typed_entries,
)

# PostgreSQL's JSON cannot store NUL, and UTF-8 cannot encode a lone surrogate.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def find_problems(value: Any) -> dict[str, str]:
    """The problems of an object's fields, as {dotted path: message}; empty if it is valid.

    Entries of tuples are numbered from 0: "rating_rules.8.ratings". Mappings are not checked. A
    text or a number without a bound may be any text, or any finite number.
    """
    problems: dict[str, str] = {}
    for field in bounded_fields(type(value)):
        field_value = getattr(value, field.name)
        if get_origin(field.type) is Mapping:
            continue
        if field_value is not None or not field.nullable:
            _check(field.name, field_value, field.type, field.bound, problems)
    return problems


def find_value_problems(value: Any, kind: Any, bound: Any) -> list[str]:
    """The problems of a value of a field of this type and bound; empty if it is valid."""
    problems: dict[str, str] = {}
    _check("", value, kind, bound, problems)
    return list(problems.values())


def _check(path: str, value: Any, kind: Any, bound: Any, problems: dict[str, str]) -> None:
    if dataclasses.is_dataclass(kind):
        if isinstance(value, kind):  # type: ignore[arg-type]
            problems |= {
                f"{path}.{name}": problem for name, problem in find_problems(value).items()
            }
        else:
            problems[path] = "must be an object"
    elif get_origin(kind) is tuple:
        problem = _items_problem(value, kind, bound)
        if problem:
            problems[path] = problem
        else:
            for index, entry in enumerate(typed_entries(value, kind, bound)):
                _check(f"{path}.{index}", *entry, problems)
    elif problem := _value_problem(value, kind, bound):
        problems[path] = problem


def _value_problem(value: Any, kind: Any, bound: Any) -> str:
    """The problem of a single value; "" if it is valid."""
    if (choices := choices_of(kind, bound)) is not None:
        names = [name for name, _ in choices]
        return "" if value in names else f"must be one of {', '.join(filter(None, names))}"
    if kind is bool:
        return "" if isinstance(value, bool) else "must be true or false"
    if kind is str and not isinstance(bound, Number):
        return _text_problem(value, bound)
    return _number_problem(value, kind, bound)


def _number_problem(value: Any, kind: type, bound: Number | None) -> str:
    if kind is str:
        value = _decimal(value)
    types = int if kind is int else (int, float, Decimal)
    is_number = isinstance(value, types) and not isinstance(value, bool)
    what = "a whole number" if kind is int else "a number"
    if bound is None:
        return "" if is_number and math.isfinite(value) else f"must be {what}"
    excluded = bound.above and value == bound.minimum
    if is_number and bound.minimum <= value <= bound.maximum and not excluded:
        return ""
    if bound.above:
        return f"must be {what} above {bound.minimum:,} and at most {bound.maximum:,}"
    return f"must be {what} from {bound.minimum:,} to {bound.maximum:,}"


def _decimal(text: Any) -> Decimal | None:
    """The decimal number that a text says; None for another text and for other types."""
    try:
        number = Decimal(text) if isinstance(text, str) else None
    except ArithmeticError:
        return None
    return number if number is not None and number.is_finite() else None


def _text_problem(value: Any, bound: Text | None) -> str:
    if not isinstance(value, str):
        return "must be text"
    if bound is None:
        return ""
    if UNSTORABLE.search(value):
        return "contains a NUL character or half of a surrogate pair, which cannot be stored"
    if bound.required and not value.strip():
        return bound.required
    if len(value) > bound.max_chars:
        return f"has {len(value):,} characters; at most {bound.max_chars:,} are allowed"
    if not bound.multiline and re.search("[\r\n]", value):
        return "must be on one line"
    if bound.word and re.search(r"[\s,]", value):
        return "must be one word, without spaces and commas"
    if bound.pattern and value and not re.search(bound.pattern, value):
        return bound.pattern_help
    return ""


def _items_problem(value: Any, kind: Any, bound: Any) -> str:
    """The problem of a tuple, not counting those of its entries; "" if it is valid."""
    if not isinstance(value, tuple):
        return "must be a list"
    if not isinstance(bound, Items):  # of a fixed length
        length = len(get_args(kind))
        return "" if len(value) == length else f"must have {length} entries"
    if not value and bound.required:
        return bound.required
    if bound.min_items <= len(value) <= bound.max_items:
        return ""
    limits = f"must have {bound.min_items:,} to {bound.max_items:,}"
    return f"has {len(value):,} {bound.unit}; {limits}"
