"""Minimal pairs by phenomenon, with a metric's verdict on each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchmarks.analyses import pair_scores
from benchmarks.analyses.pair_scores import PairScores
from benchmarks.boards.services import pair_tests
from benchmarks.boards.services.pair_tests import PairComparison
from benchmarks.errors.forms import PairsQuery
from benchmarks.errors.services import browsing
from benchmarks.errors.views import new_study
from benchmarks.errors.word_differences import WordPiece, word_differences
from benchmarks.runs.finding import find_complete_run
from benchmarks.runs.services import listing
from benchmarks.sets.services import hidden
from benchmarks.sets.views.access import find_set, own_query, set_page
from benchmarks.sets.views.pictures import picture, points_file
from concord.plots import MatrixPlot, matrix_plot

PAIRS_PER_PAGE = 10
# Rows of the table of accuracies, unless all are asked for.
METRICS_SHOWN = 8
LEVELS = (0.001, 0.01, 0.05)


@dataclass(frozen=True)
class PairCard:
    """A pair with a metric's verdict; `texts` are its candidates with differing words marked."""

    verdict: browsing.PairVerdict
    texts: tuple[list[WordPiece], list[WordPiece]]


@dataclass(frozen=True)
class PairSection:
    """The pairs of a phenomenon; without a title, the pairs that a metric orders wrongly."""

    title: str | None
    pairs: list[PairCard]


@dataclass(frozen=True)
class AccuracyDifference:
    """How much more accurate one metric is than another, and McNemar's p-value."""

    one: str
    other: str
    delta: float
    p: float


@dataclass(frozen=True)
class AccuracyComparison:
    """Every two metrics on `n` pairs, as a matrix and as rows."""

    n: int
    plot: MatrixPlot
    rows: list[AccuracyDifference]


@require_safe
def minimal_pairs(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = PairsQuery.read(own_query(request, "minimal-pairs"))
    run = find_complete_run(judgment_set, query["run"]) if query["run"] else None
    phenomenon = query["phenomenon"] or None
    verdicts = browsing.verdicts(judgment_set, run, phenomenon=phenomenon)
    counts = {
        name: sum(one.verdict == name for one in verdicts) for name in ("right", "tie", "wrong")
    }
    if run is not None and query["verdict"] != "all":
        verdicts = [one for one in verdicts if one.verdict == query["verdict"]]
    losses = run is not None and query["verdict"] == "wrong"
    if losses:
        verdicts.sort(key=lambda one: one.lead)  # largest difference first
    scores = pair_scores.read(judgment_set)
    accuracies = None if scores is None else pair_tests.accuracies(scores)
    n_metrics = 0 if accuracies is None else len(accuracies.rows)
    shown = n_metrics if query["metrics"] == "all" else METRICS_SHOWN
    page = Paginator(verdicts, PAIRS_PER_PAGE).get_page(query["page"])
    context = {
        "tab": "pairs",
        "query": query,
        "run": run,
        "runs": listing.complete_runs(judgment_set),
        "phenomena": browsing.phenomena(judgment_set),
        "verdict_counts": counts,
        "accuracies": accuracies,
        "accuracy_rows": accuracies and accuracies.rows[:shown],
        "more_metrics": n_metrics > shown,
        "compared": None if scores is None else _comparison(scores, query["phenomenon"]),
        "n_hidden": int(hidden.viewer_masks(judgment_set).pairs.sum()),
        "page": page,
        "losses": losses,
        "new_study": new_study.form_context(request, judgment_set),
        "page_query": {name: query[name] for name in ("run", "phenomenon", "verdict")},
        "phenomenon_query": urlencode({"phenomenon": query["phenomenon"]}),
        "sections": _sections(page.object_list, losses),
    }
    return set_page(request, "benchmarks/boards/minimal_pairs.html", judgment_set, context)


@require_safe
def differences_file(request: HttpRequest, ref: str, extension: str) -> HttpResponse:
    """The comparison of every two metrics on the pairs: the plot as svg or png, the rows as csv."""
    judgment_set = find_set(ref, request.user)
    query = PairsQuery.read(request.GET)
    scores = pair_scores.read(judgment_set)
    compared = None if scores is None else _comparison(scores, query["phenomenon"])
    if compared is None:
        raise Http404("Fewer than two metrics have scores of these pairs.")
    if extension == "csv":
        return points_file(judgment_set, [asdict(row) for row in compared.rows], "differences")
    context = {"judgment_set": judgment_set, "compared": {"matrix": compared.plot}}
    template = "benchmarks/plots/matrix.svg"
    return picture(request, judgment_set, template, context, "differences", extension)


def _sections(verdicts: Iterable[browsing.PairVerdict], losses: bool) -> list[PairSection]:
    """A section for each phenomenon; a single section for losses."""
    cards = [
        PairCard(one, word_differences(one.pair.candidate1, one.pair.candidate2))
        for one in verdicts
    ]
    if losses:
        return [PairSection(None, cards)] if cards else []
    by_phenomenon = groupby(cards, key=lambda card: card.verdict.pair.phenomenon)
    return [PairSection(title, list(pairs)) for title, pairs in by_phenomenon]


def _comparison(scores: PairScores, phenomenon: str) -> AccuracyComparison | None:
    comparison = pair_tests.compare_metrics(scores, phenomenon)
    if comparison is None:
        return None
    names = [name + (" joint" if way == "joint" else "") for _, name, way in comparison.metrics]
    rows = [
        AccuracyDifference(names[i], names[j], share - other, comparison.p[i][j])
        for i, share in enumerate(comparison.accuracies)
        for j, other in enumerate(comparison.accuracies)
        if i < j
    ]
    return AccuracyComparison(comparison.n, _matrix(names, comparison), rows)


def _matrix(names: list[str], comparison: PairComparison) -> MatrixPlot:
    cells: list[list[tuple[str, str, str] | None]] = []
    for i, share in enumerate(comparison.accuracies):
        row: list[tuple[str, str, str] | None] = []
        for j, other in enumerate(comparison.accuracies):
            if i == j:
                row.append(("same", "", f"{names[i]}: {100 * share:.0f}%"))
                continue
            p = comparison.p[i][j]
            title = f"{names[i]} {100 * share:.0f}%, {names[j]} {100 * other:.0f}%, p = {p:.3g}"
            strength = sum(p <= level for level in LEVELS)
            if not strength:
                row.append(("apart-0", "", title))
            else:
                side, mark = ("better", "+") if share > other else ("worse", "\N{MINUS SIGN}")
                row.append((f"{side} apart-{strength}", mark, title))
        cells.append(row)
    return matrix_plot(names, cells)
