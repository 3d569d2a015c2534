"""The bounds in a dataclass's metadata: how they are written and read."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Number:
    """From `minimum` (excluded where `above`) to `maximum`."""

    minimum: float
    maximum: float
    above: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """At most `max_chars` Unicode characters, on one line unless `multiline`.

    required: the sentence for a text that is blank; "" where it may be blank.
    word: no white space and no commas, in upper case.
    """

    max_chars: int
    required: str = ""
    multiline: bool = False
    word: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """From `min_items` to `max_items` entries, called `unit`.

    each: the bound of an entry; for an entry that is a tuple of a fixed length, one bound for each
        of its places; None for a dataclass, which has its own.
    required: the sentence where there are none; "" for the general one.
    """

    max_items: int
    min_items: int = 0
    unit: str = "entries"
    each: Any = None
    required: str = ""


@dataclass(frozen=True, slots=True)
class BoundedField:
    """A field of a dataclass: its type without None, and what bounds it.

    default: its default value, MISSING for a field that must be given.
    """

    name: str
    type: Any
    nullable: bool
    bound: Any
    help: str
    default: Any


class Metadata(TypedDict):
    """What a dataclass says of a field; a bool has no bound."""

    bound: NotRequired[Number | Text | Items]
    help: str


def number(minimum: float, maximum: float, *, above: bool = False, help: str = "") -> Metadata:
    """Metadata of an int or float field."""
    return {"bound": Number(minimum, maximum, above), "help": help}


def text(
    max_chars: int,
    *,
    required: str = "",
    multiline: bool = False,
    word: bool = False,
    help: str = "",
) -> Metadata:
    """Metadata of a str field."""
    return {"bound": Text(max_chars, required, multiline, word), "help": help}


def items(
    max_items: int,
    *,
    min_items: int = 0,
    unit: str = "entries",
    each: Any = None,
    required: str = "",
    help: str = "",
) -> Metadata:
    """Metadata of a tuple field."""
    return {"bound": Items(max_items, min_items, unit, each, required), "help": help}


def flag(help: str) -> Metadata:
    """Metadata of a bool field."""
    return {"help": help}


def fields_of(kind: Any) -> tuple[BoundedField, ...]:
    """The fields of a dataclass, in their order."""
    return _fields_of(kind)


@cache
def _fields_of(kind: Any) -> tuple[BoundedField, ...]:
    hints = get_type_hints(kind)
    return tuple(_bounded(one, hints[one.name]) for one in dataclasses.fields(kind))


def bound_at(kind: type, path: str) -> Any:
    """The bound of the field at a dotted path, such as "quality.gold_share".

    Raises KeyError for a path of no field.
    """
    name, _, rest = path.partition(".")
    found = {one.name: one for one in fields_of(kind)}[name]
    return bound_at(found.type, rest) if rest else found.bound


def _bounded(one: dataclasses.Field[Any], hint: Any) -> BoundedField:
    nullable = get_origin(hint) in (Union, UnionType)
    if nullable:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    default = one.default
    if one.default_factory is not dataclasses.MISSING:
        default = one.default_factory()
    about = one.metadata
    return BoundedField(
        one.name, hint, nullable, about.get("bound"), about.get("help", ""), default
    )


def entry_types(kind: Any, length: int) -> tuple[Any, ...]:
    """The types of a tuple's entries."""
    types = get_args(kind)
    return (types[0],) * length if types[-1] is Ellipsis else types


def entries_of(value: tuple[Any, ...], kind: Any, bound: Any) -> list[tuple[Any, Any, Any]]:
    """Each entry of a tuple with its type and its bound; none for a wrong length."""
    kinds = entry_types(kind, len(value))
    bounds = [bound.each] * len(value) if isinstance(bound, Items) else bound
    if not len(value) == len(kinds) == len(bounds):
        return []
    return list(zip(value, kinds, bounds, strict=True))
