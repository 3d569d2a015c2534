"""Forms derived from dataclasses with bounds (`concord.bounds`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar, get_args

from django import forms
from django.forms.forms import DeclarativeFieldsMetaclass

from concord.bounds import REQUIRED, BoundedField, Items, Text, bounded_fields, choice_of
from core.pages.bounded_fields import form_field

# What a class declares, as `type` takes it.
ClassBody = dict[str, Any]
Kind = TypeVar("Kind")


class DataclassFormMetaclass(DeclarativeFieldsMetaclass):
    """Adds the fields of the dataclass in `DataclassForm[...]` to those that a class declares."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], attrs: ClassBody
    ) -> DataclassFormMetaclass:
        for base in attrs.get("__orig_bases__", ()):
            kind = next(iter(get_args(base)), None)
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                derived = _derived_fields(kind, attrs)
                sources = dict.fromkeys(derived, kind)
                attrs = {**derived, **attrs, "dataclass": kind, "sources": sources}
        made = super().__new__(cls, name, bases, attrs)
        assert isinstance(made, DataclassFormMetaclass)
        return made


class DataclassForm(forms.Form, Generic[Kind], metaclass=DataclassFormMetaclass):
    """A form with the fields of a dataclass: types, bounds, defaults, labels and help texts.

    A field that a subclass declares itself replaces the one of the same name. Order of the page:
    `field_order`.
    """

    dataclass: ClassVar[type]
    # The fields of the form; empty: all of the dataclass.
    only: ClassVar[tuple[str, ...]] = ()
    # Fields that may be left empty, for the dataclass's default.
    optional: ClassVar[tuple[str, ...]] = ()
    # Fields that must be given although the dataclass has a default.
    required: ClassVar[tuple[str, ...]] = ()
    # Labels and help texts that the page needs in place of the dataclass's, by field.
    labels: ClassVar[Mapping[str, str]] = {}
    help_texts: ClassVar[Mapping[str, str]] = {}
    # Widgets that the page needs in place of the usual ones, and their attributes, by field.
    widgets: ClassVar[Mapping[str, forms.Widget]] = {}
    # Heights of texts of several lines, by field.
    heights: ClassVar[Mapping[str, int]] = {}
    # Fields with one or several of the names that `set_choices` sets.
    chosen: ClassVar[tuple[str, ...]] = ()
    # The dataclass that each derived field comes from.
    sources: ClassVar[Mapping[str, type]] = {}

    def set_choices(self, name: str, choices: Iterable[tuple[str, str]]) -> None:
        """Set the (name, label) pairs of a field."""
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)

    def value(self, **others: object) -> Kind:
        """The dataclass object of a valid form. others: values of fields that it does not have."""
        made: Kind = self.dataclass(**self.values() | others)
        return made

    def values(self) -> dict[str, object]:
        """The values of the dataclass's fields in a valid form, without those left empty."""
        values = {}
        for one in bounded_fields(self.dataclass):
            value = self.cleaned_data.get(one.name)
            if one.name in self.fields and not (_is_empty(one, value) and not one.is_required):
                values[one.name] = value
        return values


def _is_empty(one: BoundedField, value: object) -> bool:
    """Whether nothing was entered. An empty text is a value where the text may be empty."""
    may_be_empty = isinstance(one.bound, Text) and not one.bound.required and not one.nullable
    return value is None or (value == "" and not may_be_empty)


def _chosen(one: BoundedField) -> BoundedField:
    """The field with a choice, still without names, in place of a text, a number or each text."""
    if isinstance(one.bound, Items):
        bound: object = dataclasses.replace(one.bound, each=choice_of(()))
    else:
        bound = choice_of(() if getattr(one.bound, "required", True) else ("",))
    return dataclasses.replace(one, bound=bound)


def _required(one: BoundedField) -> BoundedField:
    """The field without a default; a text may not be blank, nor a list be empty."""
    bound = one.bound
    if isinstance(bound, Text | Items) and not bound.required:
        bound = dataclasses.replace(bound, required=REQUIRED)
    return dataclasses.replace(one, bound=bound, default=dataclasses.MISSING)


def _derived_fields(kind: type, attrs: ClassBody) -> dict[str, forms.Field]:
    only = attrs.get("only", ())
    fields = {}
    for one in bounded_fields(kind):
        if one.name in attrs or (only and one.name not in only):
            continue
        one = dataclasses.replace(
            one,
            label=attrs.get("labels", {}).get(one.name, one.label),
            help=attrs.get("help_texts", {}).get(one.name, one.help),
        )
        if one.name in attrs.get("chosen", ()):
            one = _chosen(one)
        if one.name in attrs.get("required", ()):
            one = _required(one)
        fields[one.name] = form_field(
            one,
            optional=one.name in attrs.get("optional", ()),
            rows=attrs.get("heights", {}).get(one.name, 3),
            widget=attrs.get("widgets", {}).get(one.name),
        )
    return fields
