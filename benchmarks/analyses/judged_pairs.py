"""What people's choices between two answers say of metrics, systems and raters."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.analyses import leaderboards, samples
from benchmarks.analyses.services import work
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.models.judged_pairs import TIE
from benchmarks.sets.services import frames, judged_pairs
from concord.formats.preferences import Preference, preferences_of
from concord.meta.documents.figures import FigureRow
from concord.meta.judged_pairs import ChoiceAccuracy, JudgedPairs, choice_accuracy
from concord.preferences import Ranking, SystemScore, choices_agreement, rank_systems, side_bias
from concord.reliability import Alpha

CACHED_SETS = 8
SEED, DRAWS = 0, 1000


@dataclass(frozen=True)
class RunAccuracy:
    run: MetricRun
    accuracy: ChoiceAccuracy


@dataclass(frozen=True)
class RankedSystem:
    """A system by choices and by the mean of its scores; a rank is None without a figure.

    best_worst: its best-worst score, where people compared sets.
    """

    system: str
    by_choices: int | None
    win_probability: float | None
    ci: tuple[float, float] | None
    by_scores: int | None
    mean: FigureRow
    best_worst: SystemScore | None


@dataclass(frozen=True)
class Choices:
    """People's choices on a set's pairs.

    tied: the number of pairs without a majority. alpha: nominal, on the same two answers.
    first_wins: the share of decided choices for the answer that was shown first, with the p-value
    of one half, of sets as in the ranking; None where sides are unknown. ranking: None without two
    systems.
    """

    pairs: JudgedPairs
    choices: int
    tied: int
    alpha: Alpha
    first_wins: tuple[float, float] | None
    ranking: Ranking | None


def read(judgment_set: JudgmentSet) -> Choices | None:
    """The choices of a set, cached: a version never changes. None without judged pairs."""
    return _read(judgment_set.pk)


def accuracies(judgment_set: JudgmentSet, pairs: JudgedPairs) -> list[RunAccuracy]:
    """Every complete run that the set's viewer may see on the pairs, best first."""
    pks = [run.pk for run in leaderboards.complete_board_runs(judgment_set)]
    rows = [
        RunAccuracy(run, choice_accuracy(pairs, samples.oriented_scores(run)))
        for run in work.load_runs(judgment_set, pks)
    ]
    rows.sort(key=_order)
    return rows


def ranked_systems(judgment_set: JudgmentSet, ranking: Ranking) -> list[RankedSystem]:
    """The systems by choices, best first, beside their rank by the mean of their gold scores."""
    means = {
        row["system"]: row["human"] for row in leaderboards.system_board(judgment_set)["systems"]
    }
    undefined: FigureRow = {"value": None, "reason": "no answer has a score"}
    scored = sorted(
        (mean["value"] for mean in means.values() if mean["value"] is not None), reverse=True
    )
    rows = []
    for number, row in enumerate(ranking.systems, start=1):
        mean = means.get(row.system, undefined)
        value = mean["value"]
        rows.append(
            RankedSystem(
                row.system,
                None if row.win_probability is None else number,
                row.win_probability,
                row.ci,
                None if value is None else scored.index(value) + 1,
                mean,
                ranking.best_worst.systems[row.system] if ranking.best_worst else None,
            )
        )
    return rows


@lru_cache(maxsize=CACHED_SETS)
def _read(pk: int) -> Choices | None:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    records = list(judged_pairs.load(judgment_set))
    if not records:
        return None
    preferences = list(preferences_of(records, named_systems=False))
    ranking = _rank(list(preferences_of(records)))
    return Choices(
        pairs := _pairs(judgment_set),
        len(preferences),
        int((~pairs.is_decided).sum()),
        choices_agreement(preferences),
        # The pairs that a set implies are dependent: its best and worst count once.
        ranking.first_wins if ranking and ranking.best_worst else side_bias(preferences),
        ranking,
    )


def _rank(preferences: list[Preference]) -> Ranking | None:
    if not preferences:
        return None
    has_ties = any(one.choice == "tie" for one in preferences)
    rng = np.random.default_rng(SEED)
    return rank_systems(preferences, ties=has_ties, draws=DRAWS, rng=rng)


def _pairs(judgment_set: JudgmentSet) -> JudgedPairs:
    votes: dict[int, list[float]] = defaultdict(list)
    points = {TIE: 0.5, 1: 1.0, 2: 0.0}
    rows = judgment_set.judged_pairs.order_by("position")
    for position, choice in rows.values_list("position", "choices__choice"):
        votes[position].append(points[choice])
    members = list(rows.values_list("candidate1__position", "candidate2__position"))
    first, second = np.array(members, dtype=np.int64).reshape(-1, 2).T
    shares = np.array([np.mean(votes[position]) for position in sorted(votes)])
    return JudgedPairs(first, second, shares, frames.frame(judgment_set).clusters[first])


def _order(row: RunAccuracy) -> tuple[bool, float, str]:
    value = row.accuracy.decided.value
    return (value is None, -(value or 0.0), row.run.metric)
