"""The page of one metric or judge: what it may be used for."""

from __future__ import annotations

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils.http import urlencode

from benchmarks.analyses.kinds.judge.computation import JudgeAnalysis, named_systems
from benchmarks.analyses.kinds.judge.people import JudgeParameters
from benchmarks.analyses.kinds.judges.computation import NamedJudge
from benchmarks.analyses.kinds.judges.page import (
    EPSILON,
    blind_rho,
    has_default_options,
    sentinel_rows,
)
from benchmarks.analyses.page import (
    AnalysisPage,
    Context,
    FormField,
    Opened,
    check_raters,
    rater_choices,
)
from benchmarks.analyses.queries import AnalysisQuery, with_parameters
from benchmarks.analyses.views import analysis_state
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.answers import StoredAnswerCounts, count_answers
from benchmarks.sets.services import criteria
from benchmarks.sets.views.pictures import picture, points_file
from concord.meta.correctness import Bin
from concord.plots.curves import CurvePlot, calibration_plot
from core.refusals import RefusedError


@with_parameters(JudgeParameters, omit=("run",))
class JudgeQuery(AnalysisQuery):
    """The parameters of a judge; its run is in the address."""


def complete(opened: Opened) -> None:
    """Sort the query's systems. Raises RefusedError."""
    check_raters(opened)
    try:
        opened.query["family"] = ",".join(
            named_systems(opened.judgment_set, opened.query["family"])
        )
    except RefusedError as error:
        raise RefusedError(f"family: {error}.", "query-invalid") from error


def is_usual(opened: Opened) -> bool:
    return has_default_options(opened) and not opened.query["family"]


def beside(opened: Opened) -> Context:
    """The run, and the counts of a judge's stored answers."""
    run = opened.run
    assert run is not None
    context: Context = {"run": run, "answers": _answers(run)}
    if run.status == MetricRun.Status.COMPLETE:
        return context
    return context | {"refused": f"{run.metric} is {run.status} and has no scores"}


def arrange(opened: Opened, result: JudgeAnalysis) -> Context:
    """The plots and tables of the result, and the sentinels beside it if they are computed."""
    judgment_set, matrix = opened.judgment_set, result.confusion
    parameters = {name: opened.query[name] for name in ("raters", "epsilon")}
    sentinels = sentinel_rows(
        analysis_state.analysis_context("sentinel-judges", judgment_set, parameters)
    )
    return {
        "query_string": urlencode(opened.query | criteria.query(judgment_set)),
        "sentinels": sentinels,
        "blind_rho": blind_rho(result.raters.baselines if result.raters else ()),
        "sentinel_warnings": _sentinel_warnings(result, sentinels),
        "calibration": calibration_of(result),
        "confusion_rows": matrix and list(zip(matrix.points, matrix.counts, strict=True)),
    }


def _answers(run: MetricRun) -> StoredAnswerCounts | None:
    """The counts of a judge's stored answers, None for any other metric."""
    return (
        None if run.submission is None else count_answers([run.submission]).get(run.submission.pk)
    )


def _sentinel_warnings(result: JudgeAnalysis, sentinels: list[NamedJudge]) -> list[str]:
    """Sentences about sentinels whose rho is as high as the judge's."""
    part = result.raters
    if part is None:
        return []
    rho = part.judge.rho
    return [
        f"{row.name} has a rho of {row.rho:.2f}: as high as or higher than the judge"
        for row in sentinels
        if rho is not None and row.rho is not None and row.rho >= rho
    ]


def calibration_of(result: JudgeAnalysis) -> CurvePlot:
    """The calibration of the judge's labels."""
    title = "Its own scores" if result.calibration.own else "Fitted grades"
    low, high = result.scale
    return _plot(result.calibration.bins, (low, high), title)


def calibration_file(
    opened: Opened, context: Context, name: str, extension: str
) -> HttpResponseBase:
    """The plot of calibration as svg or png, or its bins as csv."""
    if name != "labels" or "calibration" not in context:
        raise Http404("There is no such plot for this query.")
    judgment_set, file = opened.judgment_set, "calibration"
    if extension == "csv":
        bins = context["result"].calibration.bins
        return points_file(judgment_set, [_point(row) for row in bins], file)
    context |= {"judgment_set": judgment_set, "plot": context["calibration"]}
    template = "benchmarks/plots/calibration.svg"
    return picture(opened.request, judgment_set, template, context, file, extension)


def _point(row: Bin) -> dict[str, object]:
    low, high = row.gold.ci or (None, None)
    return {
        "grade": row.grade,
        "people": row.gold.value,
        "low": low,
        "high": high,
        "n": row.n,
    }


def _plot(bins: list[Bin], scale: tuple[float, float], title: str) -> CurvePlot:
    gold = [row.gold.value or 0.0 for row in bins]
    ends = [row.gold.ci or (value, value) for row, value in zip(bins, gold, strict=True)]
    return calibration_plot(
        [row.grade for row in bins],
        gold,
        ends,
        [f"grade {row.grade:.2f}: people {value:.2f}, {row.n:,} candidates"
         for row, value in zip(bins, gold, strict=True)],
        scale=scale,
        title=title,
    )  # fmt: skip


PAGE = AnalysisPage(
    name="judge",
    path="judges/<int:pk>/",
    in_tab="judges",
    query=JudgeQuery,
    form=(
        FormField("raters", "Raters", rater_choices),
        EPSILON,
        FormField("family", "Systems of its own family", placeholder="a, b"),
    ),
    complete=complete,
    beside=beside,
    arrange=arrange,
    is_usual=is_usual,
    file_path="calibration-<slug:name>.<slug:extension>",
    file=calibration_file,
)
