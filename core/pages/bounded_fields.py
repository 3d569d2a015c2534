"""Form fields with the bounds of dataclass fields (`concord.bounds`)."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal
from typing import Unpack, get_args

from django import forms

from concord.bounds import (
    REQUIRED,
    BoundedField,
    Items,
    Number,
    Text,
    bounded_fields,
    choices_of,
    find_value_problems,
)
from concord.sentences import to_sentence
from core.pages.options import FieldOptions

EXAMPLES = {int: "1, 2, 3", float: "0.0005, 0.001"}


def field_of(kind: type, name: str) -> forms.Field:
    """The form field of a dataclass's field, for a form that has it under another name.

    It has no help text.
    """
    (one,) = (one for one in bounded_fields(kind) if one.name == name)
    return form_field(dataclasses.replace(one, help=""))


def form_field(
    one: BoundedField,
    *,
    optional: bool = False,
    rows: int = 3,
    widget: forms.Widget | None = None,
) -> forms.Field:
    """The form field of a dataclass's field.

    optional: it may be left empty although the dataclass's field may not. rows: the height of a
    text of several lines. widget: in place of the usual one.
    """
    kind, bound = one.type, one.bound
    options: FieldOptions = {
        "label": one.label or None,
        "help_text": one.help,
        "required": not (optional or one.nullable or kind is bool),
    }
    if isinstance(one.default, int | float) or (one.default and not one.is_required):
        options["initial"] = one.default
    if widget is not None:
        options["widget"] = widget
    if kind is bool:
        options["initial"] = one.default or None
        return forms.BooleanField(**options)
    if (choices := choices_of(kind, bound)) is not None:
        options["required"] &= "" not in dict(choices)
        if kind is int:
            return forms.TypedChoiceField(choices=choices, coerce=int, **options)
        return forms.ChoiceField(choices=choices, **options)
    if isinstance(bound, Text):
        return _text(bound, rows, options)
    if kind is str:
        low, high = bound.limits
        return DecimalTextField(min_value=low, max_value=high, decimal_places=2, **options)
    if isinstance(bound, Items):
        return _entries(kind, bound, rows, options)
    if bound.unit:
        field = DollarsField if bound.unit == "cents" else PercentField
        return field(bound, **options)
    make = real_number if kind is float else whole_number
    return make(bound, one.label or None, one.help, **options)


def whole_number(
    bound: Number,
    label: str | None,
    help: str = "",
    /,
    **options: Unpack[FieldOptions],
) -> forms.IntegerField:
    low, high = (None if one is None else int(one) for one in bound.limits)
    return forms.IntegerField(min_value=low, max_value=high, **_described(label, help, options))


def real_number(
    bound: Number,
    label: str | None,
    help: str = "",
    /,
    **options: Unpack[FieldOptions],
) -> forms.FloatField:
    low, high = bound.limits
    options.setdefault("widget", forms.NumberInput(attrs={"step": "any"}))
    return forms.FloatField(min_value=low, max_value=high, **_described(label, help, options))


def _described(label: str | None, help: str, options: FieldOptions) -> FieldOptions:
    """The options with a label and a help text; the field may be empty unless they say so."""
    return {"required": False, **options, "label": label, "help_text": help}


def line(bound: Text, label: str, help: str = "", *, required: bool = False) -> forms.CharField:
    """A field for one line of text."""
    return forms.CharField(
        label=label,
        max_length=bound.max_chars,
        required=required,
        help_text=help,
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )


def _text(bound: Text, rows: int, options: FieldOptions) -> forms.CharField:
    length, strip = bound.max_chars, not bound.exact
    options["required"] = options["required"] and bool(bound.required)
    options = _with_message(bound.required, options)
    if bound.format == "email":
        return forms.EmailField(max_length=length, **options)
    if bound.format:
        return forms.URLField(assume_scheme="https", max_length=length, **options)
    attrs = {"dir": "auto"}
    widget = forms.Textarea(attrs | {"rows": rows}) if bound.multiline else forms.TextInput(attrs)
    options.setdefault("widget", widget)
    if not bound.pattern:
        return forms.CharField(max_length=length, strip=strip, **options)
    if bound.pattern_help:
        options.setdefault("error_messages", {})["invalid"] = bound.pattern_help
    return forms.RegexField(bound.pattern, max_length=length, strip=strip, **options)


def _entries(kind: type, bound: Items, rows: int, options: FieldOptions) -> forms.Field:
    options["required"] = options["required"] and bool(bound.required or bound.min_items)
    options = _with_message(bound.required, options)
    if (choices := choices_of(get_args(kind)[0], bound.each)) is not None:
        return ChoicesField(choices=choices, **options)
    return EntriesField(kind, bound, rows, **options)


def _with_message(required: str, options: FieldOptions) -> FieldOptions:
    """The options with the error message for a missing value."""
    if required not in ("", REQUIRED):
        options["error_messages"] = {"required": to_sentence(required)}
    return options


def entered(one: BoundedField, value: object) -> object:
    """A value of a dataclass's field as the initial value of its form field."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if one.bound.unit == "cents":
        return f"{dollars_of(int(value)):.2f}"
    if one.bound.unit == "share":
        return shown(percent_of(value))
    return shown(value) if one.type is float else value


class EntriesField(forms.CharField):
    """A field for a list: an entry a line, or entries apart by commas; words also by spaces. The
    value is a tuple.

    Blank entries are left out unless the bound of an entry is that of a text that may be blank.
    """

    def __init__(
        self, kind: type, bound: Items, rows: int = 3, **options: Unpack[FieldOptions]
    ) -> None:
        lines = bound.separator == "\n"
        widget = forms.Textarea(attrs={"rows": rows}) if lines else forms.TextInput()
        widget.attrs["dir"] = "auto"
        options.setdefault("widget", widget)
        super().__init__(**options)
        self.kind, self.bound, self.entry = kind, bound, get_args(kind)[0]

    def prepare_value(self, value: object) -> object:
        if not isinstance(value, list | tuple):
            return value
        separator = "\n" if self.bound.separator == "\n" else ", "
        return separator.join(map(str, value))

    def clean(self, value: object) -> tuple[object, ...]:
        text = super().clean(value)
        separator = r"\r\n|\r|\n" if self.bound.separator == "\n" else ","
        if isinstance(self.bound.each, Text) and self.bound.each.word:
            separator = r"[,\s]"
        parts = re.split(separator, text)
        names = [part.strip() for part in parts] if text else []
        if not isinstance(self.bound.each, Text) or self.bound.each.required:
            names = [name for name in names if name]
        try:
            entries = tuple(self.entry(name) for name in names)
        except ValueError as error:
            example = EXAMPLES[self.entry]
            raise forms.ValidationError(
                f"Enter numbers separated by commas, such as {example}."
            ) from error
        if self.required and not entries:
            raise forms.ValidationError(self.error_messages["required"], "required")
        if entries and (problems := find_value_problems(entries, self.kind, self.bound)):
            raise forms.ValidationError(to_sentence(problems[0]))
        return entries


class ChoicesField(forms.MultipleChoiceField):
    """A field for some of several names, as boxes to tick. The value is a tuple."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: object) -> tuple[str, ...]:
        return tuple(super().clean(value))


class DecimalTextField(forms.DecimalField):
    """A field for a decimal number; `cleaned_data` has its text."""

    def clean(self, value: object) -> str | None:
        number = super().clean(value)
        return None if number is None else str(number)


class PercentField(forms.DecimalField):
    """A field for per cent; `cleaned_data` has a share between 0 and 1."""

    def __init__(self, bound: Number, **options: Unpack[FieldOptions]) -> None:
        options.setdefault("widget", forms.NumberInput(attrs={"step": "any"}))
        super().__init__(
            min_value=percent_of(bound.minimum),
            max_value=percent_of(bound.maximum),
            **options,
        )

    def clean(self, value: object) -> float | None:
        percent = super().clean(value)
        return None if percent is None else share_of(percent)


class DollarsField(forms.DecimalField):
    """A field for dollars; `cleaned_data` and `bound` are in cents."""

    def __init__(self, bound: Number, **options: Unpack[FieldOptions]) -> None:
        super().__init__(
            min_value=dollars_of(int(bound.minimum)),
            max_value=dollars_of(int(bound.maximum)),
            decimal_places=2,
            **options,
        )

    def clean(self, value: object) -> int | None:
        amount = super().clean(value)
        return None if amount is None else int(amount.scaleb(2))


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
