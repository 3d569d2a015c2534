"""Conversion of documents: from objects, to JSON, and from JSON.

A document is declared once, as a TypedDict or as a subclass of `Document`. The type of a field may
be annotated with a sentence that describes it, with its bounds (`concord.bounds.Number`) or with
its `Format`: `Annotated[int, "Items scored so far."]`.
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
    """The fields of a document, in order."""
    hints = get_type_hints(kind, include_extras=True)
    if is_typeddict(kind):
        names = {name: name in kind.__required_keys__ for name in hints}
    else:
        names = {one.name: True for one in dataclasses.fields(kind) if one.name != "raw"}
    return tuple(
        DeclaredField(name, *split_type(hints[name]), required) for name, required in names.items()
    )


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
    """A document, or a value in it, as JSON: times as text that ends in Z, tuples as lists."""
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
    names = [field.name for field in declared_fields(cast(Any, type(value)))]
    return {name: to_json(getattr(value, name)) for name in names}


def from_json(kind: Any, value: Any) -> Any:
    """A value of this type from JSON, with datetimes and dataclasses. TypedDicts stay as they are.

    Raises KeyError for a field of a dataclass that is missing; unknown fields are in `raw`.
    """
    kind = split_type(without_none(split_type(kind)[0])[0])[0]
    if value is None:
        return None
    if kind is datetime:
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    if get_origin(kind) is list:
        return [from_json(get_args(kind)[0], one) for one in value]
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        fields = declared_fields(kind)
        values = {one.name: from_json(one.type, value[one.name]) for one in fields}
        return cast(Any, kind)(raw=value, **values)
    return value
