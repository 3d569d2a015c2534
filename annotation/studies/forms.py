"""Forms for uploading candidates and for adding a minimal pair."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.studies import intake
from annotation.studies.models import StudyInstance
from annotation.studies.services.uploads import UPLOAD_BYTES, USES
from concord.formats import Limits
from concord.protocols.protocol import MAX_DRAWN_QUESTIONS
from core.column_bounds import max_length

FORMATS = {
    intake.CONCORD: "Concord JSON Lines or Parquet",
    "csv": "Table: CSV or TSV",
    "xlsx": "Table: Excel (XLSX)",
    "parquet": "Table: Parquet",
    "json": "Table: JSON",
    "jsonl": "Table: JSON Lines",
}


class UploadForm(forms.Form):
    """A file and its use. An empty format is detected by the file's content."""

    file = forms.FileField(
        label="File",
        help_text="CSV, TSV, XLSX, Parquet, JSON or JSON Lines, at most "
        f"{UPLOAD_BYTES // 2**20} MB. Text is UTF-8, or UTF-16 with a byte order mark.",
    )
    format = forms.ChoiceField(label="Format", required=False)
    use = forms.ChoiceField(label="Contents", choices=list(USES.items()))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["format"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "By the file's content")] + [
            (name, FORMATS.get(name, name)) for name in intake.FORMATS
        ]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > UPLOAD_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size / 2**20:.0f} MB; at most {UPLOAD_BYTES // 2**20} MB are "
                "allowed. Split the file and upload the parts one after the other."
            )
        return file


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
