"""The form that imports a judgment set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import RegexValidator

from benchmarks.imports.services import ImportParameters
from benchmarks.imports.services.requests import (
    MAX_DESCRIPTION,
    MAX_FILES,
    MAX_SYSTEMS,
    REFERENCES,
)
from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from benchmarks.sets.services.importing import SetInfo
from concord.formats import (
    DATASET,
    JUDGMENT_FORMATS,
    PAIR_FORMATS,
    TABLE,
    USER_OPTIONS,
    Limits,
    ReadOptions,
    option_help,
)
from concord.formats.potato import STATE_FILE
from core.column_bounds import max_length
from core.pages.bounded_fields import whole_number

# The columns and the sheet of a table are chosen on the next page; the texts are a file.
OPTIONS = tuple(name for name in USER_OPTIONS if name not in ("columns", "sheet", "texts"))

FILE_HELP = "Leave it empty to import only pairs."
FORMATS = {
    "concord": "concord: JSON Lines or Parquet",
    TABLE: "table: CSV, TSV, XLSX, Parquet, JSON, JSON Lines",
    DATASET: "dataset: zip archive of a dataset folder",
}


class FilesInput(forms.FileInput):
    """An input for several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several uploaded files; an empty list where none are sent."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[bytes]]:
        return [super(FilesField, self).clean(file, initial) for file in data]


class SetImportForm(forms.Form):
    """Files of judgments, the set's name and the options of some formats.

    With only a file of minimal pairs, the next version of the set has these pairs.
    """

    file = FilesField(label="Files of judgments", required=False)
    format = forms.ChoiceField(
        choices=[
            ("", "By the file's content"),
            *((name, FORMATS.get(name, name)) for name in JUDGMENT_FORMATS),
            *((name, f"{name}: pairs") for name in PAIR_FORMATS if name not in JUDGMENT_FORMATS),
        ],
        required=False,
        help_text="For a table, you choose the columns on the next page.",
    )
    name = forms.CharField(
        max_length=max_length(JudgmentSet, "name"),
        validators=[
            RegexValidator(
                rf"^{NAME_PATTERN}\Z",
                "Use lower-case letters, digits, periods, hyphens and underscores; begin with a "
                "letter or digit.",
            )
        ],
        help_text="Name of the set. If it exists, the file becomes its next version.",
    )
    title = forms.CharField(max_length=max_length(JudgmentSet, "title"), required=False)
    description = forms.CharField(
        max_length=MAX_DESCRIPTION, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    pairs = forms.FileField(
        required=False,
        label="Pairs",
        help_text="Minimal pairs, or pairs that people judged. A file in the same format; beside a "
        "table, in the format concord. Without a file of judgments, the next version of the set "
        "has these pairs instead of the previous ones; judged pairs may make a new set.",
    )
    texts = forms.FileField(
        required=False,
        label="Texts",
        help_text=option_help("texts"),
    )
    folder = FilesField(
        required=False,
        label="Potato's folder of raters",
        widget=FilesInput(attrs={"webkitdirectory": True}),
        help_text=f"potato: annotation_output, in which each rater has a folder with a file "
        f"{STATE_FILE}. Its other files are left out. Choose the items under Texts.",
    )
    add = forms.BooleanField(
        required=False,
        label="Add to the set",
        help_text="The next version has the set's candidates and those of this file.",
    )
    illustrative = forms.BooleanField(
        required=False, help_text="An invented example: not the judgments of people."
    )
    systems = forms.CharField(
        required=False,
        help_text=f"{option_help('systems')}; separated by commas",
    )
    references = whole_number(REFERENCES, "References", option_help("references"))
    criterion = forms.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text=option_help("criterion"),
    )
    reference_system = forms.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text=option_help("reference_system"),
    )
    split = forms.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text=option_help("split"),
    )
    constituent = forms.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text=option_help("constituent"),
    )
    first = ("file", "format", "name", "title", "description")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        max_mb = settings.UPLOAD_MAX_BYTES / 2**20
        self.fields["file"].help_text = (
            "CSV, TSV, XLSX, Parquet, JSON, JSON Lines, or a dataset folder as a zip archive; up "
            f"to {MAX_FILES} files of one format, at most {max_mb:.0f} MB in all. Text is UTF-8 or "
            f"UTF-16 with a byte order mark. {FILE_HELP}"
        )

    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.first]

    def further_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in self.first]

    def clean_folder(self) -> list[UploadedFile[bytes]]:
        files = self.cleaned_data["folder"]
        states = [file for file in files if file.name == STATE_FILE]
        if files and not states:
            raise forms.ValidationError(f"The folder has no file {STATE_FILE}.")
        return states

    def clean_systems(self) -> tuple[str, ...]:
        text = self.cleaned_data["systems"]
        # Empty names count: the reader divides the file by the number of names.
        names = tuple(name.strip() for name in text.split(",")) if text else ()
        if len(names) > MAX_SYSTEMS:
            raise forms.ValidationError(f"There are {len(names)} names; at most {MAX_SYSTEMS}.")
        return names

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if {"file", "folder", "pairs"} & self.errors.keys():
            return values
        files = self.judgments()
        if len(files) > MAX_FILES:
            self.add_error("file", f"There are {len(files)} files; choose at most {MAX_FILES}.")
        if files:
            return values
        if not values.get("pairs"):
            self.add_error("file", "Choose a file.")
        else:
            for name in ("title", "description", "texts", "add", "illustrative", *OPTIONS):
                if values.get(name):
                    self.add_error(name, "This needs a file of judgments.")
        return values

    def judgments(self) -> Sequence[UploadedFile[bytes]]:
        """The files of judgments of a form whose files are valid."""
        return [*self.cleaned_data["file"], *self.cleaned_data["folder"]]

    def parameters(self) -> ImportParameters:
        """The parameters of a valid form."""
        values = self.cleaned_data
        options = {name: values[name] for name in OPTIONS if values[name]}
        info = (values["title"], values["description"], values["illustrative"])
        return ImportParameters(
            ReadOptions(**options), values["add"], SetInfo(*info) if any(info) else None
        )
