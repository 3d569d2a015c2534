"""What researchers fill in to train a learned metric, and to bring one along."""

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
    file_name,
    startable,
    uploaded,
)
from benchmarks.trainings.services.files import refuse_answers
from concord.sentences import to_sentence

_FIRST = ("name", "sets", "file", "answers", "format", "pretrained", "design", "made")


def _name() -> forms.CharField:
    return forms.CharField(
        max_length=60,
        validators=[RegexValidator(rf"^{NAME}\Z", f"These are allowed: {NAME_HELP.lower()}")],
        help_text=f"The metric will have it. {NAME_HELP}",
    )


class TrainingForm(forms.Form):
    """A training of one kind; the fields that this kind does not have are not there."""

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
        help_text="The .ans file beside the .tsv; only for MCTest.",
    )
    pretrained = forms.ChoiceField(
        required=False,
        label="Start from",
        help_text="A checkpoint whose encoder is trained on, such as a pre-training of LERC; it "
        "needs the same rank of adapters.",
    )
    without = forms.CharField(
        required=False,
        label="Constituents to leave out",
        help_text="Names apart by commas; nothing of them is trained on (MOCHA's OOD setting).",
    )
    parts = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name) for name in PARTS],
        initial=PARTS,
        widget=forms.CheckboxSelectMultiple,
        label="What it reads",
        help_text="MOCHA's ablations (Table 6). None ticked: all.",
    )
    reading = forms.ChoiceField(
        required=False,
        choices=[(name, name) for name in READINGS],
        initial="joined",
        help_text="joined: one input of all parts. match: reference and candidate are read apart "
        "and matched token by token.",
    )
    layer = forms.IntegerField(
        required=False,
        **bounds("layer"),
        initial=0,
        help_text="The hidden layer that a match compares.",
    )
    design = forms.ChoiceField(choices=[(name, name) for name in DESIGNS], initial="A1")
    features = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name) for name in FEATURES],
        widget=forms.CheckboxSelectMultiple,
        label="Scores to start from",
        help_text="Metrics without training, of which it learns what they miss.",
    )
    bound = forms.FloatField(
        required=False,
        **bounds("bound"),
        label="Most it adds to them",
        help_text="Empty: any amount. 0: nothing.",
    )
    made = forms.FloatField(
        required=False,
        **bounds("made"),
        initial=0.25,
        label="Made questions",
        help_text="Yes/no and either/or questions to add, as a share of the others.",
    )
    epochs = forms.IntegerField(**bounds("epochs"), initial=3)
    patience = forms.IntegerField(
        required=False,
        **bounds("patience"),
        initial=2,
        label="Early stop",
        help_text="After so many epochs without a better one. Empty: never.",
    )
    rates = forms.CharField(
        initial="0.0005",
        label="Learning rates",
        help_text="Apart by commas; a training for each, and the best on the dev part is kept.",
    )
    seeds = forms.CharField(initial="1", help_text="Apart by commas.")
    batch_size = forms.IntegerField(**bounds("batch_size"), initial=32)
    max_tokens = forms.IntegerField(**bounds("max_tokens"), initial=128, label="Tokens at most")
    lora_rank = forms.IntegerField(
        **bounds("lora_rank"),
        initial=16,
        label="Rank of adapters",
        help_text="0 trains every weight, with learning rates about twenty times lower.",
    )
    dev_share = forms.FloatField(
        **bounds("dev_share"),
        initial=0.15,
        label="Dev part",
        help_text="Share of the passages, where a set has no dev split of its own.",
    )
    test_share = forms.FloatField(
        **bounds("test_share"), initial=0, label="Left out", help_text="Likewise, for a test."
    )
    split_seed = forms.IntegerField(**bounds("split_seed"), initial=1, label="Seed of parts")
    licence = forms.CharField(**bounds("licence"), required=False, label="Licence of the data")
    notes = forms.CharField(
        **bounds("notes"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What users should know; it stands in the card.",
    )

    def __init__(self, *args: Any, kind: str, sets: Iterable[JudgmentSet]) -> None:
        super().__init__(*args)
        self.kind = kind
        about = KINDS[kind]
        for name in set(self.fields) - about.fields - {"name", "file", "format"}:
            del self.fields[name]
        self._offer("format", [(name, name) for name in about.formats])
        most = settings.CHECKPOINT_MAX_BYTES / 2**20
        self.fields["file"].help_text = f"Or besides: at most {most:.0f} MB."
        if "pretrained" in self.fields:
            names = [(name, name) for name in startable()]
            self._offer("pretrained", [("", "the encoder as it comes"), *names])
        if "sets" in self.fields:
            self._offer("sets", [(str(one.pk), one.label) for one in sets])
        else:
            self.fields["file"].required = self.fields["format"].required = True
            what = "multiple-choice" if "answers" in self.fields else "question answering"
            told = " RACE: a passage a line, in one file." if "answers" in self.fields else ""
            self.fields["file"].help_text = f"A {what} set, at most {most:.0f} MB.{told}"

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file and file.size > settings.CHECKPOINT_MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; at most {settings.CHECKPOINT_MAX_BYTES:,} are "
                "taken."
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
        given = {name: values[name] for name in names if values.get(name) not in (None, "", [])}
        given["patience"] = values["patience"]
        given["features"] = tuple(values.get("features", ()))
        file = values.get("file")
        given["formats"] = {file_name(file.name): values["format"]} if file else None
        if given.get("parts"):
            given["parts"] = tuple(given["parts"])
        try:
            refuse_answers(values.get("format") if file else None, bool(values.get("answers")))
        except ValueError as error:
            raise forms.ValidationError({"answers": str(error)}) from error
        try:
            values["choices"] = Choices(**given)
        except ValueError as error:
            raise forms.ValidationError(to_sentence(error)) from error
        return values

    def uploads(self) -> list[tuple[str, bytes]]:
        """A valid form's upload, as (name, content)."""
        values = self.cleaned_data
        return uploaded(values.get("file"), values.get("answers"), lambda file: file.read())

    @property
    def first(self) -> list[forms.BoundField]:
        """The fields that everybody fills in."""
        return self._of(_FIRST)

    @property
    def further(self) -> list[forms.BoundField]:
        """Those that may stay as they are."""
        names = [name for name in self.fields if name not in {field.name for field in self.first}]
        return self._of(names)

    def _of(self, names: Iterable[str]) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]


class ImportForm(forms.Form):
    """A checkpoint's zip file, and the name it gets here."""

    name = _name()
    file = forms.FileField(label="Zip file", help_text="As it was downloaded from such a page.")

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > settings.CHECKPOINT_MAX_BYTES + 10_000_000:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; checkpoints of at most "
                f"{settings.CHECKPOINT_MAX_BYTES:,} are taken."
            )
        return file


def _numbers(text: str, read: Callable[[str], Any], example: str) -> tuple[Any, ...]:
    try:
        return tuple(read(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise forms.ValidationError(f"Give numbers apart by commas, such as {example}.") from error
