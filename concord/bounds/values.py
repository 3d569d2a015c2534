"""Objects of dataclasses with bounds, from JSON and in their normal form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, get_origin

from concord.bounds.declaring import Text, entries_of, entry_types, fields_of


def from_json(kind: Any, data: Any) -> Any:
    """An object of the dataclass `kind`, from what `dataclasses.asdict` wrote; not checked.

    Raises TypeError or ValueError for data of another structure.
    """
    if dataclasses.is_dataclass(kind):
        if not isinstance(data, Mapping):
            raise TypeError(f"{type(data).__name__} in place of an object")
        types = {one.name: one.type for one in fields_of(kind)}
        values = {name: _part(types.get(name), value) for name, value in data.items()}
        return kind(**values)  # type: ignore[operator]
    if get_origin(kind) is tuple:
        if not isinstance(data, list | tuple):
            raise TypeError(f"{type(data).__name__} in place of a list")
        kinds = entry_types(kind, len(data))
        return tuple(_part(one, value) for one, value in zip(kinds, data, strict=True))
    return data


def normalized(value: Any, kind: Any = None, bound: Any = None) -> Any:
    """A dataclass object in its normal form.

    Lines end with "\\n", one-line texts have no outer white space, words are in upper case, and
    whole numbers in float fields are floats. Values of a wrong type stay as they are.
    """
    kind = type(value) if kind is None else kind
    if dataclasses.is_dataclass(kind) and isinstance(value, kind):  # type: ignore[arg-type]
        parts = {
            one.name: normalized(getattr(value, one.name), one.type, one.bound)
            for one in fields_of(type(value))
        }
        return dataclasses.replace(value, **parts)
    if get_origin(kind) is tuple and isinstance(value, tuple):
        entries = entries_of(value, kind, bound)
        return tuple(normalized(*entry) for entry in entries) if entries else value
    if isinstance(bound, Text) and isinstance(value, str):
        lines = value.replace("\r\n", "\n").replace("\r", "\n")
        shown = lines if bound.multiline else lines.strip()
        return shown.upper() if bound.word else shown
    if kind is float and type(value) is int:
        return float(value)
    return value


def _part(kind: Any, data: Any) -> Any:
    return None if data is None else from_json(kind, data)
