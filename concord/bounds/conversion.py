"""Convert dataclass objects from JSON and into their normal form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, get_origin

from concord.bounds.metadata import Text, bounded_fields, entry_types, typed_entries


def from_json(kind: Any, data: Any) -> Any:
    """An object of the dataclass `kind` from the output of `dataclasses.asdict`.

    Values are not validated. Raises TypeError or ValueError for data of another structure.
    """
    if dataclasses.is_dataclass(kind):
        if not isinstance(data, Mapping):
            raise TypeError(f"an object is expected, not {type(data).__name__}")
        types = {field.name: field.type for field in bounded_fields(kind)}
        values = {str(name): _part(types.get(name), value) for name, value in data.items()}
        return kind(**values)  # type: ignore[operator]
    if get_origin(kind) is tuple:
        if not isinstance(data, list | tuple):
            raise TypeError(f"a list is expected, not {type(data).__name__}")
        kinds = entry_types(kind, len(data))
        return tuple(_part(field, value) for field, value in zip(kinds, data, strict=True))
    return data


def normalize(value: Any, kind: Any = None, bound: Any = None) -> Any:
    """A dataclass object in its normal form.

    Line ends become "\\n", texts are stripped unless they are exact, words are in upper case, and
    integers in float fields become floats. Values of a wrong type are unchanged.
    """
    kind = type(value) if kind is None else kind
    if dataclasses.is_dataclass(kind) and isinstance(value, kind):  # type: ignore[arg-type]
        parts = {
            field.name: normalize(getattr(value, field.name), field.type, field.bound)
            for field in bounded_fields(type(value))
        }
        return dataclasses.replace(value, **parts)
    if get_origin(kind) is tuple and isinstance(value, tuple):
        entries = typed_entries(value, kind, bound)
        return tuple(normalize(*entry) for entry in entries) if entries else value
    if isinstance(bound, Text) and isinstance(value, str):
        lines = value.replace("\r\n", "\n").replace("\r", "\n")
        text = lines if bound.exact else lines.strip()
        return text.upper() if bound.word else text
    if kind is float and type(value) is int:
        return float(value)
    return value


def _part(kind: Any, data: Any) -> Any:
    return None if data is None else from_json(kind, data)
