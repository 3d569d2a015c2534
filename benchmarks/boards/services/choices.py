"""People's choices between two answers as the page and the API show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from benchmarks.analyses import leaderboards
from benchmarks.analyses import services as analyses
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.documents.choices import ChoicesAnalysis, ChoicesDocument
from concord.documents.description import SetStatistics
from concord.documents.figures import FigureRow


@dataclass(frozen=True)
class RankedSystem:
    """A system by choices and by the mean of its scores; a rank is None without a figure.

    best_worst: its best-worst score, where people compared sets.
    """

    system: str
    by_choices: int | None
    win_probability: float | None
    ci: list[float] | None
    by_scores: int | None
    mean: FigureRow
    best_worst: float | None
    best_worst_ci: list[float] | None


def document(judgment_set: JudgmentSet) -> ChoicesDocument:
    """The choices as JSON: counts only without judged pairs, and where labels are hidden from the
    set's viewer. Raises AnalysisPendingError where a worker has to compute the figures first."""
    statistics: SetStatistics = judgment_set.statistics
    counts = statistics.get("judged_pairs")
    answer: ChoicesDocument = {
        "pairs": counts["pairs"] if counts else 0,
        "choices": counts["choices"] if counts else 0,
        "tied": None,
        "alpha": None,
        "alpha_reason": None,
        "first_wins": None,
        "first_wins_p": None,
        "metrics": [],
        "ranking": None,
    }
    if not counts or hidden.viewer_masks(judgment_set):
        return answer
    result = cast(ChoicesAnalysis, analyses.result("choices", judgment_set, {}))
    return {**answer, **result}


def ranked_systems(judgment_set: JudgmentSet, ranking: dict[str, Any]) -> list[RankedSystem]:
    """The systems by choices, best first, beside their rank by the mean of their gold scores."""
    means = {
        row["system"]: row["human"] for row in leaderboards.system_board(judgment_set)["systems"]
    }
    undefined: FigureRow = {"value": None, "reason": "no answer has a score"}
    scored = sorted(
        (mean["value"] for mean in means.values() if mean["value"] is not None), reverse=True
    )
    rows = []
    for number, (system, row) in enumerate(sorted(ranking["systems"].items(), key=_order), start=1):
        mean = means.get(system, undefined)
        value, probability = mean["value"], row["win_probability"]
        rows.append(
            RankedSystem(
                system,
                None if probability is None else number,
                probability,
                row["ci"],
                None if value is None else scored.index(value) + 1,
                mean,
                row.get("score"),
                row.get("score_ci"),
            )
        )
    return rows


def _order(row: tuple[str, dict[str, Any]]) -> tuple[bool, float, str]:
    """By win probability, highest first."""
    system, figures = row
    value = figures["win_probability"]
    return (value is None, -(value or 0.0), system)
