"""What is each system's mean rating, from the ratings there are and a metric?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import kinds
from benchmarks.analyses.forms import EstimateQuery
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.views import analysis_state
from benchmarks.analyses.views.judges import check_run
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set_on_criterion, set_page, set_view
from concord.plots import IntervalMark, IntervalScale
from core.accounts.roles import Role

TARGETS = {"set": "this set", "new": "new passages of the same kind"}


@dataclass(frozen=True)
class EstimateRow:
    """A system with its estimate; mark: None without an estimate. is_exact: whether the mean is
    that of a set of which every candidate is rated, so that sampling adds no error."""

    system: str
    row: dict[str, Any]
    mark: IntervalMark | None
    is_exact: bool


@require_safe
def estimate(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = EstimateQuery.read(request.GET)
    runs = complete_board_runs(judgment_set)
    check_run(query["run"], runs)
    context = {
        "tab": "estimate",
        "query": query,
        "runs": runs,
        "targets": TARGETS.items(),
        "form_names": list(query),
        "compute_url": reverse("compute-estimate", args=[str(judgment_set)]),
        **_estimate(request, judgment_set, query),
    }
    return set_page(
        request,
        "benchmarks/analyses/estimate.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_estimate.html",
    )


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_estimate(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    query = EstimateQuery.read(request.POST)
    return analysis_state.start_or_stop(request, "estimate", judgment_set, query, "estimate")


def _estimate(
    request: HttpRequest, judgment_set: JudgmentSet, query: dict[str, Any]
) -> dict[str, Any]:
    context = analysis_state.started_context(request, "estimate", judgment_set, query)
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.estimate.KIND.result_of(analysis)
    systems = result["report"]["systems"]
    scale = IntervalScale.from_intervals(
        (row["ci"] or [row["mean"]] for row in systems.values() if row["mean"] is not None),
        zero=False,
    )
    rows = [
        EstimateRow(
            system,
            row,
            None if row["mean"] is None else scale.mark(row["mean"], row["ci"]),
            query["target"] == "set" and row["method"] == "all rated",
        )
        for system, row in systems.items()
    ]
    rows.sort(key=lambda each: (each.row["mean"] is None, -(each.row["mean"] or 0.0)))
    return context | {
        "result": result,
        "rows": rows,
        "exact": all(each.is_exact for each in rows),
        "with_reason": [each for each in rows if each.row.get("reason")],
        "scale": scale,
        "target_name": TARGETS[query["target"]],
        "resolved": [pair for pair in result["report"]["differences"] if pair["adjusted_p"] < 0.05],
    }
