"""REST API of disagreements, changes between versions and the audit log of a set."""

from __future__ import annotations

from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.errors.inputs import ROW, DisagreementOptions
from benchmarks.errors.services import errors
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, versions
from concord.documents.account import EventDocument
from concord.documents.conversion import fill
from concord.documents.disagreements import (
    ChangesDocument,
    ConflictDocument,
    ConflictsDocument,
    GoldChangeDocument,
)
from concord.meta.board import GROUPINGS
from core.accounts.roles import Role
from core.audit.models import AuditEvent
from core.pages.errors import MissingError
from core.rest.derived import DataclassSerializer, whole_field
from core.rest.history import ListEvents, filter_events
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView


class DisagreementQuery(DataclassSerializer):
    dataclass = DisagreementOptions
    only: ClassVar[tuple[str, ...]] = ("run", "other", "count", "compare")
    is_query = True

    direction = serializers.ChoiceField(
        ("both", "over", "under"), default="both", help_text="over: the first ranks it higher."
    )
    by = serializers.ChoiceField(
        GROUPINGS, required=False, help_text="Restricts candidates, with `group`."
    )
    group = serializers.CharField(required=False, max_length=500, trim_whitespace=False)


def conflict_document(conflict: errors.Conflict) -> ConflictDocument:
    candidate = conflict.candidate
    return fill(
        ConflictDocument,
        conflict,
        candidate.instance,
        id=candidate.key,
        candidate=candidate.text,
        system=candidate.system,
    )


class ChangesQuery(Strict):
    since = whole_field(ROW, required=False, help_text="A version; by default the previous one.")


def changes_document(row: versions.VersionChanges) -> ChangesDocument:
    changes = [fill(GoldChangeDocument, one, id=one.key) for one in row.changes]
    return fill(ChangesDocument, row, gone=row.removed, changes=changes)


class MetricDisagreementsView(ApiView):
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
        return self.answer({"conflicts": [conflict_document(one) for one in conflicts]})


class MetricChangesView(ApiView):
    @operation(
        "Compare two versions",
        scope="sets:read",
        visitors=True,
        query=ChangesQuery,
        answer=changes_document,
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
