"""Forms for uploading candidates and for adding a minimal pair."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from annotation.studies.inputs import ImportOptions, NewPair, UploadInput
from annotation.studies.services.uploads import UPLOAD_BYTES
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions


def _check_size(file: UploadedFile[bytes]) -> None:
    size = file.size or 0
    if size > UPLOAD_BYTES:
        raise forms.ValidationError(
            f"The file has {size / 2**20:.0f} MB; at most {UPLOAD_BYTES // 2**20} MB are allowed. "
            "Split the file and upload the parts one after the other."
        )


def candidate_file(label: str = "File", *, required: bool = True) -> forms.FileField:
    """The field for a file of candidates."""
    return forms.FileField(
        label=label,
        required=required,
        help_text="CSV, TSV, XLSX, Parquet, JSON or JSON Lines, at most "
        f"{UPLOAD_BYTES // 2**20} MB. Text is UTF-8, or UTF-16 with a byte order mark.",
        validators=[_check_size],
    )


class UploadForm(DataclassForm[UploadInput]):
    """A file and its use. An empty format is detected by the file's content."""

    help_texts = {"format": ""}
    field_order = ("file",)

    file = candidate_file()


class CandidateImportForm(DataclassForm[ImportOptions]):
    """Options for the import of an upload with these constituents."""

    chosen = ("span_based",)
    help_texts = {
        "span_based": "",
        "draw_questions": "Total number, including those already in the study. Empty: all.",
    }

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        constituents: list[str],
        **options: Unpack[FormOptions],
    ) -> None:
        super().__init__(data, **options)
        self.set_choices("span_based", [(name, name) for name in constituents])


class PairForm(DataclassForm[NewPair]):
    """A minimal pair entered on the page."""

    help_texts = {"instance": "The key of an instance in the table below."}
    heights = {"better": 2, "worse": 2}
