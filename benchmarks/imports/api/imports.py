"""Imports of judgment sets: progress, result and stopping."""

from __future__ import annotations

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.imports.models import SetImport
from benchmarks.imports.services.access import import_for, visible_set
from benchmarks.sets.services import reports
from concord.documents.conversion import fill
from concord.documents.problems import FailureDocument
from concord.documents.sets import ImportDocument
from core.rest import problems
from core.rest.operations import operation
from core.rest.views import ApiView

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


def import_document(set_import: SetImport, request: Request) -> ImportDocument:
    judgment_set = visible_set(set_import, request.user)
    has_failed = set_import.status == SetImport.Status.FAILED
    return fill(
        ImportDocument,
        set_import,
        files=[file["name"] for file in set_import.files],
        report=(
            reports.report_lines(judgment_set.report, with_headings=True) if judgment_set else []
        ),
        judgment_set=judgment_set and str(judgment_set),
        problem=problem_of(set_import) if has_failed else None,
    )


class Import(ApiView):
    @operation(
        "Read an import",
        scope="sets:read",
        answer=import_document,
        tag="sets",
        answer_example=EXAMPLE,
    )
    def get(self, request: Request, set_import: int) -> Response:
        """Poll it until `status` is complete, failed or cancelled. With If-None-Match, an unchanged
        import is not sent again."""
        return self.answer(import_for(request.user, set_import))


def problem_of(set_import: SetImport) -> FailureDocument:
    """The error of a failed import as a problem document."""
    kinds = {kind.name: kind for kind in problems.kinds()}
    kind = kinds.get(set_import.problem)
    return {
        "type": f"{reverse('api-docs')}#problem-{kind.name}" if kind else "about:blank",
        "title": kind.title if kind else "The import failed",
        "status": kind.status if kind else 500,
        "detail": set_import.reason,
        "errors": [
            {
                "field": fault["field"] or "",
                "detail": fault["message"],
                "file": fault["file"],
                "line": fault["line"],
            }
            for fault in set_import.faults
        ],
    }
