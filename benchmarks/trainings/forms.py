"""Forms that train a learned metric and import a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import RegexValidator

from benchmarks.sets.models import JudgmentSet
from benchmarks.trainings.models import NAME, NAME_HELP
from benchmarks.trainings.services import (
    DESIGNS,
    FEATURES,
    KINDS,
    PARTS,
    READINGS,
    Choices,
    bounds,
    read_uploads,
    safe_file_name,
    start_checkpoints,
)
from benchmarks.trainings.services.files import check_answers
from concord.sentences import to_sentence
from scorers.training_defaults import NAMES, PAPER, QUICK, TrainingDefaults, training_defaults

_FIRST = ("name", "sets", "file", "answers", "format", "pretrained", "defaults")


def _name() -> forms.CharField:
    return forms.CharField(
        max_length=60,
        validators=[RegexValidator(rf"^{NAME}\Z", f"Allowed: {NAME_HELP.lower()}")],
        help_text=f"Name of the metric. {NAME_HELP}",
    )


class TrainingForm(forms.Form):
    """A training of one kind, without the fields of other kinds."""

    name = _name()
    sets = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Judgment sets",
        help_text="Candidates of a set's test split are never trained on.",
    )
    file = forms.FileField(required=False, label="A file", allow_empty_file=False)
    format = forms.ChoiceField(required=False, label="Its format")
    answers = forms.FileField(
        required=False,
        label="MCTest's answers",
        allow_empty_file=False,
        help_text="Only for MCTest: the .ans file for the .tsv file.",
    )
    pretrained = forms.ChoiceField(
        required=False,
        label="Start from",
        help_text="A checkpoint whose encoder to start from, such as a pre-training of LERC. It "
        "must have the same rank of adapters.",
    )
    without = forms.CharField(
        required=False,
        label="Constituents to leave out",
        help_text="Names separated by commas, to exclude from training (MOCHA's OOD setting).",
    )
    parts = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name) for name in PARTS],
        initial=PARTS,
        widget=forms.CheckboxSelectMultiple,
        label="What it reads",
        help_text="MOCHA's ablations (Table 6). If none is selected, it reads all.",
    )
    reading = forms.ChoiceField(
        required=False,
        choices=[(name, name) for name in READINGS],
        initial="joined",
        help_text="joined: one input of all parts. match: reference and candidate are encoded "
        "separately and compared token by token.",
    )
    layer = forms.IntegerField(
        required=False,
        **bounds("layer"),
        initial=0,
        help_text="match: the hidden layer to compare.",
    )
    defaults = forms.ChoiceField(
        required=False,
        choices=[(name, meaning) for name, meaning in NAMES.items()],
        initial=PAPER,
        label="Settings",
        help_text="Of what you leave empty below. The shipped encoder is smaller than those of the "
        "papers; quick settings suit it and a processor without a GPU.",
    )
    design = forms.ChoiceField(
        required=False, choices=[("", "by the settings"), *((name, name) for name in DESIGNS)]
    )
    features = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name) for name in FEATURES],
        widget=forms.CheckboxSelectMultiple,
        label="Feature metrics",
        help_text="Untrained metrics whose scores are inputs of the head.",
    )
    bound = forms.FloatField(
        required=False,
        **bounds("bound"),
        label="Max. correction",
        help_text="Largest correction of the feature metrics' scores. If empty, no maximum.",
    )
    made = forms.FloatField(
        required=False,
        **bounds("made"),
        label="Generated questions",
        help_text="Share of yes/no and either/or questions to add.",
    )
    epochs = forms.IntegerField(required=False, **bounds("epochs"))
    patience = forms.IntegerField(
        required=False,
        **bounds("patience"),
        label="Early stopping",
        help_text="Number of epochs without improvement after which to stop.",
    )
    rates = forms.CharField(
        required=False,
        label="Learning rates",
        help_text="Separated by commas; the best on the dev part is selected.",
    )
    seeds = forms.CharField(required=False, help_text="Separated by commas.")
    batch_size = forms.IntegerField(required=False, **bounds("batch_size"))
    max_tokens = forms.IntegerField(required=False, **bounds("max_tokens"), label="Max. tokens")
    lora_rank = forms.IntegerField(
        required=False,
        **bounds("lora_rank"),
        label="Rank of adapters",
        help_text="0 trains all weights; use about twenty times lower learning rates then.",
    )
    dev_share = forms.FloatField(
        required=False,
        **bounds("dev_share"),
        label="Dev part",
        help_text="Share of the passages, for sets without a dev split.",
    )
    test_share = forms.FloatField(
        required=False,
        **bounds("test_share"),
        initial=0,
        label="Test part",
        help_text="Share of the passages, for sets without a test split.",
    )
    split_seed = forms.IntegerField(
        required=False, **bounds("split_seed"), initial=1, label="Seed of parts"
    )
    licence = forms.CharField(**bounds("licence"), required=False, label="Licence of the data")
    notes = forms.CharField(
        **bounds("notes"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What users should know. It is stored in the card.",
    )

    def __init__(self, *args: Any, kind: str, sets: Iterable[JudgmentSet]) -> None:
        super().__init__(*args)
        self.kind = kind
        options = KINDS[kind]
        for name in set(self.fields) - options.fields - {"name", "file", "format"}:
            del self.fields[name]
        paper, quick = (training_defaults(kind, one) for one in (PAPER, QUICK))
        for name in self.fields.keys() & TrainingDefaults.__dataclass_fields__.keys():
            field = self.fields[name]
            field.help_text = (
                f"{field.help_text} If empty: {paper.text(name)} as in the paper, "
                f"{quick.text(name)} quick."
            ).strip()
        self._set_choices("format", [(name, name) for name in options.formats])
        max_mb = settings.CHECKPOINT_MAX_BYTES / 2**20
        self.fields["file"].help_text = f"Instead of or besides sets. At most {max_mb:.0f} MB."
        if "pretrained" in self.fields:
            names = [(name, name) for name in start_checkpoints()]
            self._set_choices("pretrained", [("", "the untrained encoder"), *names])
        if "sets" in self.fields:
            self._set_choices("sets", [(str(row.pk), row.label) for row in sets])
        else:
            self.fields["file"].required = self.fields["format"].required = True
            task = "multiple-choice" if "answers" in self.fields else "question answering"
            race = " RACE: one file with a passage per line." if "answers" in self.fields else ""
            self.fields["file"].help_text = f"A {task} set, at most {max_mb:.0f} MB.{race}"

    def _set_choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file and file.size > settings.CHECKPOINT_MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; at most {settings.CHECKPOINT_MAX_BYTES:,} are "
                "allowed."
            )
        return file

    def clean_rates(self) -> tuple[float, ...]:
        return _numbers(self.cleaned_data["rates"], float, "0.0005, 0.001")

    def clean_seeds(self) -> tuple[int, ...]:
        return _numbers(self.cleaned_data["seeds"], int, "1, 2, 3")

    def clean_without(self) -> tuple[str, ...]:
        names = (name.strip() for name in self.cleaned_data["without"].split(","))
        return tuple(dict.fromkeys(name for name in names if name))

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if self.errors:
            return values
        names = Choices.__dataclass_fields__
        choices = {
            name: values[name] for name in names if values.get(name) not in (None, "", [], ())
        }
        choices["features"] = tuple(values.get("features", ()))
        file = values.get("file")
        choices["formats"] = {safe_file_name(file.name): values["format"]} if file else None
        if choices.get("parts"):
            choices["parts"] = tuple(choices["parts"])
        try:
            check_answers(values.get("format") if file else None, bool(values.get("answers")))
        except ValueError as error:
            raise forms.ValidationError({"answers": str(error)}) from error
        try:
            values["choices"] = Choices.of_kind(self.kind, values["defaults"] or PAPER, **choices)
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


class ImportForm(forms.Form):
    """A checkpoint's zip file and its name."""

    name = _name()
    file = forms.FileField(label="Zip file", help_text="A checkpoint that Concord exported.")

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > settings.CHECKPOINT_MAX_BYTES + 10_000_000:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; checkpoints of at most "
                f"{settings.CHECKPOINT_MAX_BYTES:,} bytes are allowed."
            )
        return file


def _numbers(text: str, read: Callable[[str], Any], example: str) -> tuple[Any, ...]:
    try:
        return tuple(read(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise forms.ValidationError(
            f"Enter numbers separated by commas, such as {example}."
        ) from error
