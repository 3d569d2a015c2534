"""The board of metrics as page, CSV and JSON, and the board of systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.analyses import kinds, leaderboards
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds.systems import MetricOverSystems
from benchmarks.analyses.leaderboards import SystemMean, SystemOnBoard
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.views import analysis_state
from benchmarks.boards.forms import COLUMNS, SORTS, BoardOptions, board_options
from benchmarks.boards.services import boards
from benchmarks.boards.views.board_rows import arrange
from benchmarks.runs.services import releasing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from benchmarks.sets.views.access import find_set_on_criterion, own_query, set_page
from benchmarks.sets.views.attachments import csv_file, json_file
from concord.documents.board import BoardDocument, RunRow
from concord.inference import Estimate
from concord.meta.board import GROUPINGS
from concord.plots import IntervalMark, IntervalScale
from core.pages.queries import row_number
from core.refusals import RefusedError

DEFAULT_METRICS = 5
# Query parameters that the form of the columns repeats in hidden fields.
REPEATED: tuple[Literal["by", "group", "sort", "direction", "metric", "details"], ...] = (
    "by",
    "group",
    "sort",
    "direction",
    "metric",
    "details",
)


@dataclass(frozen=True, kw_only=True)
class RankedMean(SystemMean):
    """A metric's mean over a system, and the system's rank by it."""

    rank: int | None


@dataclass(frozen=True)
class SystemBoardEntry:
    """A system on the board of systems: its rank by people, and its mean by each metric."""

    row: SystemOnBoard
    rank: int | None
    mark: IntervalMark | None
    cells: list[RankedMean]


@dataclass(frozen=True)
class SystemFigures:
    """A metric over systems; `cells` are its figures in the order of the columns."""

    row: MetricOverSystems
    cells: list[Estimate]


@require_safe
def leaderboard(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = board_options(request.GET)
    board, pending = _board(request, judgment_set, query)
    page = arrange(board, query)
    columns = _columns(board, query)
    context = {
        "tab": "leaderboard",
        "coarse_step": releasing.STEP if releasing.is_withheld(judgment_set) else None,
        "pending_analyses": pending,
        "query": query,
        "groupings": GROUPINGS,
        "board_part": f"{query['by']}:{query['group']}" if query["group"] else None,
        "board": page,
        "unrated_draws": board.unrated_draws,
        "columns": columns,
        "other_columns": [name for name in columns if name != page.plotted],
        "sorts": SORTS,
        # Besides the other columns: rank, metric, the plotted figure, its plot, n if it differs.
        "n_columns": 4 + (page.same_n is None) + sum(name != page.plotted for name in columns),
        "show_details": query["details"] == "show",
        "all_columns": COLUMNS.items(),
        "repeated": _repeated(judgment_set, query),
        "total": len({row["run"] for row in board.rows}),
        "behind_sentinels": (
            _behind_sentinels(judgment_set) if query["by"] == "none" else frozenset()
        ),
    }
    return set_page(
        request,
        "benchmarks/boards/leaderboard.html",
        judgment_set,
        context,
        fragment="benchmarks/boards/_board.html",
    )


def _repeated(judgment_set: JudgmentSet, query: BoardOptions) -> list[tuple[str, str]]:
    """The query parameters that forms of the page repeat in hidden fields."""
    repeated: list[tuple[str, str]] = [(name, value) for name in REPEATED if (value := query[name])]
    if criterion := criteria.chosen(judgment_set):
        repeated.append(("criterion", criterion))
    return repeated


def _behind_sentinels(judgment_set: JudgmentSet) -> frozenset[int]:
    """The runs that are not better than every sentinel; none before the analysis is complete, and
    where its figures are withheld."""
    analysis = analyses.find_analysis("sentinels", judgment_set, {})
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return frozenset()
    try:
        result = kinds.sentinels.KIND.result_of(analyses.for_viewer(judgment_set, analysis))
    except RefusedError:
        return frozenset()
    return frozenset(row.run for row in result.metrics if row.beats_sentinels is False)


def _columns(board: BoardDocument, query: BoardOptions) -> list[str]:
    """The selected columns; without a selection, those with a value in any row."""
    if query["columns"]:
        return query["columns"]
    has_values = {
        "ceiling": any(row["standing"] and row["standing"]["relative"] for row in board.rows),
        "pairs": any(row["pairs"]["n"] for row in board.rows),
        "f1": any(
            row["correctness"] and row["correctness"]["f1"]["value"] is not None
            for row in board.rows
        ),
        "systems": any(
            row["systems"] and row["systems"]["kendall_b"]["value"] is not None
            for row in board.rows
        ),
    }
    return [name for name in COLUMNS if has_values.get(name, True)]


@require_safe
def leaderboard_csv(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set, query = find_set_on_criterion(request, ref), board_options(request.GET)
    board, _ = _board(request, judgment_set, query)
    return csv_file(judgment_set, board.to_csv(), "leaderboard.csv")


@require_safe
def leaderboard_json(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set, query = find_set_on_criterion(request, ref), board_options(request.GET)
    board, _ = _board(request, judgment_set, query)
    return json_file(judgment_set, board, "leaderboard.json")


@require_safe
def system_board(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    board = leaderboards.system_board(judgment_set)
    pks = {row_number(pk) for pk in own_query(request, "system-board").getlist("run")} - {None}
    selected = [metric for metric in board.metrics if metric["run"] in pks]
    if not pks:
        best = [row["run"] for row in leaderboards.leaderboard(judgment_set).rows]
        by_run = {metric["run"]: metric for metric in board.metrics}
        selected = [by_run[run] for run in best if run in by_run][:DEFAULT_METRICS]
    if judgment_set.scale is not None:
        scale = IntervalScale.from_range(*judgment_set.scale)
    else:
        humans = [row.human for row in board.systems]
        intervals = [h.ci or [value] for h in humans if (value := h.value) is not None]
        scale = IntervalScale.from_intervals(intervals, zero=False)
    rows = _system_rows(board.systems, selected, scale, judgment_set.scale)
    context = {
        "tab": "systems",
        "metrics": board.metrics,
        "selected": selected,
        "selected_runs": {metric["run"] for metric in selected},
        "scale": scale,
        "rows": rows,
        "has_corpus": any(cell.corpus is not None for row in rows for cell in row.cells),
        **_over_systems(judgment_set),
    }
    return set_page(request, "benchmarks/boards/system_board.html", judgment_set, context)


def _over_systems(judgment_set: JudgmentSet) -> dict[str, object]:
    """Agreement over systems, sorted by soft pairwise accuracy; {} if it is not computed yet."""
    analysis = boards.complete_analysis("systems", judgment_set, {})
    if analysis is None:
        return {}
    result = kinds.systems.KIND.result_of(analysis)
    rows = [SystemFigures(row, _system_figures(row)) for row in result.metrics]
    rows.sort(
        key=lambda one: (
            one.row.soft_pairwise.value is None,
            -(one.row.soft_pairwise.value or 0.0),
        )
    )
    return {"over_systems": result, "over_systems_rows": rows, "systems_analysis": analysis}


def _system_figures(row: MetricOverSystems) -> list[Estimate]:
    """In the order of the table's columns."""
    return [
        row.pearson,
        row.spearman,
        row.kendall_b,
        row.r_squared,
        row.pairwise_accuracy,
        row.soft_pairwise,
        row.tie_calibrated.figure,
    ]


def _board(
    request: HttpRequest, judgment_set: JudgmentSet, query: BoardOptions
) -> tuple[BoardDocument, list[Analysis]]:
    """The board and its running analyses; sends the tasks of new ones."""
    by, at = None if query["by"] == "none" else query["by"], analysis_state.starts_at(request)
    board, pending = boards.read_board_with_analyses(
        judgment_set, by, query["group"], query["sort"], request_at=at
    )
    analysis_state.send_new(request, pending, at)
    return board, pending


def _system_rows(
    systems: list[SystemOnBoard],
    metrics: list[RunRow],
    scale: IntervalScale,
    ends: tuple[float, float] | None,
) -> list[SystemBoardEntry]:
    """A row for each system, best by people first, with its rank by each of the metrics.

    ends: of people's scale, where intervals are cut.
    """
    ranks = {metric["run"]: _system_ranks(systems, metric) for metric in metrics}
    rows: list[SystemBoardEntry] = []
    for rank, row in enumerate(systems, start=1):
        human, mark = row.human, None
        if human.value is not None:
            # A mean cannot leave the scale, though the interval of few passages does.
            if ends and human.ci:
                low, high = max(human.ci[0], ends[0]), min(human.ci[1], ends[1])
                row = replace(row, human=replace(human, low=low, high=high))
            mark = scale.mark(human.value, row.human.ci)
        cells = [
            RankedMean(**vars(row.metrics[run]), rank=by_system.get(row.system))
            for run, by_system in ranks.items()
        ]
        rows.append(SystemBoardEntry(row, rank if mark else None, mark, cells))
    return rows


def _system_ranks(systems: list[SystemOnBoard], metric: RunRow) -> dict[str, int]:
    """Each system's rank by a metric's mean, best 1; systems without a mean are left out."""
    means = {row.system: row.metrics[metric["run"]].mean.value for row in systems}
    best_first = sorted(
        (mean for mean in means.values() if mean is not None), reverse=metric["higher_is_better"]
    )
    return {
        system: best_first.index(mean) + 1 for system, mean in means.items() if mean is not None
    }
