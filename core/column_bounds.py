"""Bounds of database columns, for forms and the API."""

from __future__ import annotations

from django.db import models


def max_length(model: type[models.Model], name: str) -> int:
    """The maximum number of characters of a column."""
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field) and field.max_length is not None, name
    return field.max_length
