"""Convert dataclass objects from JSON and into their normal form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, get_origin

from concord.bounds.metadata import Text, bounded_fields, entry_types, typed_entries


class InputError(ValueError):
    """Invalid input. `problems` maps the dotted path of a field to a message."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"{name}: {text}" for name, text in self.problems.items()))


def from_json(kind: Any, data: Any) -> Any:
    """An object of the dataclass `kind` from the output of `dataclasses.asdict`.

    Values are not validated (`find_problems`). Raises InputError, with all problems, for data of
    another structure: a field that is unknown or missing, an object or a list that is none.
    """
    problems: dict[str, str] = {}
    value = _read("", kind, data, problems)
    if problems:
        raise InputError(problems)
    return value


def _read(path: str, kind: Any, data: Any, problems: dict[str, str]) -> Any:
    """The value of `data`, without the parts of which `problems` gets a message."""
    if dataclasses.is_dataclass(kind):
        if not isinstance(data, Mapping):
            problems[path] = "must be an object"
            return None
        fields = {field.name: field for field in bounded_fields(kind)}
        names = ", ".join(fields)
        start, found = f"{path}." if path else "", len(problems)
        problems |= {
            f"{start}{name}": f"is unknown; the fields are {names}"
            for name in data
            if name not in fields
        }
        problems |= {
            f"{start}{name}": "is missing"
            for name, field in fields.items()
            if field.is_required and name not in data
        }
        values = {
            name: _read_part(f"{start}{name}", field.type, data[name], problems)
            for name, field in fields.items()
            if name in data
        }
        return kind(**values) if len(problems) == found else None  # type: ignore[operator]
    if get_origin(kind) is tuple:
        if not isinstance(data, list | tuple):
            problems[path] = "must be a list"
            return None
        kinds = entry_types(kind, len(data))
        if len(kinds) != len(data):
            problems[path] = f"must have {len(kinds)} entries"
            return None
        return tuple(
            _read_part(f"{path}.{index}", entry, value, problems)
            for index, (entry, value) in enumerate(zip(kinds, data, strict=True))
        )
    return data


def _read_part(path: str, kind: Any, data: Any, problems: dict[str, str]) -> Any:
    return None if data is None else _read(path, kind, data, problems)


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
