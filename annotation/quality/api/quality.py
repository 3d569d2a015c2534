"""API of the ledger and workers."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality.api.access import step_of
from annotation.quality.api.agreement import AgreementFigureDocument, LevelQuery
from annotation.quality.bounds import AT_MOST, KEY, NOTE, REASON, REASON_IS_SHOWN, WORKER
from annotation.quality.models import LedgerStep
from annotation.quality.services import ledgers, worker_reports
from annotation.quality.services.rating_data import collect_first_ratings, collect_gold_ratings
from annotation.rating.api import participation_of
from annotation.rating.models import Participation
from annotation.rating.services import participation
from annotation.studies.api.access import edited, person, viewed
from concord.filtering import Ledger
from concord.filtering.ledger import STEPS
from core.rest.derived import text_field, whole_field
from core.rest.operations import operation
from core.rest.serializers import Flag, Paged, Strict
from core.rest.views import ApiView


class LedgerStepDocument(serializers.Serializer[LedgerStep]):
    """A filter or exclusion."""

    number = serializers.IntegerField()
    step = serializers.DictField(source="content")
    note = serializers.CharField()
    active = serializers.BooleanField()
    made_by = serializers.CharField(source="made_by.username")
    made_at = serializers.DateTimeField()


class LedgerDocument(serializers.Serializer[Any]):
    """The ledger and its effect."""

    steps = LedgerStepDocument(many=True)
    suggested_steps = serializers.ListField(
        child=serializers.DictField(),
        help_text="Filters of the protocol that are not in the ledger.",
    )
    kept = serializers.IntegerField()
    removed = serializers.IntegerField()
    before = AgreementFigureDocument(help_text="Alpha of all ratings.")
    after = AgreementFigureDocument(help_text="Alpha of the remaining ratings.")
    null = serializers.FloatField(
        allow_null=True, help_text="Alpha after applying the ledger to shuffled ratings."
    )
    summary = serializers.CharField(help_text="How much of the change in alpha is real.")


class NewStep(Strict):
    """A step. The kind decides which fields apply."""

    kind = serializers.ChoiceField(tuple(STEPS))
    threshold = serializers.FloatField(required=False)
    at_most = whole_field(AT_MOST, required=False)
    ddof = serializers.IntegerField(required=False)
    one_sided = Flag(required=False)
    by = serializers.CharField(required=False, max_length=40)
    at_least = serializers.IntegerField(required=False)
    seconds = serializers.FloatField(required=False)
    worker = text_field(WORKER, required=False)
    unit = serializers.CharField(required=False, max_length=KEY.max_chars, trim_whitespace=False)
    reason = text_field(REASON, required=False)
    note = text_field(NOTE, default="")

    def validate_kind(self, kind: str) -> str:
        if kind == "exclude-worker":
            raise serializers.ValidationError(
                "To exclude a worker, send a POST to the worker's `exclude` address."
            )
        return kind


class WorkerDocument(serializers.Serializer[worker_reports.WorkerRow]):
    """A worker's figures; null if undefined."""

    worker = serializers.CharField(source="name")
    qualified = serializers.CharField(source="participation.qualified")
    excluded_at = serializers.DateTimeField(source="participation.excluded_at", allow_null=True)
    withdrawn_at = serializers.DateTimeField(source="participation.withdrawn_at", allow_null=True)
    count = serializers.IntegerField()
    submitted = serializers.IntegerField()
    mean_z = serializers.FloatField(allow_null=True)
    mean_abs_z = serializers.FloatField(allow_null=True)
    correlation = serializers.FloatField(allow_null=True)
    gold = serializers.FloatField(allow_null=True)
    gold_count = serializers.IntegerField()
    seconds = serializers.FloatField(allow_null=True)
    alpha_change = serializers.FloatField(allow_null=True)
    same_choice = serializers.FloatField(
        allow_null=True,
        help_text="Share of the others' choices on the same pairs or sets that are the same.",
    )
    flags = serializers.ListField(child=serializers.CharField())


class ParticipationDocument(serializers.Serializer[Participation]):
    """A worker in a study."""

    worker = serializers.CharField(source="worker.name")
    qualified = serializers.ChoiceField(Participation.Qualified.choices)
    tries = serializers.IntegerField()
    consented_at = serializers.DateTimeField(allow_null=True)
    excluded_at = serializers.DateTimeField(allow_null=True)
    exclusion_reason = serializers.CharField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    earned_cents = serializers.SerializerMethodField()

    def get_earned_cents(self, row: Participation) -> int:
        return participation.earned_cents(row)


class Reason(Strict):
    reason = serializers.CharField(max_length=REASON.max_chars, help_text=REASON_IS_SHOWN)


class LedgerSteps(ApiView):
    @operation(
        "Read the ledger",
        scope="studies:read",
        query=LevelQuery,
        answer=LedgerDocument,
        tag="quality",
    )
    def get(self, request: Request, slug: str) -> Response:
        """All steps in order, including undone ones, and their effect on alpha."""
        study = viewed(request, slug)
        level = self.query().get("level") or study.current.protocol.level
        report = ledgers.ledger_report(study, collect_gold_ratings(study), level)
        return self.answer(
            {
                "steps": [line.row for line in report.lines],
                "suggested_steps": Ledger(tuple(ledgers.suggested_steps(study))).to_json(),
                "kept": int(report.kept.sum()),
                "removed": report.removed,
                "before": report.before,
                "after": report.after,
                "null": report.null.mean if report.null else None,
                "summary": report.sentence,
            }
        )

    @operation(
        "Add a step to the ledger",
        scope="studies:write",
        body=NewStep,
        answer=LedgerStepDocument,
        status=201,
        creates=True,
        tag="quality",
        example={"kind": "zscore", "threshold": 1.0, "at_most": 5},
    )
    def post(self, request: Request, slug: str) -> Response:
        """A step excludes ratings but deletes none. It can be undone."""
        study = edited(request, slug)
        body = self.body()
        note = body.pop("note")
        step = Ledger.from_json([body]).steps[0]
        row = ledgers.add_step(study, step, note=note, by=person(request), at=now())
        return self.answer(row, location=reverse("api-ledger", args=[slug]))


class UndoStep(ApiView):
    @operation(
        "Undo a step of the ledger",
        scope="studies:write",
        answer=LedgerStepDocument,
        tag="quality",
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """The step is kept, inactive."""
        study = edited(request, slug)
        ledgers.undo_step(step_of(study, number), at=now())
        return self.answer(step_of(study, number))


class RedoStep(ApiView):
    @operation(
        "Redo a step of the ledger",
        scope="studies:write",
        answer=LedgerStepDocument,
        tag="quality",
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """The step is active again, at its old position."""
        study = edited(request, slug)
        ledgers.redo_step(step_of(study, number), at=now())
        return self.answer(step_of(study, number))


class Workers(ApiView):
    @operation(
        "List workers",
        scope="studies:read",
        query=Paged,
        answer=WorkerDocument,
        pages=True,
        tag="workers",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Workers with ratings, by name. Their platform ids are not included."""
        study = viewed(request, slug)
        rows = worker_reports.worker_table(
            study, collect_first_ratings(study), study.current.protocol.level
        )
        return self.page_of_rows(sorted(rows, key=lambda row: row.name), lambda row: row.name)


class OneWorker(ApiView):
    @operation("Read a worker", scope="studies:read", answer=ParticipationDocument, tag="workers")
    def get(self, request: Request, slug: str, worker: str) -> Response:
        return self.answer(participation_of(viewed(request, slug), worker))


class ExcludeWorker(ApiView):
    @operation(
        "Exclude a worker",
        scope="studies:write",
        body=Reason,
        answer=ParticipationDocument,
        changes=lambda: OneWorker,
        tag="workers",
        example={"reason": "every answer in under a second"},
    )
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """They get no more HITs, and their ratings do not count. Pay is not affected."""
        study = edited(request, slug)
        row = participation_of(study, worker)
        reason = self.body()["reason"]
        ledgers.exclude_worker(row, reason, by=person(request), at=now())
        return self.answer(participation_of(study, worker))


class ReadmitWorker(ApiView):
    @operation(
        "Readmit a worker",
        scope="studies:write",
        answer=ParticipationDocument,
        changes=lambda: OneWorker,
        tag="workers",
    )
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """They get HITs again, and their ratings count."""
        study = edited(request, slug)
        ledgers.readmit_worker(participation_of(study, worker), at=now())
        return self.answer(participation_of(study, worker))
