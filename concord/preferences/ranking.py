"""The ranking of systems by people's choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.formats.preferences import Preference
from concord.preferences.bradley_terry import Counts, fit, win_probabilities
from concord.preferences.connectivity import strong_components
from concord.reliability import Alpha, Ratings, reported_alpha

BLOCK_CELLS = 2_000_000


@dataclass(frozen=True)
class SystemRank:
    """One system. win_probability: against a random other system, a tie counting half, by the
    model; ci: its 95% percentile interval over resampled questions; both None with a reason in the
    ranking. wins, losses, ties: counted choices."""

    system: str
    win_probability: float | None
    ci: tuple[float, float] | None
    wins: int
    losses: int
    ties: int

    @property
    def choices(self) -> int:
        """How many choices the system was part of."""
        return self.wins + self.losses + self.ties


@dataclass(frozen=True)
class Ranking:
    """systems: best first. questions, choices: how many. nu: Davidson's parameter of ties, None
    without it. alpha: Krippendorff's nominal alpha of choices on the same two answers. first_wins:
    share of choices (ties left out) for the answer shown first, with the p-value of one half;
    None where sides are unknown. draws, disconnected: resamples, and those left out because not
    every system could be reached by wins. reason: why there are no win probabilities."""

    systems: list[SystemRank]
    questions: int
    choices: int
    nu: float | None
    alpha: Alpha
    first_wins: tuple[float, float] | None
    draws: int
    disconnected: int
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "systems": {
                row.system: {
                    "win_probability": row.win_probability,
                    "ci": None if row.ci is None else list(row.ci),
                    "wins": row.wins,
                    "losses": row.losses,
                    "ties": row.ties,
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
            **({"reason": self.reason} if self.reason else {}),
        }


def rank_systems(
    preferences: Sequence[Preference],
    *,
    ties: bool = False,
    draws: int = 1000,
    rng: np.random.Generator,
) -> Ranking:
    """Fit the model and rank the systems by win probability.

    ties: ties have Davidson's parameter, and choices that were hard count as ties; else a tie is
    half a win of each. Questions are resampled `draws` times. There are no win probabilities where
    some system never beat the others, or never lost to them, since its strength is not finite.
    """
    names = sorted({name for row in preferences for name in (row.first, row.second)})
    by_question = _count(preferences, names, ties=ties)
    questions = len(by_question.wins)
    everything = _weighted(by_question, np.ones((1, questions)))
    has_ties = ties and bool(everything.ties.sum())
    reason = _disconnected(everything, names)
    points: NDArray[np.float64] | None = None
    ends: NDArray[np.float64] | None = None
    nu, left_out = None, 0
    if not reason:
        fitted = fit(everything, ties=has_ties)
        points = win_probabilities(fitted)[0]
        nu = float(np.exp(fitted.log_nu[0])) if has_ties else None
        ends, left_out = _interval(by_question, has_ties, draws, rng)
    wins, losses, tied = _totals(everything)
    rows = [
        SystemRank(
            name,
            None if points is None else float(points[k]),
            None if ends is None else (float(ends[0, k]), float(ends[1, k])),
            int(wins[k]),
            int(losses[k]),
            int(tied[k]),
        )
        for k, name in enumerate(names)
    ]
    rows.sort(key=lambda row: -(row.win_probability or 0.0))
    return Ranking(
        rows,
        questions,
        len(preferences),
        nu,
        choices_agreement(preferences, ties=ties),
        side_bias(preferences, ties=ties),
        draws,
        left_out,
        reason,
    )


def _is_tie(row: Preference, *, ties: bool) -> bool:
    return row.choice == "tie" or (ties and row.was_hard)


def _count(preferences: Sequence[Preference], names: list[str], *, ties: bool) -> Counts:
    """Counts with one row for each question."""
    codes = {name: code for code, name in enumerate(names)}
    questions: dict[str, int] = {}
    pairs: dict[tuple[int, int], int] = {}
    cells: list[tuple[int, int, int]] = []
    for row in preferences:
        first, second = codes[row.first], codes[row.second]
        pair = pairs.setdefault((min(first, second), max(first, second)), len(pairs))
        outcome = 2
        if not _is_tie(row, ties=ties):
            outcome = int((row.choice == "first") != (first < second))
        cells.append((outcome, questions.setdefault(row.question, len(questions)), pair))
    table = np.zeros((3, len(questions), len(pairs)))
    np.add.at(table, tuple(np.array(cells).T), 1.0)
    ends = np.array(list(pairs), dtype=np.int64)
    return Counts(len(names), ends[:, 0], ends[:, 1], *table)


def _weighted(counts: Counts, weights: NDArray[np.float64]) -> Counts:
    """Counts of data sets in which question q occurs weights[b, q] times."""
    sums = (weights @ part for part in (counts.wins, counts.losses, counts.ties))
    return Counts(counts.systems, counts.first, counts.second, *sums)


def _interval(
    by_question: Counts, has_ties: bool, draws: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64] | None, int]:
    """95% percentile intervals (2, S), and how many draws were left out."""
    questions = len(by_question.wins)
    samples = []
    left_out = 0
    step = max(1, BLOCK_CELLS // max(questions, by_question.systems**2))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        shares = np.full(questions, 1 / questions)
        drawn = _weighted(by_question, rng.multinomial(questions, shares, size).astype(np.float64))
        usable = [
            draw
            for draw in range(size)
            if np.ptp(strong_components(drawn, draw)) == 0
            and (not has_ties or 0 < drawn.ties[draw].sum() < _all(drawn, draw))
        ]
        left_out += size - len(usable)
        if usable:
            usable_draws = Counts(
                drawn.systems,
                drawn.first,
                drawn.second,
                drawn.wins[usable],
                drawn.losses[usable],
                drawn.ties[usable],
            )
            samples.append(win_probabilities(fit(usable_draws, ties=has_ties)))
    if not samples:
        return None, left_out
    return np.quantile(np.concatenate(samples), [0.025, 0.975], axis=0), left_out


def _all(counts: Counts, data_set: int) -> float:
    parts = (counts.wins, counts.losses, counts.ties)
    return float(sum(part[data_set].sum() for part in parts))


def _disconnected(everything: Counts, names: list[str]) -> str:
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
    counts: Counts,
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


def choices_agreement(preferences: Sequence[Preference], *, ties: bool = False) -> Alpha:
    """Krippendorff's nominal alpha of choices on the same two answers.

    ties: choices that were hard count as ties.
    """
    values = {"first": 1.0, "second": 2.0}
    rows = [
        (row.pair, row.worker, 0.0 if _is_tie(row, ties=ties) else values[row.choice])
        for row in preferences
    ]
    return reported_alpha(Ratings.from_rows(rows), "nominal")


def side_bias(
    preferences: Sequence[Preference], *, ties: bool = False
) -> tuple[float, float] | None:
    """The share of choices, without ties, for the answer that was shown first, and the two-sided
    p-value of one half (binomial test); None where no side is known. `ties` as in
    `choices_agreement`."""
    first_won = [
        row.first_shown == (1 if row.choice == "first" else 2)
        for row in preferences
        if row.first_shown is not None and not _is_tie(row, ties=ties)
    ]
    if not first_won:
        return None
    test = scipy.stats.binomtest(sum(first_won), len(first_won))
    return sum(first_won) / len(first_won), float(test.pvalue)
