"""Forms that train a learned metric and import a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from benchmarks.sets.models import JudgmentSet
from benchmarks.trainings.inputs import CHOSEN, CheckpointName, NewTraining
from benchmarks.trainings.services import (
    DESIGNS,
    KINDS,
    TrainingOptions,
    read_uploads,
    safe_file_name,
    start_checkpoints,
)
from benchmarks.trainings.services.files import check_answers
from concord.sentences import to_sentence
from core.pages.derived import DataclassForm
from scorers.training_defaults import PAPER, QUICK, TrainingDefaults, training_defaults

_FIRST = ("name", "sets", "file", "answers", "format", "pretrained", "defaults")


class TrainingForm(DataclassForm[NewTraining]):
    """A training of one kind, without the fields of other kinds."""

    only = ("name", "sets", "format", "defaults", *CHOSEN)
    chosen = ("sets", "pretrained")
    optional = only[1:]
    help_texts = {
        "sets": "Candidates of a set's test split are never trained on.",
        "format": "",
        "defaults": "Of what you leave empty below. The shipped encoder is smaller than those of "
        "the papers; quick settings suit it and a processor without a GPU.",
        "design": "",
        "parts": "MOCHA's ablations (Table 6). If none is selected, it reads all.",
        "rates": "Separated by commas; the best on the dev part is selected.",
        "seeds": "Separated by commas.",
        "without": "Names separated by commas, to exclude from training (MOCHA's OOD setting).",
    }
    heights = {"notes": 2}
    field_order = (
        *("name", "sets", "file", "format", "answers"),
        *("pretrained", "without", "parts", "reading", "layer", "defaults", "design"),
        *CHOSEN[6:],
    )

    file = forms.FileField(required=False, label="A file", allow_empty_file=False)
    answers = forms.FileField(
        required=False,
        label="MCTest's answers",
        allow_empty_file=False,
        help_text="Only for MCTest: the .ans file for the .tsv file.",
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
        *,
        kind: str,
        sets: Iterable[JudgmentSet],
    ) -> None:
        super().__init__(data, files)
        self.kind = kind
        options = KINDS[kind]
        for name in set(self.fields) - options.fields - {"name", "file", "format"}:
            del self.fields[name]
        paper, quick = (training_defaults(kind, one) for one in (PAPER, QUICK))
        for name in self.fields.keys() & TrainingDefaults.__dataclass_fields__.keys():
            field = self.fields[name]
            field.initial = None
            field.help_text = (
                f"{field.help_text} If empty: {paper.text(name)} as in the paper, "
                f"{quick.text(name)} quick."
            ).strip()
        self.set_choices("format", [(name, name) for name in options.formats])
        if "design" in self.fields:
            self.set_choices("design", [("", "by the settings"), *((one, one) for one in DESIGNS)])
        max_mb = settings.CHECKPOINT_MAX_BYTES / 2**20
        self.fields["file"].help_text = f"Instead of or besides sets. At most {max_mb:.0f} MB."
        if "pretrained" in self.fields:
            names = [(name, name) for name in start_checkpoints()]
            self.set_choices("pretrained", [("", "the untrained encoder"), *names])
        if "sets" in self.fields:
            self.set_choices("sets", [(str(row.pk), row.label) for row in sets])
        else:
            self.fields["file"].required = self.fields["format"].required = True
            task = "multiple-choice" if "answers" in self.fields else "question answering"
            race = " RACE: one file with a passage per line." if "answers" in self.fields else ""
            self.fields["file"].help_text = f"A {task} set, at most {max_mb:.0f} MB.{race}"

    def clean_file(self) -> UploadedFile[bytes] | None:
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file and (file.size or 0) > settings.CHECKPOINT_MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; at most {settings.CHECKPOINT_MAX_BYTES:,} are "
                "allowed."
            )
        return file

    def clean_without(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.cleaned_data["without"]))

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if self.errors:
            return values
        empty = (None, "", ())
        choices = {name: values[name] for name in CHOSEN if values.get(name) not in empty}
        file = values.get("file")
        choices["formats"] = {safe_file_name(file.name): values["format"]} if file else None
        try:
            check_answers(values.get("format") if file else None, bool(values.get("answers")))
        except ValueError as error:
            raise forms.ValidationError({"answers": str(error)}) from error
        try:
            values["choices"] = TrainingOptions.of_kind(
                self.kind, values["defaults"] or PAPER, **choices
            )
        except ValueError as error:
            raise forms.ValidationError(to_sentence(error)) from error
        return values

    def uploads(self) -> list[tuple[str, bytes]]:
        """The uploads of a valid form, as (name, content)."""
        values = self.cleaned_data
        return read_uploads(values.get("file"), values.get("answers"), lambda file: file.read())

    @property
    def first(self) -> list[forms.BoundField]:
        """The main fields."""
        return self._bound_fields(_FIRST)

    @property
    def further(self) -> list[forms.BoundField]:
        """The other fields, whose defaults suit most trainings."""
        names = [name for name in self.fields if name not in {field.name for field in self.first}]
        return self._bound_fields(names)

    def _bound_fields(self, names: Iterable[str]) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]


class CheckpointImportForm(DataclassForm[CheckpointName]):
    """A checkpoint's zip file and its name."""

    file = forms.FileField(label="Zip file", help_text="A checkpoint that Concord exported.")

    def clean_file(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.CHECKPOINT_MAX_BYTES + 10_000_000:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; checkpoints of at most "
                f"{settings.CHECKPOINT_MAX_BYTES:,} bytes are allowed."
            )
        return file
