"""Forms that validate the query parameters of pages."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any, Unpack

from django import forms
from django.http import QueryDict

from concord.bounds import bounded_fields
from core.pages.bounded_fields import form_field
from core.pages.options import FieldOptions, FormOptions
from core.refusals import RefusedError

# The values of a valid form, as Django declares them: each has the type of its field.
FormValues = dict[str, Any]


def row_number(text: str) -> int | None:
    """The number of a row in a query or form; None for another text, or one of too many digits."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


class QueryForm(forms.Form):
    """The query parameters of a page. All are optional and have defaults."""

    def __init__(self, data: QueryDict | None = None, **options: Unpack[FormOptions]) -> None:
        super().__init__(data, **options)
        for field in self.fields.values():
            field.required = False
            if type(field) is forms.ChoiceField:
                names = ", ".join(str(name) for name, _ in field.widget.choices if name)
                field.error_messages["invalid_choice"] = f"“%(value)s” is not one of {names}."

    @classmethod
    def read(cls, query: QueryDict) -> FormValues:
        """The validated values. Raises RefusedError for an invalid one."""
        form = cls(query)
        if not form.is_valid():
            field, messages = next(iter(form.errors.items()))
            raise RefusedError(f"{field}: {' '.join(map(str, messages))}", "query-invalid")
        return form.cleaned_data | {
            name: field.initial
            for name, field in form.fields.items()
            if form.cleaned_data[name] in ("", None) and field.initial is not None
        }


def choice(*allowed: str, default: str) -> forms.ChoiceField:
    """A parameter with one of the allowed values."""
    return forms.ChoiceField(
        choices=[(name, name) for name in allowed],
        required=False,
        initial=default,
    )


def text(max_length: int = 500, **options: Unpack[FieldOptions]) -> forms.CharField:
    """A parameter with any short text."""
    options["required"] = False
    return forms.CharField(max_length=max_length, strip=False, **options)


def parameter_fields(dataclass: type, *, omit: Container[str] = ()) -> dict[str, forms.Field]:
    """The query parameters with the bounds and defaults of the fields of a dataclass."""
    return {
        one.name: form_field(one, optional=True)
        for one in bounded_fields(dataclass)
        if one.name not in omit
    }
