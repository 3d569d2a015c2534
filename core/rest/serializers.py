"""Base classes of request bodies and queries. Unknown fields are errors."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from core.rest.problems import RequestInvalidError

# Of any values: a serializer's fields have different ones.
Field = serializers.Field[Any, Any, Any, Any]
# The Python types of JSON values by field. Values in forms and queries are always text.
JSON_TYPES: tuple[tuple[type[Field], tuple[type, ...], str], ...] = (
    (serializers.BooleanField, (bool,), "true or false"),
    (serializers.IntegerField, (int,), "a whole number"),
    (serializers.FloatField, (int, float), "a number"),
    (serializers.ChoiceField, (str,), "a text"),
    (serializers.CharField, (str,), "a text"),
)


# A validated body or query, as DRF declares it: each value has the type of its field.
ValidatedData = dict[str, Any]


class Strict(serializers.Serializer[Any]):  # it serializes no object
    """A request body or query. A field that is not declared is an error.

    With `native` in the context the data come from JSON, and each value must have its field's type.
    """

    def to_internal_value(self, data: Any) -> Any:  # noqa: ANN401 - as DRF declares it
        if self.context.get("native") and isinstance(data, dict):
            self._check_types(data)
        validated = super().to_internal_value(data)
        unknown = sorted(set(data) - set(self.fields))
        if unknown:
            message = f"Unknown field. Known fields: {', '.join(self.fields) or 'none'}."
            raise serializers.ValidationError({name: [message] for name in unknown})
        return validated

    def _check_types(self, data: dict[str, object]) -> None:
        wrong = {}
        for name, value in data.items():
            field = self.fields.get(name)
            if isinstance(field, serializers.ListField) and isinstance(value, list):
                expected = _expected_type(field.child, value)
            else:
                expected = _expected_type(field, [value])
            if expected:
                wrong[name] = [f"This must be {expected}."]
        if wrong:
            raise serializers.ValidationError(wrong)


def _expected_type(field: object, values: list[object]) -> str | None:
    """The type that the field expects, in words, if one of the values has another one; else None.

    Null is not checked here: the field itself does.
    """
    for field_class, types, name in JSON_TYPES:
        if isinstance(field, field_class):
            is_valid = all(
                isinstance(value, types) and (bool in types or not isinstance(value, bool))
                for value in values
                if value is not None
            )
            return None if is_valid else name
    return None


class Flag(serializers.BooleanField):
    """A boolean field that accepts only true and false, no other spellings."""

    TRUE_VALUES = {"true", True}
    FALSE_VALUES = {"false", False}
    NULL_VALUES: set[str | None] = {None}


# kind: a serializer of no object, so that its type does not matter.
def parse_query(query: QueryDict, kind: type[serializers.Serializer[Any]]) -> ValidatedData:
    """The query parameters as a dict; a parameter that is no list may occur once.

    Raises RequestInvalidError.
    """
    fields = getattr(kind(), "fields", {})
    lists = {name for name in fields if isinstance(fields[name], serializers.ListField)}
    repeated = [name for name, values in query.lists() if name not in lists and len(values) > 1]
    if repeated:
        raise RequestInvalidError({name: ["Give this parameter only once."] for name in repeated})
    return {name: values if name in lists else values[0] for name, values in query.lists()}


class Paged(Strict):
    """The query parameters of every list."""

    limit = serializers.IntegerField(
        min_value=1,
        max_value=200,
        required=False,
        help_text="Maximum number of rows; 50 by default.",
    )
    cursor = serializers.CharField(
        required=False, max_length=2000, help_text="Cursor from `next` of the previous page."
    )
