"""Conversion of results and documents: from objects, to JSON, and from JSON.

The JSON of a result is that of its dataclass: `to_json(result)`, and `from_json(Result, stored)`
reads it again. What no function returns is declared as a TypedDict or as a subclass of `Document`.
The type of a field may be annotated with a sentence that describes it, with its bounds
(`concord.bounds.Number`), with its `Format`, with ABSENT or
with INLINE: `Annotated[int, "Items scored so far."]`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from datetime import date, datetime
from functools import cache, reduce
from inspect import ismethod
from operator import or_
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

DocumentType = TypeVar("DocumentType")
SCALARS = (int, float, str)


@dataclass(frozen=True)
class Format:
    """The format of a text in a JSON schema, such as "date-time" or "uuid"."""

    name: str


@dataclass(frozen=True)
class Absent:
    """A field of a dataclass that its JSON lacks where it is None."""


@dataclass(frozen=True)
class Inline:
    """A field of a dataclass whose own fields stand in its place in the JSON."""


ABSENT, INLINE = Absent(), Inline()
# A time in a document that is a TypedDict; a `Document` has datetimes.
Timestamp = Annotated[str, Format("date-time")]


@dataclass(frozen=True)
class DeclaredField:
    """A field of a document. `notes`: the description, bounds and format of its type."""

    name: str
    type: Any
    notes: tuple[Any, ...]
    required: bool


def is_document(kind: Any) -> bool:
    """Whether it is a type of documents: a TypedDict, or a dataclass."""
    return is_typeddict(kind) or (isinstance(kind, type) and dataclasses.is_dataclass(kind))


@cache
def declared_fields(kind: Any) -> tuple[DeclaredField, ...]:
    """The fields of the JSON of a document, in order."""
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        return tuple(
            DeclaredField(name, *split_type(hint), name in kind.__required_keys__)
            for name, hint in hints.items()
        )
    fields: list[DeclaredField] = []
    for one in own_fields(kind):
        is_inline = INLINE in one.notes
        fields += declared_fields(json_type(one.type)) if is_inline else [one]
    return tuple(fields)


@cache
def own_fields(kind: Any) -> tuple[DeclaredField, ...]:
    """The fields of a dataclass that are compared, in order: not the `raw` of a `Document`."""
    hints = get_type_hints(kind, include_extras=True)
    names = [one.name for one in dataclasses.fields(kind) if one.compare]
    parts = {name: split_type(hints[name]) for name in names}
    return tuple(
        DeclaredField(name, kind, notes, ABSENT not in notes)
        for name, (kind, notes) in parts.items()
    )


def json_type(kind: Any) -> Any:
    """The type of the JSON of a dataclass: what its own `to_json` returns where this is declared,
    as that of an Estimate is; else the dataclass."""
    own = getattr(kind, "to_json", None) if isinstance(kind, type) else None
    returned = None if own is None else get_type_hints(own).get("return")
    return returned if is_typeddict(returned) else kind


def split_type(declared: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type of a value, and what it is annotated with."""
    if get_origin(declared) is NotRequired:
        return split_type(get_args(declared)[0])
    if get_origin(declared) is Annotated:
        kind, notes = split_type(declared.__origin__)
        return kind, (*notes, *declared.__metadata__)
    return declared, ()


def without_none(kind: Any) -> tuple[Any, bool]:
    """The type without None, with what it is annotated with; whether it was a union with None."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, False
    kinds = [one for one in get_args(kind) if one is not NoneType]
    return reduce(or_, kinds), len(kinds) < len(get_args(kind))


def fill(kind: type[DocumentType], /, *sources: object, **values: Any) -> DocumentType:
    """A document of this type: `values`, and for the other fields the attributes (of a mapping, the
    keys) with the same names, each of the first source that has it. Methods are no attributes.

    The JSON of a result, a dataclass with figures, is `fill(Row, result)`: rows are not written by
    hand. Values get their declared types: a list for a sequence, a document for an object, by its
    own `to_json` where it has one, as an Estimate has. Raises TypeError for a value or a key that
    is not declared, for a field without a value, and for an object without a text as the value of a
    text.
    """
    fields, filled = declared_fields(cast(Any, kind)), {}
    for field in fields:
        value = values.pop(field.name, MISSING)
        for source in sources:
            if value is not MISSING:
                break
            value = _value_of(source, field.name)
        if value is not MISSING:
            filled[field.name] = as_declared(field.type, value)
        elif field.required:
            raise TypeError(f"{kind.__name__}: no value for {field.name}.")
    known = {field.name for field in fields}
    unknown = [*values, *(key for one in sources if isinstance(one, Mapping) for key in one)]
    if not known.issuperset(unknown):
        raise TypeError(f"{kind.__name__} has no field {', '.join({*unknown} - known)}.")
    return kind(**filled)


def _value_of(source: object, name: str) -> Any:
    if isinstance(source, Mapping):
        return source.get(name, MISSING)
    value = getattr(source, name, MISSING)
    return MISSING if ismethod(value) else value


def as_declared(kind: Any, value: Any) -> Any:
    """A value of an object as a value of this type, such as a document of its attributes."""
    kind = without_none(split_type(kind)[0])[0]
    kind = split_type(kind)[0]
    if value is None or kind is Any:
        return value
    if is_typeddict(kind) and hasattr(value, "to_json"):
        return value.to_json()
    if is_document(kind):
        is_filled = not is_typeddict(kind) and isinstance(value, kind)
        return value if is_filled else fill(kind, value)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (list, Sequence):
        return [as_declared(parts[0], one) for one in value]
    if origin in (dict, Mapping):
        return {str(name): as_declared(parts[1], one) for name, one in value.items()}
    if kind is str and isinstance(value, date):
        return to_json(value)
    if origin is Literal and isinstance(value, str):
        return str(value)
    if kind is str and cast(Any, type(value)).__str__ is object.__str__:
        raise TypeError(f"{value!r} is no text.")
    return kind(value) if kind in SCALARS else value


def to_json(value: Any) -> Any:
    """A result or a document, or a value in it, as JSON: times as text that ends in Z, tuples as
    lists. An Estimate without a value is null with its reason; a NaN elsewhere stays one, and is
    refused where the JSON is written."""
    if isinstance(value, Mapping):
        return {name: to_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(one) for one in value]
    if isinstance(value, date):
        text = value.isoformat()
        return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text
    if hasattr(value, "to_json"):
        return value.to_json()
    return fields_to_json(value) if dataclasses.is_dataclass(value) else value


def fields_to_json(value: Any) -> dict[str, Any]:
    """The fields of a dataclass object as JSON; a part that has a `to_json` says its own."""
    document: dict[str, Any] = {}
    for field in own_fields(cast(Any, type(value))):
        one = getattr(value, field.name)
        if INLINE in field.notes:
            document |= to_json(one)
        elif field.required or one is not None:
            document[field.name] = to_json(one)
    return document


def from_json(kind: Any, value: Any) -> Any:
    """A value of this type from JSON, with datetimes and dataclasses. TypedDicts stay as they are.

    A dataclass with a `from_json` reads its own. Raises KeyError for a field of a dataclass that is
    missing; unknown fields are in the `raw` of a `Document`.
    """
    kind = split_type(without_none(split_type(kind)[0])[0])[0]
    if value is None:
        return None
    if kind is datetime:
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (list, Sequence):
        return [from_json(parts[0], one) for one in value]
    if origin is tuple:
        kinds = parts[:1] * len(value) if parts[-1] is Ellipsis else parts
        return tuple(map(from_json, kinds, value))
    if origin in (dict, Mapping):
        is_number = parts[0] is int
        return {
            int(name) if is_number else name: from_json(parts[1], one)
            for name, one in value.items()
        }
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
        return value
    if hasattr(kind, "from_json"):
        return kind.from_json(value)
    given = {one.name for one in dataclasses.fields(kind) if one.init}
    values = {
        one.name: from_json(one.type, _part(one, value))
        for one in own_fields(kind)
        if one.name in given
    }
    has_raw = any(one.name == "raw" and not one.compare for one in dataclasses.fields(kind))
    return cast(Any, kind)(**values, **({"raw": value} if has_raw else {}))


def _part(field: DeclaredField, value: Mapping[str, Any]) -> Any:
    """What the JSON of a dataclass has for one of its fields."""
    if INLINE in field.notes:
        return value
    return value[field.name] if field.required else value.get(field.name)
