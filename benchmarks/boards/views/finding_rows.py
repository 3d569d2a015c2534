"""The findings of a set as its first page shows them: by question, with links to the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from django.http import HttpRequest
from django.urls import reverse

from benchmarks.analyses.views import analysis_state
from benchmarks.boards.services import findings
from benchmarks.sets.models import JudgmentSet
from concord.documents.findings import Evidence, FindingRow, Topic

QUESTIONS: dict[Topic, str] = {
    "ranking": "Which system do people prefer?",
    "errors": "Which system makes the fewest errors?",
    "agreement": "How far do people agree?",
    "metrics": "Which metrics agree with people?",
    "judges": "What may a metric or judge be used for?",
    "ratings": "How many ratings are enough?",
}


@dataclass(frozen=True)
class EvidencePage:
    """A page of the set, with the text of a link to it. compute: the page that starts its analysis,
    "" for none."""

    name: str
    label: str
    part: str = ""
    compute: str = ""


PAGES: dict[Evidence, EvidencePage] = {
    "ratings": EvidencePage("set-data", "Data"),
    "agreement": EvidencePage("comparison", "Human agreement", "#people"),
    "choices": EvidencePage("choices", "Choices", compute="compute-choices"),
    "spans": EvidencePage("spans", "Marked errors", compute="compute-spans"),
    "scores": EvidencePage("metric-runs", "Metric runs"),
    "comparison": EvidencePage("comparison", "Comparison", compute="compute-comparison"),
    "judges": EvidencePage("judges", "Judges", compute="compute-judges"),
    "judge": EvidencePage("judge", "This judge"),
    "plan": EvidencePage("rating-plan", "Plan", compute="compute-rating-plan"),
}


@dataclass(frozen=True)
class ShownFinding:
    """A sentence with the link to its evidence, and the address that computes it, if it is to be
    computed."""

    row: FindingRow
    url: str
    label: str
    compute_url: str

    @property
    def kind(self) -> str:
        """Whose figure it is, for its colour."""
        return "people" if self.row["topic"] in ("ranking", "errors", "agreement") else "metric"


def context(request: HttpRequest, judgment_set: JudgmentSet) -> dict[str, object]:
    """The findings by question, and whether some are being computed. Sends tasks of new ones."""
    at = analysis_state.starts_at(request)
    found = findings.find(judgment_set, request_at=at)
    analysis_state.send_new(request, found.pending, at)
    shown = [_shown(judgment_set, row, found) for row in found.rows]
    by_topic = groupby(shown, key=lambda one: one.row["topic"])
    return {
        "findings": [(topic, QUESTIONS[topic], list(rows)) for topic, rows in by_topic],
        "findings_pending": bool(found.pending),
    }


def _shown(judgment_set: JudgmentSet, row: FindingRow, found: findings.SetFindings) -> ShownFinding:
    page, ref = PAGES[row["evidence"]], str(judgment_set)
    arguments = [ref] if row["run"] is None else [ref, row["run"]]
    can_compute = row["missing"] and page.compute and row["evidence"] in found.computable
    return ShownFinding(
        row,
        reverse(page.name, args=arguments) + page.part,
        page.label,
        reverse(page.compute, args=[ref]) if can_compute else "",
    )
