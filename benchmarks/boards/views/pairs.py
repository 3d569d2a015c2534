"""Minimal pairs by phenomenon, with what a metric says of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.analyses import pair_scores
from benchmarks.analyses.pair_scores import PairScores
from benchmarks.boards.services import pair_tests
from benchmarks.errors.forms import PairsQuery
from benchmarks.errors.services import browsing
from benchmarks.errors.views import new_study
from benchmarks.errors.word_differences import Piece, word_differences
from benchmarks.runs.finding import find_complete_run
from benchmarks.runs.services import listing
from benchmarks.sets.services import hidden
from benchmarks.sets.views.access import find_set, set_page
from concord.meta.documents.pairs import PairComparison
from concord.plots import MatrixPlot, matrix_plot

PAIRS_A_PAGE = 50
LEVELS = (0.001, 0.01, 0.05)


@dataclass(frozen=True)
class ShownPair:
    """A pair with a metric's verdict; `texts` are its candidates, differing words marked."""

    it: browsing.Verdict
    texts: tuple[list[Piece], list[Piece]]


@dataclass(frozen=True)
class PairSection:
    """The pairs of a phenomenon; without a title, the pairs that a metric gets wrong."""

    title: str | None
    pairs: list[ShownPair]


@dataclass(frozen=True)
class AccuracyDifference:
    """How much more accurate one metric is than another, and McNemar's p-value."""

    one: str
    other: str
    delta: float
    p: float


@dataclass(frozen=True)
class ComparedAccuracies:
    """Every two metrics on `n` pairs, as a matrix to hover and as rows."""

    n: int
    plot: MatrixPlot
    rows: list[AccuracyDifference]


@require_safe
def minimal_pairs(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = PairsQuery.read(request.GET)
    run = find_complete_run(judgment_set, query["run"]) if query["run"] else None
    phenomenon = query["phenomenon"] or None
    found = browsing.verdicts(judgment_set, run, phenomenon=phenomenon)
    tally = {name: sum(one.verdict == name for one in found) for name in ("right", "tie", "wrong")}
    if run is not None and query["verdict"] != "all":
        found = [one for one in found if one.verdict == query["verdict"]]
    losses = run is not None and query["verdict"] == "wrong"
    if losses:
        found.sort(key=lambda one: one.lead)  # the clearest first
    scores = pair_scores.read(judgment_set)
    page = Paginator(found, PAIRS_A_PAGE).get_page(query["page"])
    context = {
        "tab": "pairs",
        "query": query,
        "run": run,
        "runs": listing.complete_runs(judgment_set),
        "phenomena": browsing.phenomena(judgment_set),
        "tally": tally,
        "accuracies": None if scores is None else pair_tests.accuracies(scores),
        "compared": None if scores is None else _compared(scores, query["phenomenon"]),
        "n_hidden": int(hidden.viewer_masks(judgment_set).pairs.sum()),
        "page": page,
        "losses": losses,
        "new_study": new_study.offer(request, judgment_set),
        "asked": {name: query[name] for name in ("run", "phenomenon", "verdict")},
        "sections": _sections(page.object_list, losses),
    }
    return set_page(request, "benchmarks/boards/minimal_pairs.html", judgment_set, context)


def _sections(found: Iterable[browsing.Verdict], losses: bool) -> list[PairSection]:
    """The pairs under their phenomena, with differing words; losses stand in one section."""
    shown = [
        ShownPair(one, word_differences(one.pair.candidate1, one.pair.candidate2)) for one in found
    ]
    if losses:
        return [PairSection(None, shown)] if shown else []
    by_phenomenon = groupby(shown, key=lambda one: one.it.pair.phenomenon)
    return [PairSection(title, list(pairs)) for title, pairs in by_phenomenon]


def _compared(scores: PairScores, phenomenon: str) -> ComparedAccuracies | None:
    found = pair_tests.compared(scores, phenomenon)
    if found is None:
        return None
    names = [name + (" joint" if way == "joint" else "") for _, name, way in found["metrics"]]
    rows = [
        AccuracyDifference(names[i], names[j], share - other, found["p"][i][j])
        for i, share in enumerate(found["accuracies"])
        for j, other in enumerate(found["accuracies"])
        if i < j
    ]
    return ComparedAccuracies(found["n"], _matrix(names, found), rows)


def _matrix(names: list[str], found: PairComparison) -> MatrixPlot:
    cells: list[list[tuple[str, str, str] | None]] = []
    for i, share in enumerate(found["accuracies"]):
        row: list[tuple[str, str, str] | None] = []
        for j, other in enumerate(found["accuracies"]):
            if i == j:
                row.append(("same", "", f"{names[i]}: {100 * share:.0f}%"))
                continue
            p = found["p"][i][j]
            told = f"{names[i]} {100 * share:.0f}%, {names[j]} {100 * other:.0f}%, p = {p:.3g}"
            strength = sum(p <= level for level in LEVELS)
            if not strength:
                row.append(("apart-0", "", told))
            else:
                side, mark = ("better", "+") if share > other else ("worse", "\N{MINUS SIGN}")
                row.append((f"{side} apart-{strength}", mark, told))
        cells.append(row)
    return matrix_plot(names, cells)
