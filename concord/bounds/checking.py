"""What is wrong with an object of a dataclass with bounds."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from concord.bounds.declaring import Items, Number, Text, entries_of, fields_of

# PostgreSQL's JSON holds no NUL, and UTF-8 no lone surrogate.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def problems(value: Any) -> dict[str, str]:
    """What is wrong with the fields of a dataclass object: dotted path -> sentence.

    Entries of tuples are numbered from 0: "rating_rules.8.ratings". Mappings are not checked.
    """
    found: dict[str, str] = {}
    for one in fields_of(type(value)):
        own = getattr(value, one.name)
        if get_origin(one.type) is Mapping:
            continue
        if own is not None or not one.nullable:
            _check(one.name, own, one.type, one.bound, found)
    return found


def _check(path: str, value: Any, kind: Any, bound: Any, found: dict[str, str]) -> None:
    if dataclasses.is_dataclass(kind):
        if isinstance(value, kind):  # type: ignore[arg-type]
            found |= {f"{path}.{name}": told for name, told in problems(value).items()}
        else:
            found[path] = "must be an object"
    elif get_origin(kind) is tuple:
        problem = _items_problem(value, kind, bound)
        if problem:
            found[path] = problem
        else:
            for at, entry in enumerate(entries_of(value, kind, bound)):
                _check(f"{path}.{at}", *entry, found)
    elif problem := _value_problem(value, kind, bound):
        found[path] = problem


def _value_problem(value: Any, kind: Any, bound: Any) -> str:
    """What is wrong with a single value; "" where nothing is."""
    if get_origin(kind) is Literal:
        names = get_args(kind)
        return "" if value in names else f"must be one of {', '.join(names)}"
    if kind is bool:
        return "" if isinstance(value, bool) else "must be true or false"
    if kind is str:
        return _text_problem(value, bound)
    return _number_problem(value, kind, bound)


def _number_problem(value: Any, kind: type, bound: Number) -> str:
    types = int if kind is int else (int, float)
    is_number = isinstance(value, types) and not isinstance(value, bool)
    excluded = bound.above and value == bound.minimum
    if is_number and bound.minimum <= value <= bound.maximum and not excluded:
        return ""
    what = "a whole number" if kind is int else "a number"
    if bound.above:
        return f"must be {what} above {bound.minimum:,}, at most {bound.maximum:,}"
    return f"must be {what} from {bound.minimum:,} to {bound.maximum:,}"


def _text_problem(value: Any, bound: Text) -> str:
    if not isinstance(value, str):
        return "must be text"
    if UNSTORABLE.search(value):
        return "holds a NUL character or half of a surrogate pair, which cannot be stored"
    if bound.required and not value.strip():
        return bound.required
    if len(value) > bound.max_chars:
        return f"has {len(value):,} characters, more than {bound.max_chars:,}"
    if not bound.multiline and re.search("[\r\n]", value):
        return "must be on one line"
    if bound.word and re.search(r"[\s,]", value):
        return "must be one word, without spaces and commas"
    return ""


def _items_problem(value: Any, kind: Any, bound: Any) -> str:
    """What is wrong with a tuple, its entries apart; "" where nothing is."""
    if not isinstance(value, tuple):
        return "must be a list"
    if not isinstance(bound, Items):  # of a fixed length
        length = len(get_args(kind))
        return "" if len(value) == length else f"must have {length} entries"
    if not value and bound.required:
        return bound.required
    if bound.min_items <= len(value) <= bound.max_items:
        return ""
    limits = f"it needs {bound.min_items:,} to {bound.max_items:,}"
    return f"has {len(value):,} {bound.unit}; {limits}"
