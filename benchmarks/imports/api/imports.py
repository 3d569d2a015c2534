"""Imports of judgment sets: how far they are, what they found, stopping them."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.imports.services.access import import_for, imports_of, set_made
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import reports
from core.rest import problems
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView
from core.rest.work import WorkDocument
from core.security.problem_documents import ProblemDocument

EXAMPLE = {
    "id": 7,
    "status": "complete",
    "percent": 100,
    "reason": "",
    "created_at": "2026-01-05T09:30:00Z",
    "finished_at": "2026-01-05T09:30:04Z",
    "name": "demo",
    "format": "concord",
    "files": ["judgments.jsonl"],
    "rows": 300,
    "bytes_read": 214113,
    "bytes_total": 214113,
    "report": ["judgments.jsonl (concord): 300 candidates read, 300 kept; instances: 60."],
    "judgment_set": "demo@1",
    "problem": None,
}


class ImportDocument(WorkDocument):
    """Files on their way into a judgment set."""

    name = serializers.CharField(help_text="The set's, without a version.")
    format = serializers.CharField()
    files = serializers.SerializerMethodField(help_text="Their names; that of pairs comes last.")
    rows = serializers.IntegerField(help_text="Candidates and pairs read so far.")
    bytes_read = serializers.IntegerField()
    bytes_total = serializers.IntegerField()
    report = serializers.SerializerMethodField(help_text="What was read and kept, in sentences.")
    judgment_set = serializers.SerializerMethodField(
        help_text="NAME@VERSION that it made; null while there is none, or none you may see."
    )
    problem = serializers.SerializerMethodField(
        help_text="Why it failed, as a refusal at once would have been answered; else null."
    )

    def get_files(self, found: SetImport) -> list[str]:
        return [file["name"] for file in found.files]

    def get_report(self, found: SetImport) -> list[str]:
        made = self._made(found)
        return reports.report_lines(made.report) if made else []

    def get_judgment_set(self, found: SetImport) -> str | None:
        made = self._made(found)
        return str(made) if made else None

    def get_problem(self, found: SetImport) -> dict[str, Any] | None:
        # Not as a ProblemDocument, which the description of the API would spell out wrongly.
        return {**problem_of(found)} if found.status == SetImport.Status.FAILED else None

    def _made(self, found: SetImport) -> JudgmentSet | None:
        return set_made(found, self.context["request"].user)


class Imports(ApiView):
    @operation(
        "List imports",
        scope="sets:read",
        query=Paged,
        answer=ImportDocument,
        pages=True,
        tag="sets",
        answer_example={"results": [EXAMPLE], "next": None},
    )
    def get(self, request: Request) -> Response:
        """Yours, latest first; administrators see everybody's."""
        return self.page_of_query(imports_of(request.user), "-created_at", "-pk")


class Import(ApiView):
    @operation(
        "Read an import",
        scope="sets:read",
        answer=ImportDocument,
        tag="sets",
        answer_example=EXAMPLE,
    )
    def get(self, request: Request, set_import: int) -> Response:
        """Ask again until `status` is complete, failed or cancelled; with If-None-Match, what has
        not advanced is not sent again."""
        return self.answer(import_for(request.user, set_import))


class StopImport(ApiView):
    @operation(
        "Stop an import",
        scope="sets:write",
        answer=ImportDocument,
        changes=lambda: Import,
        tag="sets",
        answer_example=EXAMPLE,
    )
    def post(self, request: Request, set_import: int) -> Response:
        """Nothing of it is kept. One that has ended stays as it is."""
        imports.cancel(import_for(request.user, set_import), at=now())
        return self.answer(import_for(request.user, set_import))


def problem_of(found: SetImport) -> ProblemDocument:
    """What a failed import would have been answered, had it been refused at once."""
    named = {kind.name: kind for kind in problems.kinds()}
    kind = named.get(found.problem)
    return {
        "type": f"{reverse('api-docs')}#problem-{kind.name}" if kind else "about:blank",
        "title": kind.title if kind else "The import failed",
        "status": kind.status if kind else 500,
        "detail": found.reason,
        "errors": [
            {
                "field": fault["field"] or "",
                "detail": fault["message"],
                "file": fault["file"],
                "line": fault["line"],
            }
            for fault in found.faults
        ],
    }
