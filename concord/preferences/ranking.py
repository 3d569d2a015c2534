"""The ranking of systems by people's choices between two answers or from sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.formats.preferences import Preference
from concord.inference import Estimate, resampled_estimate
from concord.plots.forest import IntervalPlot
from concord.plots.notebooks import PlottedResult
from concord.preferences.best_worst import (
    BestWorst,
    BestWorstReport,
    best_worst_choices,
    best_worst_report,
)
from concord.preferences.bradley_terry import Strengths, SystemPairCounts, fit, win_probabilities
from concord.preferences.connectivity import strong_components
from concord.preferences.plackett_luce import BestWorstCounts, fit_sets
from concord.reliability import Ratings, alpha

# Strengths of B data sets, in which question q occurs weights[b, q] times.
Model = Callable[[NDArray[np.float64]], Strengths]


def weighted(counts: SystemPairCounts, weights: NDArray[np.float64]) -> SystemPairCounts:
    """Counts, with one row for each question, of data sets as in `Model`."""
    sums = (weights @ part for part in (counts.wins, counts.losses, counts.ties))
    return SystemPairCounts(counts.systems, counts.first, counts.second, *sums)


def pair_model(by_question: SystemPairCounts, has_ties: bool) -> Model:
    """Bradley and Terry's model."""
    return lambda weights: fit(weighted(by_question, weights), ties=has_ties)


def set_model(choices: Sequence[BestWorst], names: Sequence[str]) -> Model:
    """Plackett and Luce's model. Questions are in the order of their first choices."""
    codes = {name: code for code, name in enumerate(names)}
    questions: dict[str, int] = {}
    # By the size of the sets, the kinds of choices with their numbers.
    kinds: dict[int, dict[tuple[int, ...], int]] = {}
    cells: dict[int, list[tuple[int, int]]] = {}
    for one in choices:
        best, *others, worst = (codes[name] for name in one.systems)
        size = len(one.systems)
        numbers = kinds.setdefault(size, {})
        kind = numbers.setdefault((best, *sorted(others), worst), len(numbers))
        question = questions.setdefault(one.question, len(questions))
        cells.setdefault(size, []).append((question, kind))
    tables = []
    for size, numbers in kinds.items():
        table = np.zeros((len(questions), len(numbers)))
        np.add.at(table, tuple(np.array(cells[size]).T), 1.0)
        tables.append((np.array(list(numbers), dtype=np.int64), table))

    def counts(weights: NDArray[np.float64]) -> list[BestWorstCounts]:
        return [BestWorstCounts(members, weights @ table) for members, table in tables]

    everything = fit_sets(counts(np.ones((1, len(questions)))), len(names))
    return lambda weights: fit_sets(counts(weights), len(names), everything.log_strengths[0])


BLOCK_CELLS = 2_000_000


@dataclass(frozen=True)
class SystemRank:
    """One system. win_probability: against a random other system, a tie counting half, by the
    model; interval: its 95% interval over resampled questions; both None with a reason in the
    ranking. wins, losses, ties: counted choices; of sets, those that their choices imply."""

    system: str
    win_probability: float | None
    interval: Estimate | None
    wins: int
    losses: int
    ties: int

    @property
    def ci(self) -> tuple[float, float] | None:
        """The ends of the interval; None where there is none."""
        return None if self.interval is None else self.interval.ci

    @property
    def choices(self) -> int:
        """How many choices the system was part of."""
        return self.wins + self.losses + self.ties


@dataclass(frozen=True)
class Ranking(PlottedResult):
    """systems: best first. questions, choices: how many. nu: Davidson's parameter of ties, None
    without it. alpha: Krippendorff's nominal alpha of choices on the same two answers. first_wins:
    share of choices (ties left out) for the answer shown first, with the p-value of one half;
    None where sides are unknown; of sets, of best answers shown before the worst. draws,
    disconnected: resamples, and those left out because not every system could be reached by wins.
    reason: why there are no win probabilities. best_worst: scores and reliability of best-worst
    choices; None where people chose between two answers."""

    systems: list[SystemRank]
    questions: int
    choices: int
    nu: float | None
    alpha: Estimate
    first_wins: tuple[float, float] | None
    draws: int
    disconnected: int
    reason: str = ""
    best_worst: BestWorstReport | None = None

    @property
    def no_interval(self) -> str:
        """Why the win probabilities have no intervals; empty where they have, or are undefined."""
        reasons = (row.interval.reason for row in self.systems if row.interval is not None)
        return next((reason for reason in reasons if reason), "")

    def forest(self) -> IntervalPlot:
        """The systems' win probabilities."""
        rows = [(row.system, row.win_probability, row.ci) for row in self.systems]
        return IntervalPlot("win probability", rows)

    def to_json(self) -> dict[str, Any]:
        report = self.best_worst
        return {
            "systems": {
                row.system: {
                    "win_probability": row.win_probability,
                    "ci": None if row.ci is None else list(row.ci),
                    "wins": row.wins,
                    "losses": row.losses,
                    "ties": row.ties,
                    **({} if report is None else report.systems[row.system].to_json()),
                }
                for row in self.systems
            },
            "questions": self.questions,
            "choices": self.choices,
            "nu": self.nu,
            "alpha": self.alpha.value,
            "first_wins": None if self.first_wins is None else self.first_wins[0],
            "first_wins_p": None if self.first_wins is None else self.first_wins[1],
            "draws": self.draws,
            "disconnected": self.disconnected,
            **({} if report is None else {"best_worst": report.to_json()}),
            **({"reason": self.reason} if self.reason else {}),
            **({"no_interval": self.no_interval} if self.no_interval else {}),
        }


def rank_systems(
    preferences: Sequence[Preference],
    *,
    ties: bool = False,
    draws: int = 1000,
    rng: np.random.Generator,
    decisions: Sequence[Preference] | None = None,
) -> Ranking:
    """Fit the model and rank the systems by win probability.

    ties: ties have Davidson's parameter, and choices that were hard count as ties; else a tie is
    half a win of each. Questions are resampled `draws` times. There are no win probabilities where
    some system never beat the others, or never lost to them, since its strength is not finite.

    Where all preferences are implied by best-worst choices (`set_key`), the model is Plackett and
    Luce's of these choices. Else it is Bradley and Terry's.

    decisions: what is ranked and counted for the systems in place of the preferences, where a
    person decided on some of them; None: the preferences. Agreement, the number of choices and the
    effect of the side are those of the preferences.
    """
    ranked = preferences if decisions is None else decisions
    raters = _sets_of(preferences)
    choices = raters if decisions is None else _sets_of(decisions)
    names = sorted({name for row in ranked for name in (row.first, row.second)})
    by_question = _count(ranked, names, ties=ties)
    questions = len(by_question.wins)
    everything = weighted(by_question, np.ones((1, questions)))
    has_ties = ties and bool(everything.ties.sum())
    reason = _disconnected(everything, names)
    points: NDArray[np.float64] | None = None
    intervals: list[Estimate] | None = None
    nu, left_out = None, 0
    if not reason:
        estimate = set_model(choices, names) if choices else pair_model(by_question, has_ties)
        fitted = estimate(np.ones((1, questions)))
        points = win_probabilities(fitted)[0]
        nu = float(np.exp(fitted.log_nu[0])) if has_ties else None
        values, left_out = _resampled(by_question, has_ties, estimate, draws, rng)
        intervals = [
            resampled_estimate(drawn, point, questions, "share", unit="questions")
            for drawn, point in zip(values.T, points.tolist(), strict=True)
        ]
    wins, losses, tied = _totals(everything)
    rows = [
        SystemRank(
            system=name,
            win_probability=None if points is None else float(points[k]),
            interval=None if intervals is None else intervals[k],
            wins=int(wins[k]),
            losses=int(losses[k]),
            ties=int(tied[k]),
        )
        for k, name in enumerate(names)
    ]
    rows.sort(key=lambda row: -(row.win_probability or 0.0))
    return Ranking(
        systems=rows,
        questions=questions,
        choices=len(preferences),
        nu=nu,
        alpha=choices_agreement(preferences, ties=ties),
        first_wins=_first_share([one.best_shown_first for one in raters])
        if raters
        else side_bias(preferences, ties=ties),
        draws=draws,
        disconnected=left_out,
        reason=reason,
        best_worst=best_worst_report(raters, choices, draws=draws, rng=rng) if choices else None,
    )


def _sets_of(preferences: Sequence[Preference]) -> list[BestWorst]:
    """The best-worst choices that imply all preferences; empty where there are pairs."""
    are_implied = all(row.set_key for row in preferences)
    return best_worst_choices(preferences) if are_implied else []


def _is_tie(row: Preference, *, ties: bool) -> bool:
    return row.choice == "tie" or (ties and row.was_hard)


def _count(preferences: Sequence[Preference], names: list[str], *, ties: bool) -> SystemPairCounts:
    """Counts with one row for each question."""
    codes = {name: code for code, name in enumerate(names)}
    questions: dict[str, int] = {}
    pairs: dict[tuple[int, int], int] = {}
    cells: list[tuple[int, int, int]] = []
    for row in preferences:
        first, second = codes[row.first], codes[row.second]
        question = questions.setdefault(row.question, len(questions))
        if first == second:  # two answers of one system in a set
            continue
        outcome = 2
        if not _is_tie(row, ties=ties):
            outcome = int((row.choice == "first") != (first < second))
        pair = pairs.setdefault((min(first, second), max(first, second)), len(pairs))
        cells.append((outcome, question, pair))
    table = np.zeros((3, len(questions), len(pairs)))
    np.add.at(table, tuple(np.array(cells, dtype=np.int64).reshape(-1, 3).T), 1.0)
    ends = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    return SystemPairCounts(len(names), ends[:, 0], ends[:, 1], *table)


def _resampled(
    by_question: SystemPairCounts,
    has_ties: bool,
    estimate: Model,
    draws: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], int]:
    """The win probabilities in each draw, (draws, S), NaN in those that were left out, and how many
    were."""
    questions = len(by_question.wins)
    values = np.full((draws, by_question.systems), np.nan)
    left_out = 0
    step = max(1, BLOCK_CELLS // max(questions, by_question.systems**2))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        shares = np.full(questions, 1 / questions)
        weights = rng.multinomial(questions, shares, size).astype(np.float64)
        drawn = weighted(by_question, weights)
        usable = [
            draw
            for draw in range(size)
            if np.ptp(strong_components(drawn, draw)) == 0
            and (not has_ties or 0 < drawn.ties[draw].sum() < _all(drawn, draw))
        ]
        left_out += size - len(usable)
        if usable:
            rows = start + np.array(usable)
            values[rows] = win_probabilities(estimate(weights[usable]))
    return values, left_out


def _all(counts: SystemPairCounts, data_set: int) -> float:
    parts = (counts.wins, counts.losses, counts.ties)
    return float(sum(part[data_set].sum() for part in parts))


def _disconnected(everything: SystemPairCounts, names: list[str]) -> str:
    if len(names) < 2:
        return f"all answers are by {names[0]}: there is no other system to compare it with"
    codes = strong_components(everything)
    if np.ptp(codes) == 0:
        return ""
    smallest = int(np.bincount(codes).argmin())
    group = ", ".join(name for name, code in zip(names, codes, strict=True) if code == smallest)
    return (
        f"{group} always win or always lose against the other systems, or were never compared "
        "with them: win probabilities are not finite; compare more pairs"
    )


def _totals(
    counts: SystemPairCounts,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Wins, losses and ties of each system."""
    wins, losses, ties = np.zeros((3, counts.systems))
    for winner, loser, won in (
        (counts.first, counts.second, counts.wins[0]),
        (counts.second, counts.first, counts.losses[0]),
    ):
        np.add.at(wins, winner, won)
        np.add.at(losses, loser, won)
    for side in (counts.first, counts.second):
        np.add.at(ties, side, counts.ties[0])
    return wins, losses, ties


def choices_agreement(preferences: Sequence[Preference], *, ties: bool = False) -> Estimate:
    """Krippendorff's nominal alpha of choices on the same two answers.

    ties: choices that were hard count as ties.
    """
    values = {"first": 1.0, "second": 2.0}
    rows = [
        (row.pair, row.worker, 0.0 if _is_tie(row, ties=ties) else values[row.choice])
        for row in preferences
    ]
    return alpha(Ratings.from_rows(rows), "nominal")


def side_bias(
    preferences: Sequence[Preference], *, ties: bool = False
) -> tuple[float, float] | None:
    """The share of choices, without ties, for the answer that was shown first, and the two-sided
    p-value of one half (binomial test); None where no side is known. `ties` as in
    `choices_agreement`."""
    return _first_share([row.first_shown_won for row in preferences if not _is_tie(row, ties=ties)])


def _first_share(first_won: Sequence[bool | None]) -> tuple[float, float] | None:
    known = [one for one in first_won if one is not None]
    if not known:
        return None
    test = scipy.stats.binomtest(sum(known), len(known))
    return sum(known) / len(known), float(test.pvalue)
