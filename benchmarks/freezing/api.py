"""Freezing a study: what its gold scores would be, and the judgment set made of them."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.studies.models import Stage
from annotation.studies.services.access import study_for
from benchmarks.freezing import services as freezing
from benchmarks.freezing import tasks
from benchmarks.freezing.models import Freezing
from benchmarks.freezing.services import FreezeRefusedError, Preview
from benchmarks.freezing.services.previews import MAX_ROWS_AT_ONCE
from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from concord.protocols.protocol import AGGREGATIONS
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.pages.errors import MissingError
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView
from core.rest.work import WorkDocument

KINDS = tuple(kind.value for kind in Stage.Kind if kind != Stage.Kind.QUALIFICATION)


class FreezeQuery(Strict):
    aggregation = serializers.ChoiceField(
        AGGREGATIONS, required=False, help_text="By default the protocol's."
    )
    stages = serializers.ListField(
        child=serializers.ChoiceField(KINDS),
        required=False,
        help_text="By default all but a trial that does not count.",
    )


class Freeze(FreezeQuery):
    name = serializers.RegexField(
        rf"^{NAME_PATTERN}\Z",
        required=False,
        max_length=max_length(JudgmentSet, "name"),
        help_text="By default the study's.",
    )
    is_preview = serializers.BooleanField(
        default=False, help_text="Only compute what it would make."
    )


class FrozenDocument(serializers.Serializer[Preview]):
    """What freezing would make."""

    candidates = serializers.IntegerField()
    pairs = serializers.IntegerField()
    ratings = serializers.IntegerField()
    left_out = serializers.DictField(child=serializers.IntegerField(), help_text="By reason.")
    unrated_pairs = serializers.IntegerField()
    reversed_pairs = serializers.SerializerMethodField(
        help_text="Whose better member is not rated higher."
    )
    shared = serializers.IntegerField()
    settled = serializers.IntegerField()
    is_simulated = serializers.BooleanField()

    def get_reversed_pairs(self, found: Preview) -> list[str]:
        return [key for key, *_ in found.reversed_pairs]


EXAMPLE = {
    "id": 3,
    "status": "complete",
    "percent": 100,
    "reason": "",
    "created_at": "2026-01-05T09:30:00Z",
    "finished_at": "2026-01-05T09:30:04Z",
    "study": "boats",
    "aggregation": "mean",
    "stages": ["full"],
    "name": "boats",
    "is_preview": False,
    "preview": {
        "candidates": 300,
        "pairs": 0,
        "ratings": 900,
        "left_out": {"no kept rating": 2},
        "unrated_pairs": 0,
        "reversed_pairs": [],
        "shared": 4,
        "settled": 1,
        "is_simulated": False,
    },
    "judgment_set": "boats@1",
}


class FreezingDocument(WorkDocument):
    """A study on its way into a judgment set, or a preview of it."""

    study = serializers.CharField(source="study.slug")
    aggregation = serializers.CharField()
    stages = serializers.ListField(child=serializers.CharField())
    name = serializers.CharField(help_text="The set's, without a version.")
    is_preview = serializers.BooleanField(help_text="Makes no set.")
    preview = serializers.SerializerMethodField(help_text="Null until it is computed.")
    judgment_set = serializers.SerializerMethodField(
        help_text="NAME@VERSION that it made; null while there is none, or none you may see."
    )

    @extend_schema_field(FrozenDocument(allow_null=True))
    def get_preview(self, found: Freezing) -> dict[str, Any] | None:
        if found.preview is None:
            return None
        return dict(FrozenDocument(Preview(**found.preview)).data)

    def get_judgment_set(self, found: Freezing) -> str | None:
        made = freezing.visible_set(found, self.context["request"].user)
        return str(made) if made else None


class FreezeStudy(ApiView):
    @operation(
        "Preview a frozen study",
        scope="studies:read",
        query=FreezeQuery,
        answer=FrozenDocument,
        tag="freezing",
        also={409: "There is nothing to freeze yet, or it takes too long here; it says why."},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Writes nothing. A study of many candidates and ratings is previewed by a worker: POST
        with `is_preview`."""
        asked = self.query()
        study = study_for(request.user, slug, Role.VIEWER)
        if not freezing.is_small(study):
            raise FreezeRefusedError(
                f"The study has more than {MAX_ROWS_AT_ONCE:,} candidates and ratings: its preview "
                "takes long. Have a worker compute it: POST here with is_preview."
            )
        aggregation = asked.get("aggregation", study.current.protocol.aggregation)
        return self.answer(freezing.preview(study, aggregation, asked.get("stages")))

    @operation(
        "Freeze a study",
        scope="studies:write",
        body=Freeze,
        answer=FreezingDocument,
        status=202,
        creates=True,
        tag="freezing",
        also={409: "There is nothing to freeze yet; it says why."},
        example={"aggregation": "mean", "name": "my-answers"},
        answer_example=EXAMPLE
        | {"status": "queued", "percent": 0, "preview": None, "judgment_set": None},
    )
    def post(self, request: Request, slug: str) -> Response:
        """A worker makes the next version of a judgment set from the ratings that the ledger keeps:
        ask for the freezing, at `Location`, until it has ended. The set is private; a new name has
        the study's members. Asked for twice at once, it is one freezing."""
        study = study_for(request.user, slug, Role.EDITOR)
        given = self.body()
        with transaction.atomic():
            job = freezing.request(
                study,
                given.get("aggregation", study.current.protocol.aggregation),
                name=given.get("name", ""),
                stages=given.get("stages"),
                is_preview=given["is_preview"],
                by=cast(User, request.user),
                at=now(),
            )
            transaction.on_commit(lambda: tasks.freeze_study.delay(job.pk))
        return self.accepted(job, reverse("api-freezing", args=[slug, job.pk]))


class StudyFreezing(ApiView):
    @operation(
        "Read a freezing",
        scope="studies:read",
        answer=FreezingDocument,
        tag="freezing",
        answer_example=EXAMPLE,
    )
    def get(self, request: Request, slug: str, freezing_id: int) -> Response:
        """Ask again until `status` is complete, failed or cancelled; with If-None-Match, what has
        not advanced is not sent again."""
        return self.answer(_find(request, slug, freezing_id, Role.VIEWER))


class StopFreezing(ApiView):
    @operation(
        "Stop a freezing",
        scope="studies:write",
        answer=FreezingDocument,
        changes=lambda: StudyFreezing,
        tag="freezing",
        answer_example=EXAMPLE,
    )
    def post(self, request: Request, slug: str, freezing_id: int) -> Response:
        """No version is made. One that has ended stays as it is."""
        _find(request, slug, freezing_id, Role.EDITOR).cancel(at=now())
        return self.answer(_find(request, slug, freezing_id, Role.EDITOR))


def _find(request: Request, slug: str, pk: int, needs: Role) -> Freezing:
    study = study_for(request.user, slug, needs)
    found: Freezing | None = study.freezings.filter(pk=pk).first()
    if found is None:
        raise MissingError(f"The study {slug} has no freezing {pk}.")
    return found
