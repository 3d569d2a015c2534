"""Forms for uploading candidates and for adding a minimal pair."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.studies.inputs import ImportOptions, NewPair, UploadInput
from annotation.studies.services.uploads import UPLOAD_BYTES
from core.pages.derived import DataclassForm


class CandidateFileField(forms.FileField):
    """A file of candidates."""

    def __init__(self, **options: Any) -> None:
        help_text = (
            "CSV, TSV, XLSX, Parquet, JSON or JSON Lines, at most "
            f"{UPLOAD_BYTES // 2**20} MB. Text is UTF-8, or UTF-16 with a byte order mark."
        )
        super().__init__(**{"label": "File", "help_text": help_text, **options})

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if file and file.size > UPLOAD_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size / 2**20:.0f} MB; at most {UPLOAD_BYTES // 2**20} MB are "
                "allowed. Split the file and upload the parts one after the other."
            )
        return file


class UploadForm(DataclassForm[UploadInput]):
    """A file and its use. An empty format is detected by the file's content."""

    help_texts = {"format": ""}
    field_order = ("file",)

    file = CandidateFileField()


class CandidateImportForm(DataclassForm[ImportOptions]):
    """Options for the import of an upload with these constituents."""

    chosen = ("span_based",)
    help_texts = {
        "span_based": "",
        "draw_questions": "Total number, including those already in the study. Empty: all.",
    }

    def __init__(self, *args: Any, constituents: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.set_choices("span_based", [(name, name) for name in constituents])


class PairForm(DataclassForm[NewPair]):
    """A minimal pair entered on the page."""

    help_texts = {"instance": "The key of an instance in the table below."}
    heights = {"better": 2, "worse": 2}
