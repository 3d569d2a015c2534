"""One metric compared with people: scatter plot and largest disagreements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from csp.decorators import csp
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.analyses import leaderboards
from benchmarks.boards.services import boards
from benchmarks.boards.services.documentation import docs_page
from benchmarks.boards.services.intervals import with_interval
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
from concord.meta.documents.board import BoardRow
from concord.meta.documents.figures import FigureRow

MAX_POINTS = 1500


@dataclass(frozen=True)
class DisagreementCard:
    """A disagreement; `people` and `metric` are the pixels of its two ranks on one axis."""

    ranked: browsing.RankedCandidate
    people: float
    metric: float


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of the run; `method` is that of its interval."""

    name: str
    figure: FigureRow
    method: str


@dataclass(frozen=True)
class ScatterPoint:
    """One candidate of the plot."""

    position: plots.Point
    key: str
    gold: float
    score: float


@dataclass(frozen=True)
class ScatterPlot:
    """`n` candidates with a score, `missing` without; points, or squares if there are too many.

    frame: None without candidates. spread: whether equal values are drawn next to each other.
    """

    n: int
    missing: int
    frame: plots.Frame | None = None
    points: list[ScatterPoint] = field(default_factory=list)
    squares: list[plots.Square] = field(default_factory=list)
    spread: bool = False


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
        "docs_page": docs_page(run.metric, is_submitted=run.submission_id is not None),
        "row": _row(judgment_set, run),
        "coefficients": _coefficients(judgment_set, run),
        "query": query,
        "labels": labels,
        "choices": reports.group_names(judgment_set),
        "counts": COUNTS,
        "n_hidden": int(hidden.viewer_masks(judgment_set).candidates.sum()),
        "plot": _plot(judgment_set, run, labels),
        "cards": _cards(run, query["count"], query["show"], labels),
    }
    return set_page(request, "benchmarks/boards/metric_run.html", judgment_set, context)


@csp({"default-src": ["'none'"], "style-src": ["'unsafe-inline'"]})  # type: ignore[arg-type]
@require_safe
def scatter_svg(request: HttpRequest, ref: str, pk: int) -> HttpResponse:
    """The plot as an SVG file with its own styles."""
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


def _cards(
    run: MetricRun, count: int, direction: str, labels: dict[str, str]
) -> list[DisagreementCard]:
    """The largest disagreements."""
    ranked = browsing.rank_disagreements(run, count, direction=direction, **labels)
    axis = plots.IntervalScale.from_range(0.0, 1.0, width=216, ticks=2).axis
    return [
        DisagreementCard(one, axis.to_pixel(one.by_people), axis.to_pixel(one.by_metric))
        for one in ranked
    ]


def _row(judgment_set: JudgmentSet, run: MetricRun) -> BoardRow:
    """The run's row on the board of its set."""
    rows = leaderboards.leaderboard(judgment_set).rows
    return next(row for row in rows if row["run"] == run.pk)


def _coefficients(judgment_set: JudgmentSet, run: MetricRun) -> list[Coefficient]:
    """The run's coefficients with the same intervals as on the board sorted by each of them."""
    row = _row(judgment_set, run)
    coefficients: list[Coefficient] = []
    for ranking in boards.COEFFICIENTS:
        rank_row = boards.rank_rows(judgment_set, ranking).get(run.pk)
        figure, method = with_interval(row[ranking], rank_row)
        coefficients.append(Coefficient(ranking.capitalize(), figure, method))
    return coefficients


def _plot(judgment_set: JudgmentSet, run: MetricRun, labels: dict[str, str]) -> ScatterPlot:
    positions, gold, scores = disagreements.points(run, **labels)
    scored = np.isfinite(scores)
    missing = int(np.count_nonzero(~scored))
    positions, gold, scores = positions[scored], gold[scored], scores[scored]
    if not len(gold):
        return ScatterPlot(0, missing)
    low, high = judgment_set.scale_low, judgment_set.scale_high
    scale = None if low is None or high is None else (low, high)
    plane = plots.scatter_plane(gold, scores, run.metric, scale)
    if len(gold) > MAX_POINTS:
        squares = plots.density_squares(plane, gold, scores)
        return ScatterPlot(len(gold), missing, plane.frame, squares=squares)
    keys = browsing.keys_at(judgment_set, positions.tolist())
    points = [
        ScatterPoint(
            position=point,
            key=keys[int(positions[point.index])],
            gold=float(gold[point.index]),
            score=float(scores[point.index]),
        )
        for point in plots.scatter_points(plane, gold, scores)
    ]
    spread = bool(plane.spread_x or plane.spread_y)
    return ScatterPlot(len(gold), missing, plane.frame, points=points, spread=spread)
