"""The form that imports a judgment set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import count, islice
from pathlib import PurePath

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.text import slugify

from benchmarks.imports.inputs import FORMATS, GROUPS, MAX_FILES, RECIPE_HELP, NewSet
from benchmarks.imports.models import SetImport
from benchmarks.imports.services import ATTACHED, ImportParameters
from benchmarks.sets.models import JudgmentSet
from concord.formats import TABLE, FormatError, Limits, ReadOptions, option_help
from concord.formats.errors import quote_names
from concord.formats.potato import STATE_FILE
from concord.formats.value_words import value_key
from core.pages.derived import DataclassForm

FILE_HELP = "Or one file of pairs; pairs that people judged may make a new set."


def _free_name(title: str, files: MultiValueDict[str, UploadedFile[bytes]] | None) -> str:
    """The name of a new set by its title, else by the name of the first file; "" without."""
    names = (
        [file.name or "" for key in ("file", "pairs") for file in files.getlist(key)]
        if files
        else []
    )
    words = slugify(title) or slugify(PurePath(names[0]).stem if names else "")
    base = words[:60].strip("-_")
    taken = set(JudgmentSet.objects.filter(name__startswith=base).values_list("name", flat=True))
    numbered = (f"{base}-{number}" for number in count(2))
    return next((name for name in (base, *islice(numbered, len(taken))) if name not in taken), "")


def again_values(job: SetImport) -> dict[str, object]:
    """What was entered for an import, to be entered again. A format that was found is found
    again."""
    sent = ImportParameters.from_json(job.parameters)
    options = {name: getattr(sent.options, name) for name in SetImportForm.only
               if hasattr(sent.options, name)}  # fmt: skip
    shown = {name: ", ".join(value) if isinstance(value, tuple) else value
             for name, value in options.items()}  # fmt: skip
    about = asdict(sent.about) if sent.about else {}
    is_found = sent.recipe or (job.inspection and not sent.options.columns)
    format = TABLE if sent.options.columns else job.format
    about["format"] = format if format in FORMATS and not is_found else ""
    return {**shown, **about, "name": job.name, "add": sent.add}


class FilesInput(forms.FileInput):
    """An input for several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several uploaded files; an empty list where none are sent."""

    widget = FilesInput

    def clean(
        self, data: list[UploadedFile[bytes]], initial: object = None
    ) -> list[UploadedFile[bytes]]:
        return [super(FilesField, self).clean(file, initial) for file in data]


class OrderForm(forms.Form):
    """The order of words of a file, which has none. unordered: as in an `Inspection`."""

    order = forms.CharField(
        required=False,
        label="Order of the words",
        help_text="If the words have one: all of them, the lowest first, separated by commas. "
        "Without one, they have no gold score.",
    )

    def __init__(
        self, unordered: Mapping[str, Sequence[str]], data: QueryDict | None = None
    ) -> None:
        super().__init__(data)
        self.unordered = unordered

    def clean_order(self) -> tuple[str, ...]:
        texts = (text.strip() for text in self.cleaned_data["order"].split(","))
        order = tuple(filter(None, texts))
        try:
            ReadOptions(order=order).check("", frozenset({"order"}), Limits())
        except FormatError as error:
            raise forms.ValidationError([one.message for one in error.problems]) from error
        known = set(map(value_key, order))
        for words in self.unordered.values():
            others = [word for word in words if value_key(word) not in known]
            if others and len(others) < len(words):
                raise forms.ValidationError(f"The order lacks {quote_names(others)}.")
        return order


class SetImportForm(DataclassForm[NewSet]):
    """Files of judgments, the set's name and the options of some formats.

    With only a file of minimal pairs, the next version of the set has these pairs. The columns and
    the sheet of a table are chosen on the next page. earlier: an import that failed, whose files
    are imported where no other ones are sent.
    """

    only = (
        *("format", "name", "title", "description", "add", "illustrative", "systems"),
        *("references", "criterion", "order", "reference_system", "split", "constituent"),
    )
    help_texts = {
        "format": "For a table, you check the columns on the next page.",
        "name": "Name of the set. If it exists, the file becomes its next version. Without one, a "
        "new name is made from the title, or else from the file's name.",
        "add": "The next version has the set's candidates and those of this file.",
        "systems": f"{option_help('systems')}; separated by commas",
        "order": f"{option_help('order')}; separated by commas",
    }
    first = ("file", "title", "name")
    field_order = (
        *first,
        *("description", "format", "recipe", "pairs", "texts", "folder", "add", "illustrative"),
        *("systems", "references"),
        *("criterion", "order", "reference_system", "split", "constituent"),
    )

    file = FilesField(label="Files of judgments", required=False)
    pairs = forms.FileField(
        required=False,
        label="Pairs beside judgments",
        help_text="Minimal pairs, or pairs that people judged, besides files of judgments. A file "
        "in the same format; beside a table, in the format concord.",
    )
    recipe = forms.FileField(required=False, label="Recipe", help_text=RECIPE_HELP)
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

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
        initial: dict[str, object] | None = None,
        earlier: SetImport | None = None,
    ) -> None:
        self.earlier = earlier
        if data is not None and not data.get("name", "").strip():
            data = data.copy()
            data["name"] = _free_name(data.get("title", ""), files)
        super().__init__(data, files, initial=initial)
        groups = [(group, list(labels.items())) for group, labels in GROUPS.items()]
        format = self.fields["format"]
        assert isinstance(format, forms.ChoiceField)
        format.choices = [("", FORMATS[""]), *groups]
        self.fields["name"].required = False  # by default from the title or the file, above
        max_mb = settings.UPLOAD_MAX_BYTES / 2**20
        self.fields["file"].help_text = (
            "CSV, TSV, XLSX, Parquet, JSON, JSON Lines, or a dataset folder as a zip archive; up "
            f"to {MAX_FILES} files of one format, at most {max_mb:.0f} MB in all. Text is UTF-8, "
            "UTF-16 with a byte order mark, or, of tables and recipes, Windows-1252. "
            f"{FILE_HELP}"
        )

    def earlier_files(self) -> str:
        return quote_names([file["name"] for file in self.earlier.files]) if self.earlier else ""

    def uploads(self) -> dict[str, list[UploadedFile[bytes]]]:
        """The valid files of each field, of a form that was validated."""
        names = ("file", "folder", *ATTACHED)
        values = {name: self.cleaned_data.get(name) or [] for name in names}
        return {name: value if isinstance(value, list) else [value]
                for name, value in values.items()}  # fmt: skip

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

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if {"file", "folder", "pairs"} & self.errors.keys():
            return values
        files = self.judgments()
        if len(files) > MAX_FILES:
            self.add_error("file", f"There are {len(files)} files; choose at most {MAX_FILES}.")
        if files or (self.earlier is not None and not values.get("pairs")):
            return values
        if not values.get("pairs"):
            self.add_error("file", "Choose a file.")
        else:
            needing = self.value().about_judgments() if not self.errors else []
            for name in [*needing, *(["texts"] if values.get("texts") else [])]:
                self.add_error(name, "This needs a file of judgments.")
        return values

    def judgments(self) -> Sequence[UploadedFile[bytes]]:
        """The files of judgments of a form whose files are valid."""
        return [*self.cleaned_data["file"], *self.cleaned_data["folder"]]
