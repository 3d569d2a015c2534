"""REST API of disagreements, changes between versions and the audit log of a set."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.errors.services import errors, rank_pairs
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, versions
from concord.meta.board import GROUPINGS
from core.accounts.roles import Role
from core.audit.models import AuditEvent
from core.pages.errors import MissingError
from core.rest.history import EventDocument, ListEvents, filter_events
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView

NUMBER: dict[str, Any] = {"min_value": 1, "max_value": 2**62}


class DisagreementQuery(Strict):
    run = serializers.IntegerField(**NUMBER, help_text="A complete metric run.")
    other = serializers.IntegerField(
        **NUMBER, required=False, help_text="Another complete run, instead of people."
    )
    count = serializers.IntegerField(min_value=1, max_value=100, default=20)
    direction = serializers.ChoiceField(
        ("both", "over", "under"), default="both", help_text="over: the first ranks it higher."
    )
    compare = serializers.ChoiceField(
        ("rank", "score"), default="rank", help_text="score: compare the scores themselves."
    )
    by = serializers.ChoiceField(
        GROUPINGS, required=False, help_text="Restricts candidates, with `group`."
    )
    group = serializers.CharField(required=False, max_length=500, trim_whitespace=False)


class ConflictDocument(serializers.Serializer[errors.Conflict]):
    """A candidate on which two sides disagree, with the share of candidates below it by each."""

    id = serializers.CharField(source="candidate.key")
    candidate = serializers.CharField(source="candidate.text")
    question = serializers.CharField(source="candidate.instance.question")
    references = serializers.ListField(
        child=serializers.CharField(), source="candidate.instance.references"
    )
    system = serializers.CharField(source="candidate.system")
    score = serializers.FloatField()
    other = serializers.FloatField(help_text="By people, or the other metric.")
    by_one = serializers.FloatField()
    by_other = serializers.FloatField()
    reasons = serializers.SerializerMethodField(help_text="The reasons people gave.")

    def get_reasons(self, conflict: errors.Conflict) -> list[str]:
        return [tag.reason for tag in conflict.tags]


class ConflictsDocument(serializers.Serializer[Any]):
    """The largest disagreements, largest first."""

    conflicts = ConflictDocument(many=True)


class RankPairsQuery(Strict):
    threshold = serializers.FloatField(
        min_value=0.01,
        max_value=1e6,
        default=2.0,
        help_text="Minimum difference in gold score.",
    )


class RankPairsDocument(serializers.Serializer[Any]):
    """Each metric's share of pairs that it orders as people do."""

    threshold = serializers.FloatField()
    n = serializers.IntegerField()
    rows = serializers.ListField(child=serializers.DictField())


class ChangesQuery(Strict):
    since = serializers.IntegerField(
        **NUMBER, required=False, help_text="A version; by default the previous one."
    )


class GoldChangeDocument(serializers.Serializer[versions.GoldChange]):
    """A candidate whose gold score differs; null means not judged."""

    id = serializers.CharField(source="key")
    before = serializers.FloatField(allow_null=True)
    after = serializers.FloatField(allow_null=True)


class ChangesDocument(serializers.Serializer[versions.Comparison]):
    """Candidates that were added, removed or changed from one version to another."""

    first = serializers.CharField()
    second = serializers.CharField()
    common = serializers.IntegerField()
    added = serializers.ListField(child=serializers.CharField())
    gone = serializers.ListField(child=serializers.CharField(), source="removed")
    text_changed = serializers.ListField(child=serializers.CharField())
    changes = GoldChangeDocument(many=True)
    correlation = serializers.FloatField(allow_null=True)
    mean_change = serializers.FloatField(allow_null=True)


class Disagreements(ApiView):
    @operation(
        "List disagreements",
        scope="sets:read",
        visitors=True,
        query=DisagreementQuery,
        answer=ConflictsDocument,
        tag="disagreements",
    )
    def get(self, request: Request, ref: str) -> Response:
        """Candidates where a metric and people, or two metrics, differ most in rank or score."""
        judgment_set = access.set_for(request.user, ref)
        query = self.query()
        run = find_complete_run(judgment_set, query["run"])
        other = find_complete_run(judgment_set, query["other"]) if "other" in query else None
        labels = {query["by"]: query["group"]} if {"by", "group"} <= query.keys() else {}
        conflicts = errors.conflicts(
            run,
            other,
            query["count"],
            direction=query["direction"],
            compare=query["compare"],
            **labels,
        )
        return self.answer({"conflicts": conflicts})


class RankPairs(ApiView):
    @operation(
        "Read accuracy on pairs far apart",
        scope="sets:read",
        visitors=True,
        query=RankPairsQuery,
        answer=RankPairsDocument,
        tag="disagreements",
        also={422: "The set has no such pairs; the detail says why."},
    )
    def get(self, request: Request, ref: str) -> Response:
        """Pairs are answers of two systems whose gold scores differ clearly. Best metric first."""
        judgment_set = access.set_for(request.user, ref)
        return Response(rank_pairs.table(judgment_set, self.query()["threshold"]))


class Changes(ApiView):
    @operation(
        "Compare two versions",
        scope="sets:read",
        visitors=True,
        query=ChangesQuery,
        answer=ChangesDocument,
        tag="sets",
    )
    def get(self, request: Request, ref: str) -> Response:
        """For each candidate, largest changes first."""
        second = access.set_for(request.user, ref)
        return self.answer(versions.compare(_earlier(second, self.query().get("since")), second))


class SetHistory(ApiView):
    @operation(
        "List the audit log of a judgment set",
        scope="sets:read",
        query=ListEvents,
        answer=EventDocument,
        pages=True,
        tag="history",
    )
    def get(self, request: Request, ref: str) -> Response:
        """The events of all versions, latest first."""
        judgment_set = access.set_for(request.user, ref, Role.VIEWER)
        events = AuditEvent.objects.of_set(judgment_set.name)
        return self.page_of_query(filter_events(events, self.query()), "-pk")


def _earlier(second: JudgmentSet, version: int | None) -> JudgmentSet:
    for one in versions.versions_of(second.name, second.viewer):
        if one.version == version or (version is None and one.version < second.version):
            return one
    raise MissingError(f"{second.name} has no such version to compare with.")
