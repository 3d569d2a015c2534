"""People's choices between two answers as the page and the API show them."""

from __future__ import annotations

from typing import TypedDict

from benchmarks.analyses import judged_pairs
from benchmarks.analyses.judged_pairs import Choices, RunAccuracy
from benchmarks.analyses.services.run_names import run_name
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.meta.documents.comparison import RunName
from concord.meta.documents.description import SetStatistics
from concord.meta.documents.figures import FigureRow
from concord.meta.judged_pairs import MARGINS


class MarginRow(TypedDict):
    """Pairs of which the majority's share is from `low` up to, but not including, `high`."""

    low: float
    high: float | None
    n: int
    accuracy: FigureRow


class MetricChoicesRow(RunName):
    """A metric run on the pairs, as `ChoiceAccuracy`."""

    accuracy: FigureRow
    margins: list[MarginRow]
    with_ties: FigureRow
    epsilon: float | None


class ChoicesDocument(TypedDict):
    """The answer of the API."""

    pairs: int
    choices: int
    tied: int | None
    alpha: float | None
    first_wins: float | None
    first_wins_p: float | None
    metrics: list[MetricChoicesRow]
    ranking: dict[str, object] | None


def visible_choices(judgment_set: JudgmentSet) -> Choices | None:
    """The set's choices; None without any, and where labels are hidden from its viewer."""
    if hidden.viewer_masks(judgment_set):
        return None
    return judged_pairs.read(judgment_set)


def document(judgment_set: JudgmentSet) -> ChoicesDocument:
    """The choices as JSON."""
    statistics: SetStatistics = judgment_set.statistics
    counts = statistics.get("judged_pairs")
    choices = visible_choices(judgment_set)
    answer: ChoicesDocument = {
        "pairs": counts["pairs"] if counts else 0,
        "choices": counts["choices"] if counts else 0,
        "tied": None,
        "alpha": None,
        "first_wins": None,
        "first_wins_p": None,
        "metrics": [],
        "ranking": None,
    }
    if choices is None:
        return answer
    share, p = choices.first_wins or (None, None)
    return {
        **answer,
        "tied": choices.tied,
        "alpha": choices.alpha.value,
        "first_wins": share,
        "first_wins_p": p,
        "metrics": [_row(row) for row in judged_pairs.accuracies(judgment_set, choices.pairs)],
        "ranking": None if choices.ranking is None else choices.ranking.to_json(),
    }


def _row(row: RunAccuracy) -> MetricChoicesRow:
    accuracy = row.accuracy
    margins: list[MarginRow] = [
        {
            "low": low,
            "high": None if low == 1 else high,
            "n": n,
            "accuracy": figure.to_json(),
        }
        for (low, high), (n, figure) in zip(MARGINS, accuracy.by_margin, strict=True)
    ]
    return {
        **run_name(row.run),
        "accuracy": accuracy.decided.to_json(),
        "margins": margins,
        "with_ties": accuracy.with_ties.to_json(),
        "epsilon": accuracy.epsilon,
    }
