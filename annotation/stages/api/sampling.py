"""API of a stage's sampling: its rule, what its waves found, and going on."""

from __future__ import annotations

from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.stages import score_files
from annotation.stages.inputs import SamplingOptions
from annotation.stages.models import StageSampling
from annotation.stages.score_files import read_upload
from annotation.stages.services import continuing, sampling_rules
from annotation.stages.services.sampling_figures import SamplingFigures, sampling_figures
from annotation.studies.api.access import edited, found_or_404, person, stage_of, viewed
from annotation.studies.models import Study
from concord.documents.conversion import fill
from concord.documents.sampling import (
    SamplingDocument,
)
from concord.estimation import EstimationError
from core.rest.derived import DataclassSerializer, value_of
from core.rest.operations import FORM, operation
from core.rest.views import ApiView
from core.security.declarations import costs


class SetSampling(DataclassSerializer):
    dataclass = SamplingOptions

    scores = serializers.FileField(
        allow_empty_file=True,
        help_text="JSON Lines or a table: the candidates' ids and one or more metrics.",
    )

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        try:
            rule, stopping = value_of(SamplingOptions, attrs).rules()
        except EstimationError as error:
            raise serializers.ValidationError(str(error)) from error
        return {**attrs, "sampling_rule": rule, "stopping_rule": stopping}


def sampling_document(figures: SamplingFigures) -> SamplingDocument:
    return fill(
        SamplingDocument,
        figures,
        figures.sampling,
        unjudged=list(figures.unjudged.values_list("key", flat=True)),
    )


@costs(files=score_files.file_limits)
class Sampling(ApiView):
    @operation(
        "Read a stage's sampling",
        scope="studies:read",
        answer=sampling_document,
        tag="stages",
    )
    def get(self, request: Request, slug: str, kind: str) -> Response:
        """Its rule, target, waves and looks. 404 where the stage rates every candidate."""
        return _respond(self, viewed(request, slug), kind)

    @operation(
        "Set a stage's sampling",
        scope="studies:write",
        body=SetSampling,
        takes=FORM,
        answer=sampling_document,
        status=201,
        creates=True,
        tag="stages",
        also={
            409: "It is not the full stage, it has HITs, or what it rates cannot be drawn.",
            422: "The rules do not fit together, or the file is invalid.",
        },
        example={"scores": "(a file)", "rule": "stratified", "target": "width", "value": 0.5,
                 "budget": 400},
    )  # fmt: skip
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """Before the full stage is opened. Replaces an earlier rule."""
        study = edited(request, slug)
        body = self.body()
        sampling_rules.set_sampling(
            stage_of(study, kind),
            body["sampling_rule"],
            body["stopping_rule"],
            body["wave_size"],
            read_upload(body["scores"]),
            by=person(request),
            at=now(),
        )
        return _respond(self, study, kind)


class ContinueSampling(ApiView):
    @operation(
        "Continue a stage's sampling",
        scope="studies:write",
        answer=sampling_document,
        changes=lambda: Sampling,
        tag="stages",
        also={409: "Nothing follows now; the problem says why and what to do."},
    )
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """Takes a look at the rated waves, and draws the next one or closes the stage. This happens
        by itself soon after a wave is rated."""
        study = edited(request, slug)
        continuing.continue_now(_sampling_of(study, kind), at=now())
        return _respond(self, study, kind)


def _sampling_of(study: Study, kind: str) -> StageSampling:
    return found_or_404(sampling_rules.sampling_of(stage_of(study, kind)), "sampling")


def _respond(view: ApiView, study: Study, kind: str) -> Response:
    return view.answer(sampling_figures(_sampling_of(study, kind)))
