"""Documents of judgment sets and metric runs in the API."""

from __future__ import annotations

from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, reports
from concord.documents.conversion import fill
from concord.documents.runs import RunDocument
from concord.documents.sets import SetDetailDocument, SetDocument


def set_document(judgment_set: JudgmentSet) -> SetDocument:
    return fill(SetDocument, judgment_set, **_of_set(judgment_set))


def set_detail_document(judgment_set: JudgmentSet) -> SetDetailDocument:
    names = ("constituents", "total", "phenomena", "criteria", "marks")
    statistics = judgment_set.statistics
    complete = visible_runs(judgment_set).filter(status=MetricRun.Status.COMPLETE)
    return fill(
        SetDetailDocument,
        judgment_set,
        **_of_set(judgment_set),
        report=reports.report_lines(judgment_set.report),
        statistics={name: statistics[name] for name in names if name in statistics},
        metrics=complete.order_by("metric").values_list("metric", flat=True).distinct(),
    )


def _of_set(judgment_set: JudgmentSet) -> dict[str, object]:
    """The fields that have other names, or other values, than in the table."""
    role = judgment_set.viewer.role
    return {
        "ref": str(judgment_set),
        "candidates": judgment_set.n_candidates,
        "pairs": judgment_set.n_pairs,
        "content_hash": hidden.content_hash(judgment_set),
        "role": role and role.value,
    }


def run_document(row: MetricRun) -> RunDocument:
    return fill(
        RunDocument,
        row,
        items=row.n_items,
        known=row.n_known,
        computed=row.n_computed,
        submission=row.submission_id,
    )
