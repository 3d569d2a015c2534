"""Bounds in the metadata of dataclass fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

Format = Literal["", "url", "email"]
# What a number counts: people type cents in dollars, and a share between 0 and 1 in per cent.
Unit = Literal["", "cents", "share"]
# The error message for a blank text that must be given, where it needs no other one.
REQUIRED = "must not be empty"


@dataclass(frozen=True, slots=True)
class Number:
    """From `minimum` (exclusive where `above`) to `maximum` (inclusive), in `unit`.

    A str with this bound is a decimal number of at most two decimals, exactly as entered. For an
    object of a database, it is the bound of the key that people enter.
    """

    minimum: float
    maximum: float
    above: bool = False
    unit: Unit = ""

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The minimum and the maximum; None for infinity."""
        low, high = (one if isfinite(one) else None for one in (self.minimum, self.maximum))
        return low, high


@dataclass(frozen=True, slots=True)
class Text:
    """At most `max_chars` Unicode characters, on one line unless `multiline`.

    required: the error message for a blank text; "" where it may be blank.
    word: without white space and commas; converted to upper case.
    exact: white space at the ends belongs to the text.
    pattern: a regular expression that the text must match, with its anchors, or "".
    pattern_help: the error message for a text that does not match.
    format: "url": pages complete it with https://. "email": pages and the API check it.
    """

    max_chars: int
    required: str = ""
    multiline: bool = False
    word: bool = False
    exact: bool = False
    pattern: str = ""
    pattern_help: str = ""
    format: Format = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of `names`; people read the label at the same index of `labels`."""

    names: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """From `min_items` to `max_items` entries; messages call them `unit`.

    separator: between entries that people type: the end of a line, or a comma.
    each: the bound of an entry; a tuple of bounds for an entry that is a tuple of a fixed length;
        None for a dataclass, which has bounds of its own.
    required: the error message for no entries; "" for the general one.
    """

    max_items: int
    min_items: int = 0
    unit: str = "entries"
    each: Any = None
    required: str = ""
    separator: Literal["\n", ","] = "\n"


@dataclass(frozen=True, slots=True)
class BoundedField:
    """A field of a dataclass: its type without None, and its bound.

    label, help: its name on pages, and its description on pages and in the API.
    default: its default value; MISSING for a required field.
    """

    name: str
    type: Any
    nullable: bool
    bound: Any
    label: str
    help: str
    default: Any

    @property
    def is_required(self) -> bool:
        """Whether it has no default value."""
        return self.default is dataclasses.MISSING

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of a choice; empty for another type."""
        return tuple(name for name, _ in choices_of(self.type, self.bound) or ())


class Metadata(TypedDict):
    """Metadata of a field; a bool has no bound."""

    bound: NotRequired[Number | Text | Choice | Items]
    label: str
    help: str


def described(bound: Number | Text | Choice | Items, label: str = "", help: str = "") -> Metadata:
    """Metadata of a field with a bound that several fields share."""
    return {"bound": bound, "label": label, "help": help}


def number(
    minimum: float,
    maximum: float,
    *,
    above: bool = False,
    unit: Unit = "",
    label: str = "",
    help: str = "",
) -> Metadata:
    """Metadata of an int or float field."""
    return described(Number(minimum, maximum, above, unit), label, help)


def text(  # noqa: PLR0913 - what a text can be bound by
    max_chars: int,
    *,
    required: str = "",
    multiline: bool = False,
    word: bool = False,
    exact: bool = False,
    pattern: str = "",
    pattern_help: str = "",
    format: Format = "",
    label: str = "",
    help: str = "",
) -> Metadata:
    """Metadata of a str field."""
    bound = Text(max_chars, required, multiline, word, exact, pattern, pattern_help, format)
    return described(bound, label, help)


def choice(
    names: Mapping[str, str] | Iterable[str], *, label: str = "", help: str = ""
) -> Metadata:
    """Metadata of a field that has one of some names: a mapping gives them labels.

    A Literal has its own names, and needs this for labels only.
    """
    return described(choice_of(names), label, help)


def choice_of(names: Mapping[str, str] | Iterable[str]) -> Choice:
    """The bound of one of some names; a mapping gives them labels."""
    labels = names if isinstance(names, Mapping) else {name: name for name in names}
    return Choice(tuple(labels), tuple(labels.values()))


def items(  # noqa: PLR0913 - what a list can be bound by
    max_items: int,
    *,
    min_items: int = 0,
    unit: str = "entries",
    each: Any = None,
    required: str = "",
    separator: Literal["\n", ","] = "\n",
    label: str = "",
    help: str = "",
) -> Metadata:
    """Metadata of a tuple field."""
    return described(Items(max_items, min_items, unit, each, required, separator), label, help)


def flag(help: str = "", *, label: str = "") -> Metadata:
    """Metadata of a bool field."""
    return {"label": label, "help": help}


def bounded_fields(kind: Any) -> tuple[BoundedField, ...]:
    """The fields of a dataclass in order of definition."""
    return _fields_of(kind)


@cache
def _fields_of(kind: Any) -> tuple[BoundedField, ...]:
    hints = get_type_hints(kind)
    return tuple(_bounded_field(field, hints[field.name]) for field in dataclasses.fields(kind))


def find_bound(kind: type, path: str) -> Any:
    """The bound of the field at a dotted path, such as "quality.gold_share".

    Raises KeyError for an unknown path.
    """
    name, _, rest = path.partition(".")
    field = {each_field.name: each_field for each_field in bounded_fields(kind)}[name]
    return find_bound(field.type, rest) if rest else field.bound


def choices_of(kind: Any, bound: Any) -> tuple[tuple[str, str], ...] | None:
    """(name, label) of each value of a choice; None for another type."""
    if isinstance(bound, Choice):
        return tuple(zip(bound.names, bound.labels, strict=True))
    return tuple((name, name) for name in get_args(kind)) if get_origin(kind) is Literal else None


def _bounded_field(field: dataclasses.Field[Any], hint: Any) -> BoundedField:
    nullable = get_origin(hint) in (Union, UnionType)
    if nullable:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    metadata = field.metadata
    return BoundedField(
        name=field.name,
        type=hint,
        nullable=nullable,
        bound=metadata.get("bound"),
        label=metadata.get("label", ""),
        help=metadata.get("help", ""),
        default=default,
    )


def entry_types(kind: Any, length: int) -> tuple[Any, ...]:
    """The types of a tuple's entries."""
    types = get_args(kind)
    return (types[0],) * length if types[-1] is Ellipsis else types


def typed_entries(value: tuple[Any, ...], kind: Any, bound: Any) -> list[tuple[Any, Any, Any]]:
    """(entry, type, bound) of each entry of a tuple; empty if the tuple has a wrong length."""
    kinds = entry_types(kind, len(value))
    bounds = [bound.each] * len(value) if isinstance(bound, Items) else bound
    if not len(value) == len(kinds) == len(bounds):
        return []
    return list(zip(value, kinds, bounds, strict=True))
