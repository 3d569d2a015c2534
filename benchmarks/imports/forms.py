"""What people fill in to bring judgments in as a set."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import RegexValidator

from benchmarks.imports.services import Given
from benchmarks.imports.services.requests import MAX_DESCRIPTION, MAX_SYSTEMS, REFERENCES
from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from benchmarks.sets.services.importing import About
from concord.formats import JUDGMENT_FORMATS, Limits, ReadOptions
from core.column_bounds import max_length
from core.pages.bounded_fields import whole_number

OPTIONS = ("systems", "references", "criterion", "reference_system", "split", "constituent")


LEFT_OUT = "Leave it out to import minimal pairs alone."


class SetImportForm(forms.Form):
    """A file of judgments, what the set is called, and what some formats need to be told.

    A file of minimal pairs alone gives the set's latest version other pairs.
    """

    file = forms.FileField(label="File of judgments", required=False)
    format = forms.ChoiceField(
        choices=[("", "Choose one"), *((name, name) for name in JUDGMENT_FORMATS)]
    )
    name = forms.CharField(
        max_length=max_length(JudgmentSet, "name"),
        validators=[
            RegexValidator(
                rf"^{NAME_PATTERN}\Z",
                "These are allowed: small letters, digits, periods, hyphens and underscores, a "
                "letter or digit first.",
            )
        ],
        help_text="The set's. Under a name that exists, the file becomes its next version.",
    )
    title = forms.CharField(max_length=max_length(JudgmentSet, "title"), required=False)
    description = forms.CharField(
        max_length=MAX_DESCRIPTION, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    pairs = forms.FileField(
        required=False,
        label="Minimal pairs",
        help_text="A file of the same format. Alone, it makes the next version of a set, "
        "with these pairs in place of its own.",
    )
    add = forms.BooleanField(
        required=False,
        label="Add to the set",
        help_text="The next version keeps what the set holds and has this file's candidates "
        "besides.",
    )
    illustrative = forms.BooleanField(
        required=False, help_text="Nobody's judgments: made to show something."
    )
    systems = forms.CharField(
        required=False,
        help_text="kpqa: names of the file's equal parts, apart by commas.",
    )
    references = whole_number(REFERENCES, "References", "kpqa: the first so many.")
    criterion = forms.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text="thumb, squality: which judged quality.",
    )
    reference_system = forms.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text="thumb, squality: whose answer is the reference.",
    )
    split = forms.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text="Of instances that the file says none of.",
    )
    constituent = forms.CharField(
        required=False, max_length=Limits.max_name_chars, help_text="Likewise."
    )
    first = ("file", "format", "name", "title", "description")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        most = settings.UPLOAD_MAX_BYTES / 2**20
        self.fields["file"].help_text = f"Text in UTF-8, at most {most:.0f} MB. {LEFT_OUT}"

    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.first]

    def further_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in self.first]

    def clean_systems(self) -> tuple[str, ...]:
        text = self.cleaned_data["systems"]
        # A name that is empty stays: the reader counts the parts of the file by the names.
        names = tuple(name.strip() for name in text.split(",")) if text else ()
        if len(names) > MAX_SYSTEMS:
            raise forms.ValidationError(f"There are {len(names)} names; at most {MAX_SYSTEMS}.")
        return names

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if {"file", "pairs"} & self.errors.keys() or values.get("file"):
            return values
        if not values.get("pairs"):
            self.add_error("file", "Choose a file.")
        else:
            for name in ("title", "description", "add", "illustrative", *OPTIONS):
                if values.get(name):
                    self.add_error(name, "This goes with a file of judgments.")
        return values

    def given(self) -> Given:
        """What a valid form asks for besides its files."""
        values = self.cleaned_data
        options = {name: values[name] for name in OPTIONS if values[name]}
        told = (values["title"], values["description"], values["illustrative"])
        return Given(ReadOptions(**options), values["add"], About(*told) if any(told) else None)
