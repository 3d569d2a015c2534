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
    """A body with the fields of `dataclass`: their types, bounds, defaults and descriptions.

    parts: the serializer of each dataclass within it. A subclass without a docstring is described
    by the dataclass's.
    """

    dataclass: ClassVar[type]
    parts: ClassVar[Mapping[type, type[DataclassSerializer]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = cls.__dict__.get("__doc__") or cls.dataclass.__doc__

    def get_fields(self) -> dict[str, Field]:
        return {one.name: self._field(one) for one in bounded_fields(self.dataclass)}

    def _field(self, one: BoundedField) -> Field:
        about: dict[str, Any] = {}
        if one.nullable:
            about["allow_null"] = True
        if one.help:
            about["help_text"] = one.help
        if one.default is not dataclasses.MISSING:
            about |= _default(one.default)
        return self._of_type(one.type, one.bound, about)

    def _of_type(self, kind: Any, bound: Any, about: dict[str, Any]) -> Field:
        """A field for a value of the type `kind`."""
        if kind in self.parts:
            return self.parts[kind](**about)
        if get_origin(kind) is tuple:
            return self._list(kind, bound, about)
        if kind is bool:
            return Flag(**about)
        if isinstance(bound, Text):
            return text_field(bound, **about)
        if isinstance(bound, Number):
            return whole_field(bound, **about) if kind is int else real_field(bound, **about)
        return serializers.ChoiceField(get_args(kind), **about)

    def _list(self, kind: Any, bound: Any, about: dict[str, Any]) -> Field:
        entry = get_args(kind)[0]
        if not isinstance(bound, Items):  # of a fixed length; its places are checked afterwards
            length = len(get_args(kind))
            about |= {"min_length": length, "max_length": length}
            return serializers.ListField(child=serializers.JSONField(), **about)
        child = self._of_type(entry, bound.each, {})
        if bound.min_items:
            about["min_length"] = bound.min_items
        return serializers.ListField(child=child, max_length=bound.max_items, **about)


def whole_field(bound: Number, **about: Any) -> serializers.IntegerField:
    """A field for a whole number within `bound`."""
    return serializers.IntegerField(
        min_value=int(bound.minimum), max_value=int(bound.maximum), **about
    )


def real_field(bound: Number, **about: Any) -> serializers.FloatField:
    """A field for a number within `bound`."""
    return serializers.FloatField(min_value=bound.minimum, max_value=bound.maximum, **about)


def text_field(bound: Text, **about: Any) -> serializers.CharField:
    """A field for a text within `bound`."""
    if not bound.required:
        about["allow_blank"] = True
    return serializers.CharField(
        max_length=bound.max_chars, trim_whitespace=not bound.multiline, **about
    )


def _default(value: Any) -> dict[str, Any]:
    """What makes a field optional, for a default value of the dataclass."""
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
