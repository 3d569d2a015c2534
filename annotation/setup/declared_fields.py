"""Form fields of a dataclass and its parts: their initial values, and an object of what was sent.

A field's name is its path in the dataclass with "_" in place of ".": `quality_gold_share`. A part
that may be None has a box to tick as well: `has_trial`. Lists of objects are tables; forms declare
those themselves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar

from django import forms

from concord.bounds import BoundedField, Items, Text, bounded_fields, choices_of
from core.pages.bounded_fields import entered, form_field

Kind = TypeVar("Kind")


def declared_fields(kind: Any, prefix: str = "") -> Iterator[tuple[str, BoundedField]]:  # noqa: ANN401 - a dataclass
    """(name in a form, field) of each value of a dataclass and its parts, in order."""
    for one in bounded_fields(kind):
        name = f"{prefix}{one.name}"
        if dataclasses.is_dataclass(one.type):
            if one.nullable:
                yield f"has_{name}", dataclasses.replace(one, type=bool, default=False)
            yield from declared_fields(one.type, f"{name}_")
        elif not _is_table(one):
            yield name, one


def make_field(one: BoundedField, *, rows: int = 3) -> forms.Field:
    """A field that may be left empty: the dataclass's validation names what is missing."""
    if isinstance(one.bound, Text) and one.bound.multiline:
        # Its length is validated in the dataclass: a browser sends a line's end as two characters.
        widget = forms.Textarea(attrs={"rows": rows, "dir": "auto"})
        return forms.CharField(
            label=one.label, help_text=one.help, required=False, strip=False, widget=widget
        )
    return form_field(one, optional=True, rows=rows)


def initial_values(value: Any, prefix: str = "") -> dict[str, object]:  # noqa: ANN401 - a dataclass's object
    """The fields' initial values for an object; those of a part that is None are its defaults."""
    values: dict[str, object] = {}
    for one in bounded_fields(type(value)):
        name, part = f"{prefix}{one.name}", getattr(value, one.name)
        if dataclasses.is_dataclass(one.type):
            if one.nullable:
                values[f"has_{name}"] = part is not None
            values |= initial_values(_default(one.type) if part is None else part, f"{name}_")
        elif not _is_table(one):
            values[name] = entered(one, part)
    return values


def read(base: Kind, values: Mapping[str, Any], sent: Collection[str], prefix: str = "") -> Kind:
    """`base` with the cleaned values of a form, not validated.

    An empty number is 0, or None where it may be. A field that the form does not have, or that was
    not `sent`, keeps its value; a box that was not sent is not ticked.
    """
    parts: dict[str, object] = {}
    for one in bounded_fields(type(base)):
        name, part = f"{prefix}{one.name}", getattr(base, one.name)
        if dataclasses.is_dataclass(one.type):
            if one.nullable and f"has_{name}" in values:
                part = (part or _default(one.type)) if values[f"has_{name}"] else None
            parts[one.name] = part and read(part, values, sent, f"{name}_")
        elif name in values and not _is_table(one):
            value = values[name]
            if value in (None, "") and not one.nullable:
                value = _empty(one, part) if name in sent else part
            parts[one.name] = value
    return dataclasses.replace(base, **parts)  # type: ignore[type-var]


def facts(value: Any, without: Collection[str] = ()) -> Iterator[tuple[str, object]]:  # noqa: ANN401 - a dataclass's object
    """(label, value as people read it) of what one field shows, but for texts of several lines.

    What is empty, 0 or off is left out, and so are the fields named in `without`.
    """
    for one in bounded_fields(type(value)):
        part = getattr(value, one.name)
        if one.name in without or not part:
            continue
        if dataclasses.is_dataclass(one.type):
            yield from facts(part)
        elif not (_is_table(one) or getattr(one.bound, "multiline", False)):
            yield one.label, _shown(one, part)


def _shown(one: BoundedField, value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    return dict(choices_of(one.type, one.bound) or ()).get(str(value)) or entered(one, value)


def _default(kind: Any) -> Any:  # noqa: ANN401 - a dataclass, and an object of it
    return kind()


def _is_table(one: BoundedField) -> bool:
    return isinstance(one.bound, Items) and not isinstance(one.bound.each, Text)


def _empty(one: BoundedField, default: object) -> object:
    """The value of an empty field; a choice, and a field with an error, keep their value."""
    if one.type in (int, float):
        return 0
    return "" if isinstance(one.bound, Text) else default
