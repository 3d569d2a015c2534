"""What a training is asked for with, and which of it each kind of metric has."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from benchmarks.models.trainings import NAME, NAME_HELP
from benchmarks.services.trainings import DESIGNS, FEATURES, KINDS, Choices, file_name
from rest.serializers import Strict

FORMATS = tuple(sorted({name for kind in KINDS.values() for name in kind.formats}))
#: Fields that only some kinds have.
_ONLY = {"design": {"ava"}, "made": {"kpqa"}}
_NOT_OF_KPQA = ("sets", "features", "bound", "dev_share", "test_share", "split_seed")
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
    design = serializers.ChoiceField(DESIGNS, required=False, help_text="ava")
    features = serializers.ListField(
        child=serializers.ChoiceField(FEATURES),
        required=False,
        help_text="Metrics without training, of which it learns what they miss.",
    )
    bound = serializers.FloatField(
        required=False, min_value=0, max_value=1e6, help_text="The most it adds to them."
    )
    made = serializers.FloatField(
        required=False, min_value=0, max_value=1, help_text="kpqa: share of made questions."
    )
    epochs = serializers.IntegerField(required=False, min_value=1, max_value=100)
    patience = serializers.IntegerField(
        required=False, min_value=1, max_value=100, help_text="Epochs without a better one to stop."
    )
    rates = serializers.ListField(
        child=serializers.FloatField(min_value=1e-9, max_value=1),
        required=False,
        max_length=20,
        help_text="A training for each learning rate; the best on the dev part is kept.",
    )
    seeds = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31), required=False, max_length=20
    )
    batch_size = serializers.IntegerField(required=False, min_value=1, max_value=1024)
    max_tokens = serializers.IntegerField(required=False, min_value=8, max_value=512)
    lora_rank = serializers.IntegerField(
        required=False, min_value=0, max_value=256, help_text="0 trains every weight."
    )
    dev_share = serializers.FloatField(required=False, min_value=0.01, max_value=0.9)
    test_share = serializers.FloatField(required=False, min_value=0, max_value=0.9)
    split_seed = serializers.IntegerField(required=False, min_value=0, max_value=2**31)
    licence = serializers.CharField(required=False, max_length=200, allow_blank=True)
    notes = serializers.CharField(required=False, max_length=2000, allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        kind = attrs["kind"]
        wrong = {name: [f"{kind} has no such choice."] for name in attrs if not _fits(name, kind)}
        if "format" in attrs and attrs["format"] not in KINDS[kind].formats:
            formats = ", ".join(KINDS[kind].formats)
            wrong["format"] = [f"{kind} is trained on files as {formats}."]
        if ("file" in attrs) != ("format" in attrs):
            missing = "format" if "file" in attrs else "file"
            wrong[missing] = ["A file needs its format, and a format its file."]
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
    if "file" in given:
        told["formats"] = {file_name(given["file"].name): given["format"]}
    try:
        return Choices(**told)
    except ValueError as error:
        message = str(error)
        raise serializers.ValidationError([f"{message[:1].upper()}{message[1:]}."]) from error


def _fits(name: str, kind: str) -> bool:
    return kind in _ONLY.get(name, {kind}) and not (kind == "kpqa" and name in _NOT_OF_KPQA)
