"""The page of one metric or judge: what it may be used for, and where it fails."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import kinds
from benchmarks.analyses.forms import JudgeQuery
from benchmarks.analyses.kinds.judge.computation import named_systems
from benchmarks.analyses.services import AnalysisRefusedError
from benchmarks.analyses.views import analysis_state
from benchmarks.analyses.views.judges import rater_choices, sentinel_rows
from benchmarks.runs.finding import find_run
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.answers import count_answers
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, reports
from benchmarks.sets.views.access import (
    find_set_on_criterion,
    set_page,
    set_view,
)
from concord.documents.judge import BinRow, JudgeAnalysis
from concord.documents.judges import BaselineRow
from concord.plots.curves import CurvePlot, calibration_plot
from core.accounts.roles import Role
from core.pages.errors import UnknownChoiceError


@require_safe
def judge(request: HttpRequest, ref: str, pk: int) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    run = find_run(judgment_set, pk)
    query = JudgeQuery.read(request.GET)
    choices = _read_choices(judgment_set, query)
    context = {
        "tab": "judges",
        "run": run,
        "query": query,
        **choices,
        "form_names": list(query),
        "compute_url": reverse("compute-judge", args=[str(judgment_set), pk]),
        "answers": _answers(run),
        **_result(request, judgment_set, run, query, choices["groups"]),
    }
    return set_page(
        request,
        "benchmarks/analyses/judge.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_judge_result.html",
    )


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_judge(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    run = find_run(judgment_set, pk)
    query = JudgeQuery.read(request.POST)
    _read_choices(judgment_set, query)
    analysis_state.change(request, "judge", judgment_set, query | {"run": run.pk})
    address = reverse("judge", args=[str(judgment_set), pk])
    return redirect(f"{address}?{urlencode(query | criteria.query(judgment_set))}")


def _read_choices(judgment_set: JudgmentSet, query: dict[str, Any]) -> dict[str, Any]:
    """The `rater_choices`; also sorts the query's systems. Raises UnknownChoiceError."""
    choices = rater_choices(judgment_set, query)
    try:
        query["family"] = ",".join(named_systems(judgment_set, query["family"]))
    except AnalysisRefusedError as error:
        raise UnknownChoiceError(f"family: {error}.") from error
    return choices


def _answers(run: MetricRun) -> Any:
    """The counts of a judge's stored answers, None for any other metric."""
    return (
        None if run.submission is None else count_answers([run.submission]).get(run.submission.pk)
    )


def _result(
    request: HttpRequest,
    judgment_set: JudgmentSet,
    run: MetricRun,
    query: dict[str, Any],
    groups: list[str],
) -> dict[str, Any]:
    """The result or the state of its analysis, which visitors start with the default options only:
    there are many others."""
    if run.status != MetricRun.Status.COMPLETE:
        return {"analysis": None, "refused": f"{run.metric} is {run.status} and has no scores"}
    parameters = query | {"run": run.pk}
    default = JudgeQuery.read(QueryDict()) | {"raters": groups[0] if groups else ""}
    context = analysis_state.started_context(
        request, "judge", judgment_set, parameters, is_usual=query == default
    )
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.judge.KIND.result_of(analysis)
    matrix = result["confusion"]
    sentinels = sentinel_rows(
        analysis_state.analysis_context(
            "sentinel-judges", judgment_set, {name: query[name] for name in ("raters", "epsilon")}
        )
    )
    return context | {
        "result": result,
        "is_of_study": reports.study_report(judgment_set) is not None,
        "sentinels": sentinels,
        "sentinel_warnings": _sentinel_warnings(result, sentinels),
        "plots": _plots(result),
        "confusion_rows": matrix and list(zip(matrix["points"], matrix["counts"], strict=True)),
    }


def _sentinel_warnings(result: JudgeAnalysis, sentinels: list[BaselineRow]) -> list[str]:
    """Sentences about sentinels whose rho is as high as the judge's."""
    part = result["raters"]
    if part is None:
        return []
    rho = (part["as_it_is"] or part["recalibrated"])["rho"]
    return [
        f"{row['name']} has a rho of {row['rho']:.2f}: as high as or higher than the judge"
        for row in sentinels
        if rho is not None and row["rho"] is not None and row["rho"] >= rho
    ]


def _plots(result: JudgeAnalysis) -> list[tuple[CurvePlot, float]]:
    """The plots of calibration with their errors: the judge's own scores first, where they are on
    people's scale."""
    part, plots = result["calibration"], []
    low, high = result["scale"]
    if part["own_error"] is not None:
        plots.append((_plot(part["own_bins"], (low, high), "Its own scores"), part["own_error"]))
    plots.append((_plot(part["bins"], (low, high), "Recalibrated grades"), part["error"]))
    return plots


def _plot(bins: list[BinRow], scale: tuple[float, float], title: str) -> CurvePlot:
    gold = [row["gold"]["value"] or 0.0 for row in bins]
    ends = [
        (ci[0], ci[1]) if (ci := row["gold"].get("ci")) else (value, value)
        for row, value in zip(bins, gold, strict=True)
    ]
    return calibration_plot(
        [row["grade"] for row in bins],
        gold,
        ends,
        [f"grade {row['grade']:.2f}: people {value:.2f}, {row['n']:,} candidates"
         for row, value in zip(bins, gold, strict=True)],
        scale=scale,
        title=title,
    )  # fmt: skip
