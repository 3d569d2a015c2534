"""The page of correctness: verdicts, curves, systems and picks of every metric, and its files."""

from __future__ import annotations

from collections.abc import Iterator

from django import forms
from django.http import Http404, HttpResponse

from benchmarks.analyses.kinds.correctness import curves, rows, table
from benchmarks.analyses.kinds.correctness.computation import CorrectnessResult, MetricCorrectness
from benchmarks.analyses.kinds.correctness.parameters import (
    EVERY_OTHER,
    PASSAGES,
    CorrectnessParameters,
    default_report,
    default_tune,
    split_names,
)
from benchmarks.analyses.page import AnalysisPage, Context, FormField, Opened, PageTab
from benchmarks.analyses.queries import AnalysisQuery, with_parameters
from benchmarks.analyses.services.work import load_runs
from benchmarks.sets.views.attachments import csv_file, json_file
from benchmarks.sets.views.pictures import picture
from core.pages.queries import choice

RULES = {"f1": "the highest F1", "p1": "the least error of P@1"}
ESTIMATES = {"threshold": "verdicts", "probability": "scores as chances"}
MIXED = {"False": "all questions", "True": "questions with both correct and wrong candidates"}


@with_parameters(CorrectnessParameters)
class CorrectnessQuery(AnalysisQuery):
    """The parameters, and the sort order and metric of the page."""

    split_fields = ("sort", "metric")
    sort = choice(*rows.SORTS, default="f1")
    metric = forms.IntegerField(required=False, min_value=1, max_value=2**62)


def tune_choices(opened: Opened) -> Iterator[tuple[str, str]]:
    """The splits and a random part, the default first."""
    names = split_names(opened.judgment_set)
    usual = default_tune(names)
    splits = [(name, f"split {name}") for name in names if len(names) > 1]
    choices = [(PASSAGES, "a fifth of the passages"), *splits]
    return iter(sorted(choices, key=lambda one: one[0] != usual))


def report_choices(opened: Opened) -> Iterator[tuple[str, str]]:
    """The splits and all others, the default first; none where there is one split or none."""
    names = split_names(opened.judgment_set)
    usual = default_report(names, opened.query["tune"] or default_tune(names))
    choices = [(EVERY_OTHER, "the rest"), *((name, f"split {name}") for name in names)]
    return iter(sorted(choices, key=lambda one: one[0] != usual) if len(names) > 1 else ())


def is_usual(opened: Opened) -> bool:
    """Without a threshold of their own, visitors start it too: there are few such analyses of a
    set."""
    return opened.query["gold"] is None


def arrange(opened: Opened, result: CorrectnessResult) -> Context:
    """The tables of the metrics, and the curves of the named metric or of the first."""
    sort = opened.query["sort"]
    verdicts = rows.verdict_rows(result, sort)
    row = _selected(verdicts, opened.query["metric"])
    picks, pick_scale = rows.by_pick(result)
    survivals, survival_scale = rows.by_survival(result)
    split = result.parameters.tune
    context: Context = {
        "verdicts": verdicts,
        "always": rows.verdict_row(result.always, sort, []),
        "sort": sort,
        "sort_label": rows.SORTS[sort],
        "measure_names": rows.MEASURES,
        "row": row,
        "is_drawn": split == PASSAGES,
        "tuned_on": "a fifth of the passages" if split == PASSAGES else f"the split {split}",
        "errors": rows.by_error(result),
        "systems": rows.system_rows(result, row.run),
        "picks": picks,
        "pick_scale": pick_scale,
        "survivals": survivals,
        "survival_scale": survival_scale,
    }
    (run,) = load_runs(opened.judgment_set, [row.run])
    of_run = curves.compute(opened.judgment_set, run, result.parameters)
    if isinstance(of_run, str):
        return context | {"no_curves": of_run}
    return context | {"curves": of_run, "plots": rows.curve_plots(of_run, row)}


def _selected(verdicts: list[rows.VerdictRow], run: int | None) -> MetricCorrectness:
    """The row of the run, or of the best metric. Raises Http404 for an unknown run."""
    metrics = [one.row for one in verdicts if isinstance(one.row, MetricCorrectness)]
    if run is None:
        return metrics[0]
    selected = next((row for row in metrics if row.run == run), None)
    if selected is None:
        raise Http404(f"This set has no complete metric run {run}.")
    return selected


def correctness_file(opened: Opened, context: Context, name: str, extension: str) -> HttpResponse:
    """The figures as csv or json, or a curve of the metric that the query names as svg or png."""
    judgment_set, analysis = opened.judgment_set, context["analysis"]
    if "result" not in context:
        raise Http404(context.get("refused") or "These figures are not computed yet.")
    date = analysis.finished_at.isoformat(timespec="seconds")
    if name == "correctness" and extension == "csv":
        text = table.to_csv(judgment_set, context["result"], date)
        return csv_file(judgment_set, text, "correctness.csv")
    if name == "correctness" and extension == "json":
        document = table.document(judgment_set, context["result"], date)
        return json_file(judgment_set, document, "correctness.json")
    if name not in context.get("plots", ()):
        raise Http404(context.get("no_curves") or f"There is no {name}.{extension}.")
    context |= {"judgment_set": judgment_set, "plot": context["plots"][name]}
    context |= {"date": analysis.finished_at}
    template = "benchmarks/plots/curve.svg"
    return picture(opened.request, judgment_set, template, context, name, extension)


PAGE = AnalysisPage(
    name="correctness",
    tab=PageTab("Metrics", "Correctness", before="systems"),
    query=CorrectnessQuery,
    form=(
        FormField("gold", "Correct from score", placeholder="the middle of the scale"),
        FormField("rule", "Tune for", RULES.items()),
        FormField("tune", "Tune on", tune_choices),
        FormField("report", "Report", report_choices),
        FormField("estimate", "Estimate systems by", ESTIMATES.items()),
        FormField("mixed", "Tune and compare systems on", MIXED.items()),
        FormField("sort", "Sort by", rows.SORTS.items()),
    ),
    is_usual=is_usual,
    arrange=arrange,
    file_path="<slug:name>.<slug:extension>",
    file=correctness_file,
)
