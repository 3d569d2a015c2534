"""Form fields with the bounds of dataclass fields (`concord.bounds`)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms

from concord.bounds import Number, Text


def whole_number(
    bound: Number, label: str, help: str = "", *, required: bool = False, **options: Any
) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=int(bound.minimum),
        max_value=int(bound.maximum),
        required=required,
        help_text=help,
        **options,
    )


def real_number(
    bound: Number, label: str, help: str = "", *, required: bool = False
) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        min_value=bound.minimum,
        max_value=bound.maximum,
        required=required,
        help_text=help,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


class PercentField(forms.DecimalField):
    """A field for per cent; `cleaned_data` has a share between 0 and 1."""

    def __init__(self, bound: Number, **options: Any) -> None:
        super().__init__(
            min_value=percent_of(bound.minimum),
            max_value=percent_of(bound.maximum),
            widget=forms.NumberInput(attrs={"step": "any"}),
            **options,
        )

    def clean(self, value: Any) -> float | None:
        percent = super().clean(value)
        return None if percent is None else share_of(percent)


class DollarsField(forms.DecimalField):
    """A field for dollars; `cleaned_data` and `bound` are in cents."""

    def __init__(self, bound: Number, **options: Any) -> None:
        super().__init__(
            min_value=dollars_of(int(bound.minimum)),
            max_value=dollars_of(int(bound.maximum)),
            decimal_places=2,
            **options,
        )

    def clean(self, value: Any) -> int | None:
        amount = super().clean(value)
        return None if amount is None else int(amount.scaleb(2))


def line(bound: Text, label: str, help: str = "", *, required: bool = False) -> forms.CharField:
    """A field for one line of text."""
    return forms.CharField(
        label=label,
        max_length=bound.max_chars,
        required=required,
        help_text=help,
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )


def percent_of(share: float) -> Decimal:
    """A share in per cent, exactly: 0.07 is 7, not 7.000000000000001."""
    return Decimal(repr(share)).scaleb(2)


def share_of(percent: Decimal) -> float:
    """The inverse of `percent_of`."""
    return float(percent.scaleb(-2))


def dollars_of(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2)


def shown(value: float | Decimal) -> str:
    """A number as text, exactly and without trailing zeros."""
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    return f"{exact.normalize():f}" if exact else "0"
