"""What a training is asked for with, and which of it each kind of metric has."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

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
)
from benchmarks.trainings.services.choices import RATE, SEED, WORD
from benchmarks.trainings.services.files import refuse_answers
from concord.sentences import to_sentence
from core.rest.derived import real_field, text_field, whole_field
from core.rest.serializers import Strict

FORMATS = tuple(sorted({name for kind in KINDS.values() for name in kind.formats}))
EXAMPLE = {"name": "my-lerc", "kind": "lerc", "sets": ["demo@1"], "epochs": 3}


class MetricName(serializers.RegexField):
    """A name that a learned metric may have."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(rf"^{NAME}\Z", max_length=60, help_text=NAME_HELP, **kwargs)


class StartTraining(Strict):
    """Fields left out have the value of the page's form, but `made`, which is 0."""

    name = MetricName()
    kind = serializers.ChoiceField(sorted(KINDS))
    sets = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        max_length=50,
        help_text="NAME@VERSION of judgment sets.",
    )
    file = serializers.FileField(required=False)
    format = serializers.ChoiceField(FORMATS, required=False, help_text="The file's.")
    answers = serializers.FileField(
        required=False, help_text="lerc-choices: MCTest's .ans file, beside its .tsv."
    )
    pretrained = serializers.CharField(
        required=False,
        **bounds("pretrained"),
        help_text="The checkpoint whose encoder is trained on; it needs the same `lora_rank`.",
    )
    without = serializers.ListField(
        child=text_field(WORD),
        required=False,
        **bounds("without"),
        help_text="Constituents of which nothing is trained on.",
    )
    parts = serializers.ListField(
        child=serializers.ChoiceField(PARTS),
        required=False,
        help_text="lerc, lerc-choices: what it reads; all of it by default.",
    )
    reading = serializers.ChoiceField(
        READINGS,
        required=False,
        help_text="One input of all parts, or reference and candidate read apart and matched.",
    )
    layer = serializers.IntegerField(
        required=False, **bounds("layer"), help_text="The hidden layer that a match compares."
    )
    design = serializers.ChoiceField(DESIGNS, required=False, help_text="ava")
    features = serializers.ListField(
        child=serializers.ChoiceField(FEATURES),
        required=False,
        help_text="Metrics without training, of which it learns what they miss.",
    )
    bound = serializers.FloatField(
        required=False, **bounds("bound"), help_text="The most it adds to them."
    )
    made = serializers.FloatField(
        required=False, **bounds("made"), help_text="kpqa: share of made questions."
    )
    epochs = serializers.IntegerField(required=False, **bounds("epochs"))
    patience = serializers.IntegerField(
        required=False, **bounds("patience"), help_text="Epochs without a better one to stop."
    )
    rates = serializers.ListField(
        child=real_field(RATE),
        required=False,
        **bounds("rates"),
        help_text="A training for each learning rate; the best on the dev part is kept.",
    )
    seeds = serializers.ListField(child=whole_field(SEED), required=False, **bounds("seeds"))
    batch_size = serializers.IntegerField(required=False, **bounds("batch_size"))
    max_tokens = serializers.IntegerField(required=False, **bounds("max_tokens"))
    lora_rank = serializers.IntegerField(
        required=False, **bounds("lora_rank"), help_text="0 trains every weight."
    )
    dev_share = serializers.FloatField(required=False, **bounds("dev_share"))
    test_share = serializers.FloatField(required=False, **bounds("test_share"))
    split_seed = serializers.IntegerField(required=False, **bounds("split_seed"))
    licence = serializers.CharField(required=False, **bounds("licence"), allow_blank=True)
    notes = serializers.CharField(required=False, **bounds("notes"), allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        kind = attrs["kind"]
        wrong = {name: [f"{kind} has no such choice."] for name in attrs if not _fits(name, kind)}
        if "format" in attrs and attrs["format"] not in KINDS[kind].formats:
            formats = ", ".join(KINDS[kind].formats)
            wrong["format"] = [f"{kind} is trained on files as {formats}."]
        if ("file" in attrs) != ("format" in attrs):
            missing = "format" if "file" in attrs else "file"
            wrong[missing] = ["A file needs its format, and a format its file."]
        try:
            refuse_answers(attrs.get("format"), "answers" in attrs)
        except ValueError as error:
            wrong.setdefault("answers", [str(error)])
        if wrong:
            raise serializers.ValidationError(wrong)
        return attrs


def choices_of(given: dict[str, Any]) -> Choices:
    """A body's choices. Raises ValidationError for what cannot be together."""
    names = Choices.__dataclass_fields__
    told: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given.items()
        if name in names
    }
    if not told.get("parts", True):
        del told["parts"]
    if "file" in given:
        told["formats"] = {file_name(given["file"].name): given["format"]}
    try:
        return Choices(**told)
    except ValueError as error:
        raise serializers.ValidationError([to_sentence(error)]) from error


def _fits(name: str, kind: str) -> bool:
    return name in KINDS[kind].fields | {"name", "kind", "file", "format"}
