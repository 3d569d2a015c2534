"""REST API: create a study with a set's lost minimal pairs or largest disagreements."""

from __future__ import annotations

import secrets

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.setup.api.studies import study_document
from annotation.studies.models import SLUG, Study
from annotation.studies.services.access import RESEARCHERS_ONLY, may_create_studies
from benchmarks.errors.api.disagreements import DisagreementQuery
from benchmarks.errors.services import studies_from_sets
from benchmarks.errors.services.studies_from_sets import DISAGREEMENTS, LOST_PAIRS, StudyItems
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from concord.protocols import PRESETS
from core.accounts.views.shared import person
from core.column_bounds import max_length
from core.rest.operations import operation
from core.rest.serializers import ValidatedData
from core.rest.views import ApiView


class NewStudyFromSet(DisagreementQuery):
    only = (*DisagreementQuery.only, "phenomenon")

    items = serializers.ChoiceField(
        (LOST_PAIRS, DISAGREEMENTS),
        help_text="The run's wrongly ordered minimal pairs, or its largest disagreements.",
    )
    preset = serializers.ChoiceField(
        sorted(PRESETS), required=False, help_text="By default that of the set's kind."
    )
    slug = serializers.RegexField(
        SLUG,
        required=False,
        max_length=max_length(Study, "slug"),
        help_text="By default made from the set's name.",
    )


class StudyFromSet(ApiView):
    @operation(
        "Create a study with items that a metric gets wrong",
        scope="studies:write",
        body=NewStudyFromSet,
        answer=study_document,
        status=201,
        creates=True,
        tag="disagreements",
        also={422: "There are no such items, or labels of the set are hidden from you."},
        example={"items": "lost-pairs", "run": 7, "preset": "mocha-2020"},
    )
    def post(self, request: Request, ref: str) -> Response:
        """The study is private and you own it. It contains every answer to the items' questions,
        but no score of the set."""
        judgment_set = access.set_for(request.user, ref)
        if not may_create_studies(request.user):
            raise PermissionDenied(RESEARCHERS_ONLY)
        body = self.body()
        study = studies_from_sets.create(
            judgment_set,
            _items(judgment_set, body),
            preset_name=body.get("preset", ""),
            slug=body.get("slug", ""),
            owner=person(request),
            seed=secrets.randbits(62),
            at=now(),
        )
        return self.answer(study, location=reverse("api-study", args=[study.slug]))


def _items(judgment_set: JudgmentSet, body: ValidatedData) -> StudyItems:
    run = find_complete_run(judgment_set, body["run"])
    if body["items"] == LOST_PAIRS:
        return studies_from_sets.lost_pairs(judgment_set, run, body["phenomenon"])
    other = find_complete_run(judgment_set, body["other"]) if "other" in body else None
    labels = {body["by"]: body["group"]} if {"by", "group"} <= body.keys() else {}
    return studies_from_sets.disagreements(
        judgment_set, run, other, body["count"], direction=body["direction"], **labels
    )
