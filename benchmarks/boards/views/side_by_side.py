"""Two metrics of a board side by side: figures, their differences, scores and candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.analyses import kinds
from benchmarks.analyses.kinds.agreement.rows import ComparedPair, compared_runs
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.views import analysis_state
from benchmarks.boards.forms import SideBySideQuery
from benchmarks.boards.services import boards
from benchmarks.boards.services.documentation import docs_page
from benchmarks.boards.views.scatter import ScatterPlot, scatter_plot
from benchmarks.errors.services import errors
from benchmarks.runs.finding import find_complete_run
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import listing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.views.access import find_set_on_criterion, set_page
from concord.documents.board import BoardRow, Ranking
from concord.documents.comparison import AgreementAnalysis
from concord.documents.figures import FigureRow
from core.security.declarations import costs

N_CANDIDATES = 8


@dataclass(frozen=True)
class Side:
    """One of the two metrics; `name` tells it from every other of the set."""

    run: MetricRun
    name: str
    row: BoardRow

    @property
    def docs_page(self) -> str | None:
        return docs_page(self.run.metric, is_submitted=self.run.submission_id is not None)


@dataclass(frozen=True)
class CoefficientDifference:
    """A coefficient of both metrics and its paired difference, first minus second; `pair` is None
    while it is not computed."""

    ranking: Ranking
    first: FigureRow
    second: FigureRow
    pair: ComparedPair | None
    is_pending: bool

    @property
    def name(self) -> str:
        return self.ranking.capitalize()


@require_safe
@costs("figures")
def side_by_side(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    numbers = list(dict.fromkeys(SideBySideQuery.read(request.GET)["run"]))
    runs = listing.complete_runs(judgment_set)
    context: dict[str, object] = {
        "tab": "leaderboard",
        "runs": runs,
        "n_selected": len(numbers),
        "selected": numbers,
    }
    if len(numbers) == 2:
        first, second = (_side(judgment_set, pk, runs) for pk in numbers)
        context |= {
            "first": first,
            "second": second,
            "sides": (first, second),
            **_differences(request, judgment_set, first, second),
            "plot": _plot(judgment_set, first, second),
            "conflicts": errors.conflicts(first.run, second.run, N_CANDIDATES),
        }
    return set_page(
        request,
        "benchmarks/boards/side_by_side.html",
        judgment_set,
        context,
        fragment="benchmarks/boards/_differences.html",
    )


def _side(judgment_set: JudgmentSet, pk: int, runs: list[MetricRun]) -> Side:
    run = find_complete_run(judgment_set, pk)
    names: dict[int, str] = {one.pk: one.name for one in runs}  # type: ignore[attr-defined]
    return Side(run, names[pk], boards.board_row(judgment_set, pk))


def _differences(
    request: HttpRequest, judgment_set: JudgmentSet, first: Side, second: Side
) -> dict[str, object]:
    """The rows of the table, and the analyses that are computed meanwhile."""
    results: dict[Ranking, AgreementAnalysis | None] = {}
    pending: dict[str, Analysis] = {}
    for ranking, coefficient in boards.COEFFICIENTS.items():
        parameters = {"coefficient": coefficient}
        state = analysis_state.started_context(request, "agreement", judgment_set, parameters)
        complete = analysis_state.complete_analysis(state)
        results[ranking] = kinds.agreement.KIND.result_of(complete) if complete else None
        if state["analysis"] is not None and state["analysis"].is_active:
            pending[ranking] = state["analysis"]
    rows = []
    for ranking, result in results.items():
        pair = result and compared_runs(result, first.run.pk, second.run.pk)
        rows.append(
            CoefficientDifference(
                ranking, first.row[ranking], second.row[ranking], pair, ranking in pending
            )
        )
    return {"differences": rows, "pending_analyses": pending}


def _plot(judgment_set: JudgmentSet, first: Side, second: Side) -> ScatterPlot:
    """The scores of the candidates whose labels the viewer may see."""
    masked = hidden.viewer_masks(judgment_set).candidates
    positions = np.flatnonzero(~masked).astype(np.int64)
    values = first.run.score_array[positions], second.run.score_array[positions]
    return scatter_plot(judgment_set, positions, values, second.name, x_name=first.name)
