"""Request bodies derived from dataclasses with bounds (`concord.bounds`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, get_args, get_origin

from rest_framework import serializers

from concord.bounds import BoundedField, Items, Number, Text, bounded_fields
from core.rest.serializers import Flag, Strict

Field = serializers.Field[Any, Any, Any, Any]


class DataclassSerializer(Strict):
    """A body with the fields of `dataclass`: their types, bounds, defaults and help texts.

    parts: the serializers of nested dataclasses. A subclass without a docstring has that of the
    dataclass.
    """

    dataclass: ClassVar[type]
    parts: ClassVar[Mapping[type, type[DataclassSerializer]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = cls.__dict__.get("__doc__") or cls.dataclass.__doc__

    def get_fields(self) -> dict[str, Field]:
        return {one.name: self._field(one) for one in bounded_fields(self.dataclass)}

    def _field(self, one: BoundedField) -> Field:
        options: dict[str, Any] = {}
        if one.nullable:
            options["allow_null"] = True
        if one.help:
            options["help_text"] = one.help
        if one.default is not dataclasses.MISSING:
            options |= _default(one.default)
        return self._of_type(one.type, one.bound, options)

    def _of_type(self, kind: Any, bound: Any, options: dict[str, Any]) -> Field:
        """A field for a value of the type `kind`."""
        if kind in self.parts:
            return self.parts[kind](**options)
        if get_origin(kind) is tuple:
            return self._list(kind, bound, options)
        if kind is bool:
            return Flag(**options)
        if isinstance(bound, Text):
            return text_field(bound, **options)
        if isinstance(bound, Number):
            return whole_field(bound, **options) if kind is int else real_field(bound, **options)
        return serializers.ChoiceField(get_args(kind), **options)

    def _list(self, kind: Any, bound: Any, options: dict[str, Any]) -> Field:
        entry = get_args(kind)[0]
        if not isinstance(bound, Items):  # a fixed length; the entries are checked later
            length = len(get_args(kind))
            options |= {"min_length": length, "max_length": length}
            return serializers.ListField(child=serializers.JSONField(), **options)
        child = self._of_type(entry, bound.each, {})
        if bound.min_items:
            options["min_length"] = bound.min_items
        return serializers.ListField(child=child, max_length=bound.max_items, **options)


def whole_field(bound: Number, **options: Any) -> serializers.IntegerField:
    """A field for a whole number within `bound`."""
    return serializers.IntegerField(
        min_value=int(bound.minimum), max_value=int(bound.maximum), **options
    )


def real_field(bound: Number, **options: Any) -> serializers.FloatField:
    """A field for a number within `bound`."""
    return serializers.FloatField(min_value=bound.minimum, max_value=bound.maximum, **options)


def text_field(bound: Text, **options: Any) -> serializers.CharField:
    """A field for a text within `bound`."""
    if not bound.required:
        options["allow_blank"] = True
    return serializers.CharField(
        max_length=bound.max_chars, trim_whitespace=not bound.multiline, **options
    )


def _default(value: Any) -> dict[str, Any]:
    """The options of an optional field with this default value."""
    if dataclasses.is_dataclass(value):
        return {"required": False}
    if isinstance(value, tuple):
        return {"default": lambda: _as_json(value)} if value else {"default": list}
    return {"default": value}


def _as_json(value: tuple[Any, ...]) -> list[Any]:
    return [
        dataclasses.asdict(one)
        if dataclasses.is_dataclass(one) and not isinstance(one, type)
        else one
        for one in value
    ]
