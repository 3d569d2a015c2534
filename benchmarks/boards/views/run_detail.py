"""One metric compared with people: figures and scatter plot."""

from __future__ import annotations

from csp.decorators import csp
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.boards.services import boards
from benchmarks.boards.services.documentation import docs_page, model_card
from benchmarks.boards.views.scatter import ScatterPlot, scatter_plot
from benchmarks.errors.forms import RunQuery, labels_of
from benchmarks.errors.services import disagreements
from benchmarks.runs.finding import find_complete_run, find_run
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, reports
from benchmarks.sets.views.access import find_set, set_page
from benchmarks.sets.views.attachments import attachment


@require_safe
def metric_run(request: HttpRequest, ref: str, pk: int) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    run = find_run(judgment_set, pk)
    if run.status != MetricRun.Status.COMPLETE:
        context: dict[str, object] = {"tab": "leaderboard", "run": run}
        return set_page(request, "benchmarks/boards/metric_run_waiting.html", judgment_set, context)
    run = find_complete_run(judgment_set, pk)
    query = RunQuery.read(request.GET)
    labels = labels_of(query)
    context = {
        "tab": "leaderboard",
        "run": run,
        "metric": metric_of(run),
        "docs_page": docs_page(run.metric, is_submitted=run.submission_id is not None),
        "model_card": model_card(run.metric, is_submitted=run.submission_id is not None),
        "row": (row := boards.board_row(judgment_set, run.pk)),
        "coefficients": [(name.capitalize(), row[name]) for name in boards.COEFFICIENTS],
        "query": query,
        "labels": labels,
        "choices": reports.group_names(judgment_set),
        "n_hidden": int(hidden.viewer_masks(judgment_set).candidates.sum()),
        "plot": _plot(judgment_set, run, labels),
    }
    return set_page(request, "benchmarks/boards/metric_run.html", judgment_set, context)


@csp({"default-src": ["'none'"], "style-src": ["'unsafe-inline'"]})  # type: ignore[arg-type]
@require_safe
def scatter_svg(request: HttpRequest, ref: str, pk: int) -> HttpResponse:
    """The plot as an SVG file with its own styles."""
    judgment_set = find_set(ref, request.user)
    run = find_complete_run(judgment_set, pk)
    labels = labels_of(RunQuery.read(request.GET))
    response = render(
        request,
        "benchmarks/plots/scatter.svg",
        {
            "judgment_set": judgment_set,
            "run": run,
            "row": boards.board_row(judgment_set, run.pk),
            "labels": labels,
            "plot": _plot(judgment_set, run, labels),
        },
        content_type="image/svg+xml",
    )
    name = "".join(c if c.isalnum() or c in "-+" else "-" for c in run.metric).strip("-")
    return attachment(response, judgment_set, f"{name}-scatter.svg")


def _plot(judgment_set: JudgmentSet, run: MetricRun, labels: dict[str, str]) -> ScatterPlot:
    positions, gold, scores = disagreements.points(run, **labels)
    return scatter_plot(
        judgment_set, positions, (gold, scores), run.metric, scale=judgment_set.scale
    )
