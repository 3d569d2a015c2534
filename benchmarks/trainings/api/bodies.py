"""Request bodies of trainings; each kind of metric has some of the fields."""

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
    safe_file_name,
)
from benchmarks.trainings.services.choices import RATE, SEED, WORD
from benchmarks.trainings.services.files import check_answers
from concord.sentences import to_sentence
from core.rest.derived import real_field, text_field, whole_field
from core.rest.serializers import Strict
from scorers.training_defaults import NAMES, PAPER

FORMATS = tuple(sorted({name for kind in KINDS.values() for name in kind.formats}))
EXAMPLE = {"name": "my-lerc", "kind": "lerc", "sets": ["demo@1"], "epochs": 3}


class MetricName(serializers.RegexField):
    """A valid name of a learned metric."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(rf"^{NAME}\Z", max_length=60, help_text=NAME_HELP, **kwargs)


class StartTraining(Strict):
    """Omitted fields have the value that `defaults` names, as on the page and in the commands."""

    name = MetricName()
    kind = serializers.ChoiceField(sorted(KINDS))
    defaults = serializers.ChoiceField(
        tuple(NAMES),
        default=PAPER,
        help_text="; ".join(f"{name}: {meaning}" for name, meaning in NAMES.items()) + ".",
    )
    sets = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        max_length=50,
        help_text="Judgment sets as NAME@VERSION.",
    )
    file = serializers.FileField(required=False)
    format = serializers.ChoiceField(FORMATS, required=False, help_text="Format of the file.")
    answers = serializers.FileField(
        required=False, help_text="lerc-choices: MCTest's .ans file for its .tsv file."
    )
    pretrained = serializers.CharField(
        required=False,
        **bounds("pretrained"),
        help_text="The checkpoint whose encoder to start from; it must have the same `lora_rank`.",
    )
    without = serializers.ListField(
        child=text_field(WORD),
        required=False,
        **bounds("without"),
        help_text="Constituents to exclude from training.",
    )
    parts = serializers.ListField(
        child=serializers.ChoiceField(PARTS),
        required=False,
        help_text="lerc, lerc-choices: the parts of an item that it reads; by default all.",
    )
    reading = serializers.ChoiceField(
        READINGS,
        required=False,
        help_text="joined: one input of all parts. match: reference and candidate are encoded "
        "separately and compared token by token.",
    )
    layer = serializers.IntegerField(
        required=False, **bounds("layer"), help_text="match: the hidden layer to compare."
    )
    design = serializers.ChoiceField(DESIGNS, required=False, help_text="ava")
    features = serializers.ListField(
        child=serializers.ChoiceField(FEATURES),
        required=False,
        help_text="Untrained metrics whose scores are inputs of the head.",
    )
    bound = serializers.FloatField(
        required=False, **bounds("bound"), help_text="Largest correction of these scores."
    )
    made = serializers.FloatField(
        required=False, **bounds("made"), help_text="kpqa: share of generated questions."
    )
    epochs = serializers.IntegerField(required=False, **bounds("epochs"))
    patience = serializers.IntegerField(
        required=False,
        **bounds("patience"),
        help_text="Stop after this number of epochs without improvement.",
    )
    rates = serializers.ListField(
        child=real_field(RATE),
        required=False,
        **bounds("rates"),
        help_text="Learning rates to try; the best on the dev part is selected.",
    )
    seeds = serializers.ListField(child=whole_field(SEED), required=False, **bounds("seeds"))
    batch_size = serializers.IntegerField(required=False, **bounds("batch_size"))
    max_tokens = serializers.IntegerField(required=False, **bounds("max_tokens"))
    lora_rank = serializers.IntegerField(
        required=False, **bounds("lora_rank"), help_text="0 trains all weights."
    )
    dev_share = serializers.FloatField(required=False, **bounds("dev_share"))
    test_share = serializers.FloatField(required=False, **bounds("test_share"))
    split_seed = serializers.IntegerField(required=False, **bounds("split_seed"))
    licence = serializers.CharField(required=False, **bounds("licence"), allow_blank=True)
    notes = serializers.CharField(required=False, **bounds("notes"), allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        kind = attrs["kind"]
        errors = {
            name: [f"{kind} does not have this field."]
            for name in attrs
            if not _has_field(kind, name)
        }
        if "format" in attrs and attrs["format"] not in KINDS[kind].formats:
            formats = ", ".join(KINDS[kind].formats)
            errors["format"] = [f"{kind} is trained on files in these formats: {formats}."]
        if ("file" in attrs) != ("format" in attrs):
            missing = "format" if "file" in attrs else "file"
            errors[missing] = ["Send a file together with its format."]
        try:
            check_answers(attrs.get("format"), "answers" in attrs)
        except ValueError as error:
            errors.setdefault("answers", [str(error)])
        if errors:
            raise serializers.ValidationError(errors)
        return attrs


def parse_choices(body: dict[str, Any]) -> Choices:
    """The choices of a request body. Raises ValidationError for an invalid combination."""
    names = Choices.__dataclass_fields__
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in body.items()
        if name in names
    }
    if not values.get("parts", True):
        del values["parts"]
    if "file" in body:
        values["formats"] = {safe_file_name(body["file"].name): body["format"]}
    try:
        return Choices.of_kind(body["kind"], body["defaults"], **values)
    except ValueError as error:
        raise serializers.ValidationError([to_sentence(error)]) from error


def _has_field(kind: str, name: str) -> bool:
    return name in KINDS[kind].fields | {"name", "kind", "file", "format"}
