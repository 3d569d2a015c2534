"""Forms for uploading candidates and for adding a minimal pair."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.studies import csv_intake, intake
from annotation.studies.models import StudyInstance
from annotation.studies.services.uploads import CSV, UPLOAD_BYTES, USES
from concord.formats import Limits
from concord.protocols.protocol import MAX_DRAWN_QUESTIONS
from core.column_bounds import max_length

FORMATS = {"concord": "Concord JSON Lines", CSV: "CSV with a header"}


class UploadForm(forms.Form):
    """A file and its use. `clean` chooses the format by the file's name if it is empty."""

    file = forms.FileField(label="File", help_text=f"At most {UPLOAD_BYTES // 2**20} MB, UTF-8.")
    format = forms.ChoiceField(label="Format", required=False)
    use = forms.ChoiceField(label="Contents", choices=list(USES.items()))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["format"]
        assert isinstance(field, forms.ChoiceField)
        names = [*intake.FORMATS, CSV]
        field.choices = [("", "By the file's name")] + [
            (name, FORMATS.get(name, name)) for name in names
        ]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > UPLOAD_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size / 2**20:.0f} MB; at most {UPLOAD_BYTES // 2**20} MB are "
                "allowed. Split the file and upload the parts one after the other."
            )
        return file

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not values.get("format") and values.get("file"):
            name = values["file"].name.casefold()
            values["format"] = CSV if name.endswith((".csv", ".tsv", ".txt")) else "concord"
        return values


class ColumnsForm(forms.Form):
    """The meaning of each column of a CSV."""

    def __init__(self, *args: Any, header: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        guesses = csv_intake.guess_meanings(header)
        choices = [("", "Ignore column"), *((name, name) for name in csv_intake.MEANINGS)]
        for index, (name, guess) in enumerate(zip(header, guesses, strict=True)):
            self.fields[f"column_{index}"] = forms.ChoiceField(
                label=name, choices=choices, required=False, initial=guess
            )

    def meanings(self) -> list[str]:
        return [self.cleaned_data[f"column_{index}"] for index in range(len(self.fields))]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not self.errors:
            for problem in csv_intake.mapping_problems(self.meanings()):
                self.add_error(None, problem)
        return values


class ImportForm(forms.Form):
    """Options for the import of an upload.

    Span-based constituents may have another number of ratings. `draw_questions` is the number of
    questions to rate.
    """

    span_based = forms.MultipleChoiceField(
        label="Span-based constituents", required=False, widget=forms.CheckboxSelectMultiple
    )
    draw_questions = forms.IntegerField(
        label="Number of questions to rate, selected at random",
        min_value=1,
        max_value=MAX_DRAWN_QUESTIONS,
        required=False,
        help_text="Total number, including those already in the study. Empty: all.",
    )

    def __init__(self, *args: Any, constituents: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["span_based"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(name, name) for name in constituents]


class PairForm(forms.Form):
    """A minimal pair entered on the page."""

    instance = forms.CharField(
        label="Instance",
        max_length=max_length(StudyInstance, "key"),
        help_text="The key of an instance in the table below.",
    )
    better = forms.CharField(
        label="Better answer",
        max_length=Limits.max_field_chars,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    worse = forms.CharField(
        label="Worse answer",
        max_length=Limits.max_field_chars,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    phenomenon = forms.CharField(
        label="Phenomenon",
        max_length=Limits.max_name_chars,
        required=False,
        help_text="For example, negation or syntax.",
    )
