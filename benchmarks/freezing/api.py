"""Freezing a study: what its gold scores would be, and the judgment set made of them."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.studies.models import Stage
from annotation.studies.services.access import study_for
from benchmarks.freezing import services as freezing
from benchmarks.runs.api.documents import SetDetailDocument
from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from benchmarks.sets.services import access
from benchmarks.sets.viewers import Viewer
from concord.protocols.protocol import AGGREGATIONS
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView

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


class FrozenDocument(serializers.Serializer[freezing.Frozen]):
    """What freezing would make."""

    candidates = serializers.SerializerMethodField()
    pairs = serializers.SerializerMethodField()
    ratings = serializers.IntegerField(source="rating_count")
    left_out = serializers.DictField(child=serializers.IntegerField(), help_text="By reason.")
    unrated_pairs = serializers.IntegerField()
    reversed_pairs = serializers.SerializerMethodField(
        help_text="Whose better member is not rated higher."
    )
    shared = serializers.IntegerField()
    settled = serializers.IntegerField()
    is_simulated = serializers.BooleanField()

    def get_candidates(self, found: freezing.Frozen) -> int:
        return len(found.candidates)

    def get_pairs(self, found: freezing.Frozen) -> int:
        return len(found.pairs)

    def get_reversed_pairs(self, found: freezing.Frozen) -> list[str]:
        return [key for key, *_ in found.reversed_pairs]


class FreezeStudy(ApiView):
    @operation(
        "Preview a frozen study",
        scope="studies:read",
        query=FreezeQuery,
        answer=FrozenDocument,
        tag="freezing",
        also={409: "There is nothing to freeze yet; it says why."},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Writes nothing."""
        asked = self.query()
        study = study_for(request.user, slug, Role.VIEWER)
        aggregation = asked.get("aggregation", study.current.protocol.aggregation)
        return self.answer(freezing.prepare(study, aggregation, asked.get("stages")))

    @operation(
        "Freeze a study",
        scope="studies:write",
        body=Freeze,
        answer=SetDetailDocument,
        status=201,
        creates=True,
        tag="freezing",
        also={409: "There is nothing to freeze yet; it says why."},
        example={"aggregation": "mean", "name": "my-answers"},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Makes the next version of a judgment set from the ratings that the ledger keeps. It is
        private; a new name has the study's members."""
        study = study_for(request.user, slug, Role.EDITOR)
        given = self.body()
        made = freezing.freeze(
            study,
            given.get("aggregation", study.current.protocol.aggregation),
            name=given.get("name", ""),
            stages=given.get("stages"),
            by=cast(User, request.user),
            at=now(),
        )
        found: Any = access.sets_for(request.user).get(pk=made.pk)
        found.viewer = Viewer.of(request.user, access.role_on(request.user, found.name))
        return self.answer(found, location=reverse("api-set", args=[str(found)]))
