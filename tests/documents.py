"""Check a JSON document against the TypedDict that declares it."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict


def faults(value: Any, declared: Any, at: str = "$") -> list[str]:
    """The differences between a value and its declared type: keys and types of values."""
    if declared is Any:
        return []
    if is_typeddict(declared):
        return _key_faults(value, declared, at)
    origin, inner = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        alternatives = [faults(value, one, at) for one in inner]
        return min(alternatives, key=len)
    if origin is Literal:
        return [] if value in inner else [f"{at}: {value!r} is none of {inner}"]
    if origin is list and isinstance(value, list):
        return [
            fault for i, one in enumerate(value) for fault in faults(one, inner[0], f"{at}[{i}]")
        ]
    if origin is dict and isinstance(value, dict):
        return [fault for k, one in value.items() for fault in faults(one, inner[1], f"{at}.{k}")]
    expected = {None: NoneType, float: (int, float)}.get(declared, origin or declared)
    return [] if isinstance(value, expected) else [f"{at}: {value!r} is no {declared}"]


def _key_faults(value: Any, declared: Any, at: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{at}: {value!r} is no {declared.__name__}"]
    required, optional = declared.__required_keys__, declared.__optional_keys__
    differences = [f"{at}: {key} is missing" for key in sorted(required - set(value))]
    differences += [
        f"{at}: {key} is not declared" for key in sorted(set(value) - required - optional)
    ]
    types = get_type_hints(declared)
    for key in value.keys() & types.keys():
        differences += faults(value[key], types[key], f"{at}.{key}")
    return differences
