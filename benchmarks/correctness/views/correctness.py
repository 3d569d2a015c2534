"""The page of metrics as judges of correctness, and its files."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_safe

from benchmarks.analyses.page import Context
from benchmarks.analyses.views import analysis_state
from benchmarks.correctness import services as correctness
from benchmarks.correctness import table as correctness_table
from benchmarks.correctness.forms import CorrectnessQueryForm, options_of
from benchmarks.correctness.services import EVERY_OTHER, PASSAGES, analysis
from benchmarks.correctness.services.results import CorrectnessResult, MetricCorrectness
from benchmarks.correctness.views import correctness_rows
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import (
    find_set_on_criterion,
    set_page,
)
from benchmarks.sets.views.attachments import csv_file, json_file
from benchmarks.sets.views.pictures import picture
from core.pages.queries import FormValues

RULES = {"f1": "the highest F1", "p1": "the least error of P@1"}
ESTIMATES = {"threshold": "verdicts", "probability": "scores as chances"}
LABELS = {
    "rules": RULES.items(),
    "estimates": ESTIMATES.items(),
    "figures": correctness_rows.FIGURES.items(),
    "measure_names": correctness_rows.MEASURES,
    "passages": PASSAGES,
    "every_other": EVERY_OTHER,
}


@require_safe
def correctness_page(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = CorrectnessQueryForm.read(request.GET)
    context = {
        **LABELS,
        "tab": "correctness",
        "query": query,
        "splits": correctness.split_names(judgment_set),
        **_result_context(judgment_set, query),
    }
    if context.get("parameters"):
        context |= _analysis_context(request, judgment_set, context["parameters"], query)
    return set_page(
        request,
        "benchmarks/correctness/correctness.html",
        judgment_set,
        context,
        fragment="benchmarks/correctness/_figures.html",
    )


@require_safe
def correctness_csv(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    text = correctness_table.to_csv(judgment_set, _result(judgment_set, request), now())
    return csv_file(judgment_set, text, "correctness.csv")


@require_safe
def correctness_json(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    document = correctness_table.document(judgment_set, _result(judgment_set, request), now())
    return json_file(judgment_set, document, "correctness.json")


@require_safe
def correctness_curve(request: HttpRequest, ref: str, name: str, extension: str) -> HttpResponse:
    """A curve of the metric that the query names, as svg or png."""
    judgment_set = find_set_on_criterion(request, ref)
    context = _result_context(judgment_set, CorrectnessQueryForm.read(request.GET))
    plots = context.get("plots") or {}
    if name not in plots:
        reason = (
            context.get("refused") or context.get("no_curves") or f"There is no curve “{name}”."
        )
        raise Http404(reason)
    context |= {"judgment_set": judgment_set, "plot": plots[name], "date": now()}
    template = "benchmarks/plots/curve.svg"
    return picture(request, judgment_set, template, context, name, extension)


def _result(judgment_set: JudgmentSet, request: HttpRequest) -> CorrectnessResult:
    """The result for a file. Raises Http404 where it cannot be computed."""
    try:
        options = options_of(CorrectnessQueryForm.read(request.GET))
        return correctness.result(judgment_set, options)
    except correctness.CorrectnessRefusedError as error:
        raise Http404(f"Figures of correctness cannot be computed: {error}.") from error


def _result_context(judgment_set: JudgmentSet, query: FormValues) -> Context:
    """The rows of the result, and the curves of the named metric or of the first.

    "refused": why there are none; "parameters": those of the analysis that a worker computes.
    """
    options = options_of(query)
    try:
        result = correctness.result(judgment_set, options)
    except correctness.NotComputedError as error:
        return {"parameters": error.parameters, "refused": str(error)}
    except correctness.CorrectnessRefusedError as error:
        return {"refused": str(error)}
    table = correctness_rows.arrange(result, query["sort"])
    row = _selected_row(table, query["metric"])
    picks, pick_scale = correctness_rows.by_pick(result)
    survivals, survival_scale = correctness_rows.by_survival(result)
    split = result.parameters.tune
    context = {
        "result": result,
        "table": table,
        "row": row,
        "tuned_on": "a fifth of the passages" if split == PASSAGES else f"the split {split}",
        "errors": correctness_rows.by_error(result),
        "systems": correctness_rows.system_rows(result, row.run),
        "picks": picks,
        "pick_scale": pick_scale,
        "survivals": survivals,
        "survival_scale": survival_scale,
    }
    curves = correctness.curves(judgment_set, options, row.run)
    if isinstance(curves, str):
        return context | {"no_curves": curves}
    return context | {"curves": curves, "plots": correctness_rows.curve_plots(curves, row)}


def _analysis_context(
    request: HttpRequest,
    judgment_set: JudgmentSet,
    parameters: dict[str, object],
    query: FormValues,
) -> dict[str, object]:
    """The state of the analysis. Without a threshold of their own, visitors start it too: there are
    few such analyses of a set."""
    state = analysis_state.started_context(
        request, analysis.NAME, judgment_set, parameters, is_usual=query["gold"] is None
    )
    return {
        "refused": "",
        "form_names": list(parameters),
        "compute_url": reverse("compute-correctness", args=[str(judgment_set)]),
        **state,
    }


def _selected_row(table: correctness_rows.VerdictTable, run: int | None) -> MetricCorrectness:
    """The row of the run, or of the best metric. Raises Http404 for an unknown run."""
    rows = [one.row for one in table.rows]
    if run is None:
        return rows[0]
    selected = next((row for row in rows if row.run == run), None)
    if selected is None:
        raise Http404(f"This set has no complete metric run {run}.")
    return selected
