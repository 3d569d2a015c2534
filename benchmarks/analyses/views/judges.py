"""May a metric stand in for raters, and how few ratings would have been enough?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import kinds, samples
from benchmarks.analyses.forms import JudgesQuery, ReplayQuery
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.views import analysis_state
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set_on_criterion, set_page, set_view
from concord.documents.judges import BaselineRow, JudgesAnalysis
from concord.documents.replay import ReplayAnalysis
from concord.judges import EPSILONS
from concord.plots.lines import LinePlot, line_plot
from concord.sentences import counted
from core.accounts.roles import Role
from core.pages.errors import UnknownChoiceError


@require_safe
def judges(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = JudgesQuery.read(request.GET)
    context = {
        "tab": "judges",
        "query": query,
        **rater_choices(judgment_set, query),
        "form_names": list(query),
        "compute_url": reverse("compute-judges", args=[str(judgment_set)]),
        **_judges(request, judgment_set, query),
        **_sentinels(request, judgment_set, query),
    }
    return set_page(
        request,
        "benchmarks/analyses/judges.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_judges.html",
    )


def rater_choices(judgment_set: JudgmentSet, query: dict[str, Any]) -> dict[str, Any]:
    """The groups of raters and the values of epsilon; sets the query's raters to the first group.

    Raises UnknownChoiceError for a group that the set does not have.
    """
    groups = samples.rater_groups(judgment_set)
    if query["raters"] not in groups:
        if query["raters"]:
            raise UnknownChoiceError(f"The set has no ratings by “{query['raters']}”.")
        query["raters"] = groups[0] if groups else ""
    epsilons = [(f"{epsilon:g}", raters) for raters, epsilon in EPSILONS.items()]
    return {"groups": groups, "epsilons": epsilons}


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_judges(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    query = JudgesQuery.read(request.POST)
    return analysis_state.start_or_stop(request, "judges", judgment_set, query, "judges")


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_sentinel_judges(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    query = JudgesQuery.read(request.POST)
    return analysis_state.start_or_stop(request, "sentinel-judges", judgment_set, query, "judges")


@require_safe
def fewer_ratings(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = ReplayQuery.read(request.GET)
    runs = complete_board_runs(judgment_set)
    check_run(query["run"], runs)
    context = {
        "tab": "fewer-ratings",
        "query": query,
        "runs": runs,
        "form_names": list(query),
        "compute_url": reverse("compute-fewer-ratings", args=[str(judgment_set)]),
        **_replay(request, judgment_set, query),
    }
    return set_page(
        request,
        "benchmarks/analyses/fewer_ratings.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_fewer_ratings.html",
    )


def check_run(pk: int, runs: Sequence[MetricRun]) -> None:
    """Raise UnknownChoiceError unless the key is 0 or that of one of the runs."""
    if pk and pk not in {run.pk for run in runs}:
        raise UnknownChoiceError(f"The board has no complete run {pk}.")


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_fewer_ratings(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    query = ReplayQuery.read(request.POST)
    return analysis_state.start_or_stop(request, "replay", judgment_set, query, "fewer-ratings")


def _judges(
    request: HttpRequest, judgment_set: JudgmentSet, query: dict[str, Any]
) -> dict[str, Any]:
    context = analysis_state.started_context(request, "judges", judgment_set, query)
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.judges.KIND.result_of(analysis)
    metrics = sorted(result["metrics"], key=lambda row: -(row["rho"] or 0.0))
    return context | {
        "result": result,
        "metrics": metrics,
        "usable": usable_metrics(result),
        "untested": why_untested(result),
        "passing_baselines": [
            row["name"] for row in result["baselines"] if row["by_document"]["passed"]
        ],
    }


def _sentinels(
    request: HttpRequest, judgment_set: JudgmentSet, query: dict[str, Any]
) -> dict[str, Any]:
    """The state of the analysis of sentinels as judges, and its rows once it is complete.

    Visitors start it with the default options only: each run encodes the whole set.
    """
    groups = samples.rater_groups(judgment_set)
    default = JudgesQuery.read(QueryDict()) | {"raters": groups[0] if groups else ""}
    state = analysis_state.started_context(
        request, "sentinel-judges", judgment_set, query, is_usual=query == default
    )
    return {
        "sentinels_state": state,
        "sentinels_active": state["analysis"] is not None and state["analysis"].is_active,
        "sentinels_url": reverse("compute-sentinel-judges", args=[str(judgment_set)]),
        "sentinels": sentinel_rows(state),
    }


def sentinel_rows(state: dict[str, Any]) -> list[BaselineRow]:
    """The rows of an `analysis_context` of the kind "sentinel-judges", if it is complete."""
    analysis = analysis_state.complete_analysis(state)
    return [] if analysis is None else kinds.sentinel_judges.KIND.result_of(analysis)["sentinels"]


def usable_metrics(result: JudgesAnalysis) -> list[str]:
    """The metrics that pass with dependent items and beat every judge that sees no item."""
    return [
        row["metric"]
        for row in result["metrics"]
        if row["by_document"]["passed"] and row["beats_baselines"]
    ]


def why_untested(result: JudgesAnalysis) -> str:
    """Why no metric could be tested, and how much data is missing; "" where one was tested."""
    reasons = [row["by_document"].get("reason", "") for row in result["metrics"]]
    return reasons[0] if reasons and all(reasons) else ""


def _replay(
    request: HttpRequest, judgment_set: JudgmentSet, query: dict[str, Any]
) -> dict[str, Any]:
    context = analysis_state.started_context(request, "replay", judgment_set, query)
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.replay.KIND.result_of(analysis)
    return context | {"result": result, "plot": _plot(result)}


def _plot(result: ReplayAnalysis) -> LinePlot | None:
    """The width of the intervals: the line with the metric, the band up to the plain mean's."""
    rows = [
        (row["passages"], row["width"], row["plain_width"])
        for row in result["rows"]
        if row["width"] is not None and row["plain_width"] is not None
    ]
    if not rows:
        return None
    passages, widths, plain = zip(*rows, strict=True)
    return line_plot(
        passages,
        widths,
        (widths, plain),
        [f"{counted(n, 'passage')}: {a:.2f}, plain mean {b:.2f}" for n, a, b in rows],
        x_name="rated passages",
        y_name="width of the 95% interval",
        ends=(0.0, max(plain)),
    )
