"""One metric against people: its scatter plot and the candidates they disagree on most."""

from __future__ import annotations

from typing import Any

import numpy as np
from csp.decorators import csp
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.analyses import leaderboards
from benchmarks.errors.forms import COUNTS, RunQuery
from benchmarks.errors.services import browsing, disagreements
from benchmarks.runs.finding import find_complete_run, find_run
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, reports
from benchmarks.sets.views.access import find_set, set_page
from benchmarks.sets.views.attachments import attachment
from concord import plots

MOST_POINTS = 1500


@require_safe
def metric_run(request: HttpRequest, ref: str, pk: int) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    run = find_run(judgment_set, pk)
    if run.status != MetricRun.Status.COMPLETE:
        context: dict[str, Any] = {"tab": "leaderboard", "run": run}
        return set_page(request, "benchmarks/boards/metric_run_waiting.html", judgment_set, context)
    run = find_complete_run(judgment_set, pk)
    query = RunQuery.read(request.GET)
    labels = RunQuery.labels(query)
    context = {
        "tab": "leaderboard",
        "run": run,
        "metric": metric_of(run),
        "row": _row(judgment_set, run),
        "query": query,
        "labels": labels,
        "choices": reports.group_names(judgment_set),
        "counts": COUNTS,
        "n_hidden": int(hidden.of(judgment_set).candidates.sum()),
        "plot": _plot(judgment_set, run, labels),
        "cards": _cards(run, query, labels),
    }
    return set_page(request, "benchmarks/boards/metric_run.html", judgment_set, context)


@csp({"default-src": ["'none'"], "style-src": ["'unsafe-inline'"]})  # type: ignore[arg-type]
@require_safe
def scatter_svg(request: HttpRequest, ref: str, pk: int) -> HttpResponse:
    """The plot as a file of its own, with its styles in it."""
    judgment_set = find_set(ref, request.user)
    run = find_complete_run(judgment_set, pk)
    labels = RunQuery.labels(RunQuery.read(request.GET))
    response = render(
        request,
        "benchmarks/plots/scatter.svg",
        {
            "judgment_set": judgment_set,
            "run": run,
            "row": _row(judgment_set, run),
            "labels": labels,
            "plot": _plot(judgment_set, run, labels),
        },
        content_type="image/svg+xml",
    )
    name = "".join(c if c.isalnum() or c in "-+" else "-" for c in run.metric).strip("-")
    return attachment(response, judgment_set, f"{name}-scatter.svg")


def _cards(run: MetricRun, query: dict[str, Any], labels: dict[str, str]) -> list[dict[str, Any]]:
    """The largest disagreements, each with the places of its two ranks on one line."""
    found = browsing.rank_disagreements(run, query["count"], direction=query["show"], **labels)
    axis = plots.IntervalScale.over(0.0, 1.0, width=216, ticks=2).axis
    return [
        {"it": one, "people": axis.place(one.by_people), "metric": axis.place(one.by_metric)}
        for one in found
    ]


def _row(judgment_set: JudgmentSet, run: MetricRun) -> dict[str, Any]:
    """The run's row on the board of its set."""
    rows = leaderboards.leaderboard(judgment_set).rows
    return next(row for row in rows if row["run"] == run.pk)


def _plot(judgment_set: JudgmentSet, run: MetricRun, labels: dict[str, str]) -> dict[str, Any]:
    """The frame with points, or squares where there are too many; without either, only counts."""
    positions, gold, scores = disagreements.points(run, **labels)
    known = np.isfinite(scores)
    missing = int(np.count_nonzero(~known))
    positions, gold, scores = positions[known], gold[known], scores[known]
    plot: dict[str, Any] = {"n": len(gold), "missing": missing}
    if not len(gold):
        return plot
    low, high = judgment_set.scale_low, judgment_set.scale_high
    scale = None if low is None or high is None else (low, high)
    plane = plots.scatter_plane(gold, scores, run.metric, scale)
    plot |= {"frame": plane.frame, "spread": bool(plane.spread_x or plane.spread_y)}
    if len(gold) > MOST_POINTS:
        plot["squares"] = plots.density(plane, gold, scores)
        return plot
    keys = browsing.keys_at(judgment_set, positions.tolist())
    plot["points"] = [
        {
            "at": point,
            "key": keys[int(positions[point.index])],
            "gold": float(gold[point.index]),
            "score": float(scores[point.index]),
        }
        for point in plots.points(plane, gold, scores)
    ]
    return plot
