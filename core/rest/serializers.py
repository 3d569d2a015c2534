"""Base classes of request bodies and queries. Unknown fields are errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import QueryDict
from rest_framework import serializers

from core.rest.problems import RequestInvalidError
from core.rest.renaming import apply_new_names

# Of JSON, where a number is no text; forms and addresses have nothing but text.
NATIVE: tuple[tuple[type[serializers.Field[Any, Any, Any, Any]], tuple[type, ...], str], ...] = (
    (serializers.BooleanField, (bool,), "true or false"),
    (serializers.IntegerField, (int,), "a whole number"),
    (serializers.FloatField, (int, float), "a number"),
    (serializers.ChoiceField, (str,), "a text"),
    (serializers.CharField, (str,), "a text"),
)


class Strict(serializers.Serializer[Any]):
    """A request body or query. A field that is not declared is an error.

    With `native` in the context the data come from JSON, and each value must have its field's type.

    renamed: old names of fields that are still accepted, each with its new name.
    """

    renamed: ClassVar[Mapping[str, str]] = {}

    def to_internal_value(self, data: Any) -> Any:
        data = self._with_new_names(data)
        if self.context.get("native") and isinstance(data, dict):
            self._refuse_other_kinds(data)
        known = super().to_internal_value(data)
        unknown = sorted(set(data) - set(self.fields))
        if unknown:
            message = f"There is no such field; there are: {', '.join(self.fields) or 'none'}."
            raise serializers.ValidationError({name: [message] for name in unknown})
        return known

    def _with_new_names(self, data: Any) -> Any:
        changed = apply_new_names(data, self.renamed)
        if changed is not data and (view := self.context.get("view")):
            view.uses_old_names = True
        return changed

    def _refuse_other_kinds(self, data: dict[str, Any]) -> None:
        wrong = {}
        for name, value in data.items():
            field: Any = self.fields.get(name)
            listed = isinstance(field, serializers.ListField) and isinstance(value, list)
            told = _other_kind(field.child if listed else field, value if listed else [value])
            if told:
                wrong[name] = [f"Give {told}."]
        if wrong:
            raise serializers.ValidationError(wrong)


def _other_kind(field: Any, values: list[Any]) -> str | None:
    """What the field takes, where one of the values is of another kind; whether null is taken, the
    field itself says."""
    for kind, native, told in NATIVE:
        if isinstance(field, kind):
            given = [one for one in values if one is not None]
            fits = all(
                isinstance(one, native) and (bool in native or not isinstance(one, bool))
                for one in given
            )
            return None if fits else told
    return None


class Flag(serializers.BooleanField):
    """true or false, and none of the other words that forms have for them."""

    TRUE_VALUES = {"true", True}
    FALSE_VALUES = {"false", False}
    NULL_VALUES: set[Any] = {None}


def singled(query: QueryDict, kind: type[serializers.BaseSerializer[Any]]) -> dict[str, Any]:
    """A query's parameters, each once unless it is a list. Raises RequestInvalidError."""
    fields = getattr(kind(), "fields", {})
    lists = {name for name in fields if isinstance(fields[name], serializers.ListField)}
    lists |= {old for old, new in getattr(kind, "renamed", {}).items() if new in lists}
    twice = [name for name, values in query.lists() if name not in lists and len(values) > 1]
    if twice:
        raise RequestInvalidError({name: ["It is there twice."] for name in twice})
    return {name: values if name in lists else values[0] for name, values in query.lists()}


class Paged(Strict):
    """What every list takes."""

    limit = serializers.IntegerField(
        min_value=1, max_value=200, required=False, help_text="How many at most; 50 by default."
    )
    cursor = serializers.CharField(
        required=False, max_length=2000, help_text="From `next` of the page before."
    )


class FaultDocument(serializers.Serializer[Any]):
    """One thing that is wrong with a request."""

    field = serializers.CharField(help_text="Path of the field; empty for the whole.")
    detail = serializers.CharField()
    file = serializers.CharField(required=False, help_text="The uploaded file at fault.")
    line = serializers.IntegerField(required=False, allow_null=True)


class ProblemDocument(serializers.Serializer[Any]):
    """RFC 9457: what went wrong, and what to do next."""

    type = serializers.CharField(help_text="Address of the description of this kind of problem.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField(help_text="The address that was asked.")
    request_id = serializers.CharField(help_text="Quote it when you report the problem.")
    errors = FaultDocument(many=True, required=False)  # type: ignore[assignment]
