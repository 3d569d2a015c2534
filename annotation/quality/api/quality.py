"""API of the ledger and workers."""

from __future__ import annotations

from dataclasses import fields

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality import inputs
from annotation.quality.api.agreement import LevelQuery, alpha_document
from annotation.quality.models import LedgerStep
from annotation.quality.services import ledgers, worker_reports
from annotation.quality.services.rating_data import collect_first_ratings, collect_gold_ratings
from annotation.studies.api.access import edited, person, viewed
from concord.documents.conversion import fill
from concord.documents.quality import (
    LedgerDocument,
    LedgerStepDocument,
    WorkerDocument,
)
from concord.filtering import Ledger
from core.rest.derived import DataclassSerializer
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView


def ledger_step_document(row: LedgerStep) -> LedgerStepDocument:
    return fill(LedgerStepDocument, row, step=row.content, made_by=row.made_by.username)


class NewStep(DataclassSerializer):
    dataclass = inputs.StepInput
    optional = tuple(one.name for one in fields(dataclass) if one.name not in ("kind", "note"))

    def validate_kind(self, kind: str) -> str:
        if kind == "exclude-worker":
            raise serializers.ValidationError(
                "To exclude a worker, send a POST to the worker's `exclude` address."
            )
        return kind


def worker_document(row: worker_reports.WorkerRow) -> WorkerDocument:
    return fill(WorkerDocument, row, row.participation, worker=row.name)


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
                "steps": [ledger_step_document(line.row) for line in report.lines],
                "suggested_steps": Ledger(tuple(ledgers.suggested_steps(study))).to_json(),
                "kept": int(report.kept.sum()),
                "removed": report.removed,
                "before": alpha_document(report.before),
                "after": alpha_document(report.after),
                "null": report.null["alpha"] if report.null else None,
                "summary": report.sentence,
            }
        )

    @operation(
        "Add a step to the ledger",
        scope="studies:write",
        body=NewStep,
        answer=ledger_step_document,
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


class Workers(ApiView):
    @operation(
        "List workers",
        scope="studies:read",
        query=Paged,
        answer=worker_document,
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
