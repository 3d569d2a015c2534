"""A page's query, checked: every field may be absent and then has its default."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from core.pages.errors import UnknownChoiceError


class QueryForm(forms.Form):
    """A page's query. Every field may be absent and then has its default."""

    @classmethod
    def read(cls, query: QueryDict, **options: Any) -> dict[str, Any]:
        """The query's values; raises UnknownChoiceError for one that a field does not allow."""
        form = cls(query, **options)
        if not form.is_valid():
            field, messages = next(iter(form.errors.items()))
            raise UnknownChoiceError(f"{field}: {' '.join(map(str, messages))}")
        return form.cleaned_data | {
            name: field.initial
            for name, field in form.fields.items()
            if form.cleaned_data[name] in ("", None) and field.initial is not None
        }


def choice(*allowed: str, default: str) -> forms.ChoiceField:
    """A field that takes one of some words."""
    return forms.ChoiceField(
        choices=[(name, name) for name in allowed],
        required=False,
        initial=default,
        error_messages={
            "invalid_choice": f"there is no “%(value)s”; there are {', '.join(allowed)}."
        },
    )


def text() -> forms.CharField:
    """A field that takes any short text."""
    return forms.CharField(required=False, max_length=500, strip=False)
