"""API of a stage's sampling: its rule, what its waves found, and going on."""

from __future__ import annotations

from typing import Any

from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.stages.models import DEFAULT_WAVE, MAX_WAVE, StageSampling
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
from concord.formats import Limits
from concord.sampling import AIMS, MIN_WAVE, RULES, STRATIFY_BY, TARGET_KINDS, SamplingRule
from concord.sampling.rules import MIN_UNIFORM_SHARE
from core.rest.operations import FORM, operation
from core.rest.serializers import Strict
from core.rest.views import ApiView


class SetSampling(Strict):
    """How the full stage draws what people rate, and when it stops."""

    scores = serializers.FileField(
        allow_empty_file=True,
        help_text="JSON Lines or a table: the candidates' ids and one or more metrics.",
    )
    rule = serializers.ChoiceField(RULES)
    aim = serializers.ChoiceField(AIMS, default="mean")
    systems = serializers.ListField(
        child=serializers.CharField(max_length=Limits.max_name_chars),
        default=list,
        max_length=2,
        help_text="The two systems of the aim `difference`.",
    )
    strata = serializers.ChoiceField(
        STRATIFY_BY, default="score", help_text="For the stratified rule."
    )
    uniform_share = serializers.FloatField(
        default=SamplingRule.uniform_share,
        min_value=MIN_UNIFORM_SHARE,
        max_value=1,
        help_text="Keeps every probability above this share of the uniform one.",
    )
    wave_size = serializers.IntegerField(
        default=DEFAULT_WAVE,
        min_value=MIN_WAVE,
        max_value=MAX_WAVE,
        help_text="Expected number of instances of a wave.",
    )
    target = serializers.ChoiceField(TARGET_KINDS)
    value = serializers.FloatField(
        required=False,
        allow_null=True,
        default=None,
        help_text="The width of the intervals, or the level of the ranking.",
    )
    budget = serializers.IntegerField(
        min_value=MIN_WAVE, max_value=MAX_WAVE, help_text="The most instances to draw."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        try:
            rule, stopping = sampling_rules.rules_of(attrs)
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
        example={"scores": "(a file)", "rule": "active", "target": "width", "value": 0.5,
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

    @operation(
        "Remove a stage's sampling",
        scope="studies:write",
        status=204,
        changes=lambda: Sampling,
        tag="stages",
        also={409: "The stage has HITs."},
    )
    def delete(self, request: Request, slug: str, kind: str) -> Response:
        """The stage rates every candidate."""
        stage = stage_of(edited(request, slug), kind)
        sampling_rules.remove_sampling(stage, by=person(request))
        return Response(status=204)


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
