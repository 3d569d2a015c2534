"""Request bodies of trainings; each kind of metric has some of the fields."""

from __future__ import annotations

from rest_framework import serializers

from benchmarks.trainings.inputs import CHOSEN, NewTraining
from benchmarks.trainings.services import KINDS, TrainingOptions, safe_file_name
from benchmarks.trainings.services.files import check_answers
from concord.sentences import to_sentence
from core.rest.derived import DataclassSerializer
from core.rest.serializers import ValidatedData

EXAMPLE = {"name": "my-lerc", "kind": "lerc", "sets": ["demo@1"], "epochs": 3}


class StartTraining(DataclassSerializer):
    dataclass = NewTraining
    only = ("name", "kind", "defaults", "sets", "format", *CHOSEN)
    optional = ("sets", "format", *CHOSEN)

    file = serializers.FileField(required=False)
    answers = serializers.FileField(
        required=False, help_text="lerc-choices: MCTest's .ans file for its .tsv file."
    )

    def validate(self, attrs: ValidatedData) -> ValidatedData:
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


def parse_choices(body: ValidatedData) -> TrainingOptions:
    """The choices of a request body. Raises ValidationError for an invalid combination."""
    values: dict[str, object] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in body.items()
        if name in CHOSEN
    }
    if not values.get("parts", True):
        del values["parts"]
    if "file" in body:
        values["formats"] = {safe_file_name(body["file"].name): body["format"]}
    try:
        return TrainingOptions.of_kind(body["kind"], body["defaults"], **values)
    except ValueError as error:
        raise serializers.ValidationError([to_sentence(error)]) from error


def _has_field(kind: str, name: str) -> bool:
    return name in KINDS[kind].fields | {"name", "kind", "file", "format"}
