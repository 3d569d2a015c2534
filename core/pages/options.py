"""Types of the keyword arguments of Django's forms and form fields."""

from __future__ import annotations

from typing import Any, TypedDict

from django import forms


class FieldOptions(TypedDict, total=False):
    """Keyword arguments that all form fields take."""

    label: str | None
    help_text: str
    required: bool
    initial: object
    widget: forms.Widget
    error_messages: dict[str, str]
    disabled: bool


class FormOptions(TypedDict, total=False):
    """Keyword arguments of forms besides `data` and `files`."""

    prefix: str
    initial: dict[str, Any] | None  # as Django declares it
