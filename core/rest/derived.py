"""Request bodies and queries derived from dataclasses with bounds (`concord.bounds`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar, TypedDict, TypeVar, Unpack, get_args, get_origin

from rest_framework import serializers
from rest_framework.fields import empty

from concord.bounds import BoundedField, Items, Number, Text, bounded_fields, choices_of, from_json
from core.rest.serializers import Field, Flag, Strict

Kind = TypeVar("Kind")


class SerializerFieldOptions(TypedDict, total=False):
    """Keyword arguments that all fields take. default: a value of the field, or makes one."""

    required: bool
    allow_null: bool
    help_text: str
    default: Any  # a value of the field's type


class TextLimits(TypedDict):
    """Keyword arguments of fields for texts."""

    allow_blank: bool
    max_length: int
    trim_whitespace: bool


class DataclassSerializer(Strict):
    """A body or query with the fields of `dataclass`: types, bounds, defaults and help texts.

    A field that a subclass declares itself replaces the one of the same name. A subclass without a
    docstring has that of the dataclass.
    """

    dataclass: ClassVar[type]
    # The fields of the body; empty: all of the dataclass.
    only: ClassVar[tuple[str, ...]] = ()
    # Fields that may be absent and then have no value: not even the dataclass's default.
    optional: ClassVar[tuple[str, ...]] = ()
    # Whether it is a query: what may be None is absent.
    is_query: ClassVar[bool] = False
    # The dataclass that each derived field comes from.
    sources: ClassVar[Mapping[str, type]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = cls.__dict__.get("__doc__") or cls.dataclass.__doc__
        cls.sources = dict.fromkeys((one.name for one in cls._derived()), cls.dataclass)

    def get_fields(self) -> dict[str, Field]:
        return {**{one.name: self._field(one) for one in self._derived()}, **super().get_fields()}

    @classmethod
    def _derived(cls) -> list[BoundedField]:
        names = cls.only or tuple(one.name for one in bounded_fields(cls.dataclass))
        return [
            one
            for one in bounded_fields(cls.dataclass)
            if one.name in names and one.name not in cls._declared_fields
        ]

    def _field(self, one: BoundedField) -> Field:
        options: SerializerFieldOptions = {}
        if text := one.help or (one.label if one.type is bool else ""):
            options["help_text"] = text
        if one.name in self.optional or (self.is_query and one.default is None):
            options["required"] = False
        elif not one.is_required:
            options |= _default(one.default)
        elif isinstance(one.bound, Text) and not one.bound.required:
            options["default"] = ""
        if one.nullable and not self.is_query:
            options["allow_null"] = True
        return _of_type(one.type, one.bound, options)


@cache
def serializer_of(
    kind: type, *, optional: tuple[str, ...] = (), is_query: bool = False, name: str = ""
) -> type[DataclassSerializer]:
    """The serializer of a dataclass.

    name: its name in the API's description; by default that of the dataclass.
    """
    values = {"dataclass": kind, "optional": optional, "is_query": is_query}
    return type(
        name or kind.__name__, (DataclassSerializer,), {**values, "__module__": kind.__module__}
    )


def value_of(kind: type[Kind], values: Mapping[str, object]) -> Kind:
    """The dataclass object of validated values; what is absent has the dataclass's default."""
    names = {one.name for one in bounded_fields(kind)}
    made: Kind = from_json(kind, {name: values[name] for name in values.keys() & names})
    return made


def _of_type(kind: object, bound: object, options: SerializerFieldOptions) -> Field:
    """A field for a value of the type `kind`."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return serializer_of(kind, name=_part_name(kind))(**options)
    if get_origin(kind) is tuple:
        return _list(kind, bound, options)
    if kind is bool:
        return Flag(**options)
    if (choices := choices_of(kind, bound)) is not None:
        return serializers.ChoiceField([name for name, _ in choices], **options)
    if isinstance(bound, Text):
        return text_field(bound, **options)
    assert isinstance(bound, Number)
    if kind is str:
        return DecimalText(bound, **options)
    return real_field(bound, **options) if kind is float else whole_field(bound, **options)


def _part_name(kind: type) -> str:
    """The name of a nested object in the API's description."""
    return f"{kind.__name__.removesuffix('Rules')}Part"


def _list(kind: object, bound: object, options: SerializerFieldOptions) -> Field:
    entry = get_args(kind)[0]
    if not isinstance(bound, Items):  # a fixed length; the entries are checked later
        length = len(get_args(kind))
        return serializers.ListField(
            child=serializers.JSONField(), min_length=length, max_length=length, **options
        )
    child = _of_type(entry, bound.each, {})
    return serializers.ListField(
        child=child, min_length=bound.min_items or None, max_length=bound.max_items, **options
    )


class DecimalText(serializers.DecimalField):
    """A decimal number of at most two decimals within `bound`; the value is its text."""

    def __init__(self, bound: Number, **options: Unpack[SerializerFieldOptions]) -> None:
        digits = len(str(int(bound.maximum))) + 2
        low, high = (Decimal(one) for one in (bound.minimum, bound.maximum))
        super().__init__(digits, 2, min_value=low, max_value=high, **options)

    def run_validation(self, data: object = empty) -> str | None:
        value = super().run_validation(data)
        return None if value is None else str(value)


def whole_field(
    bound: Number, **options: Unpack[SerializerFieldOptions]
) -> serializers.IntegerField:
    """A field for a whole number within `bound`."""
    low, high = (None if one is None else int(one) for one in bound.limits)
    return serializers.IntegerField(min_value=low, max_value=high, **options)


def real_field(bound: Number, **options: Unpack[SerializerFieldOptions]) -> serializers.FloatField:
    """A field for a number within `bound`."""
    low, high = bound.limits
    return serializers.FloatField(min_value=low, max_value=high, **options)


def text_field(bound: Text, **options: Unpack[SerializerFieldOptions]) -> serializers.CharField:
    """A field for a text within `bound`."""
    limits: TextLimits = {
        "allow_blank": not bound.required,
        "max_length": bound.max_chars,
        "trim_whitespace": not bound.exact,
    }
    if bound.format == "email":
        return serializers.EmailField(**limits, **options)
    if not bound.pattern:
        return serializers.CharField(**limits, **options)
    return serializers.RegexField(bound.pattern, **limits, **options)


def _default(value: object) -> SerializerFieldOptions:
    """The options of an optional field with this default value."""
    if dataclasses.is_dataclass(value):
        return {"required": False}
    if isinstance(value, tuple):
        return {"default": lambda: _as_json(value)} if value else {"default": list}
    return {"default": value}


def _as_json(value: tuple[object, ...]) -> list[object]:
    return [
        dataclasses.asdict(one)
        if dataclasses.is_dataclass(one) and not isinstance(one, type)
        else one
        for one in value
    ]
