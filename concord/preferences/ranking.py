"""The ranking of systems by people's choices between two answers or from sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import scipy

from concord.arrays import Floats
from concord.formats.preferences import Preference
from concord.inference import POWER, Estimate, detectable, two_sided_p
from concord.inference.two_way import RaterWeights, two_way_share
from concord.meta.inference.multiplicity import holm, rank_metrics
from concord.preferences.best_worst import (
    BestWorst,
    BestWorstReport,
    best_worst_choices,
    best_worst_report,
)
from concord.preferences.bradley_terry import win_probabilities, win_slopes
from concord.preferences.models import ComparedPairs, disconnected, fit_best_worst, is_tie
from concord.preferences.uncertainty import (
    ROUNDING,
    choice_estimates,
    difference_errors,
    raters_of,
)
from concord.reliability import Ratings, alpha
from concord.sentences import counted, decimal
from concord.tables import ResultTable, count, figure, text
from concord.tables.result import PlottedResult

LEVEL = 0.05
MAX_LISTED = 10
"""Pairs that a note lists."""


@dataclass(frozen=True)
class SystemRank:
    """One system.

    estimate: its win probability, against a random other system, a tie counting half, by the model;
    undefined with the ranking's reason. rank: 1 + the number of systems that are shown to be
    better; None without an interval. wins, losses, ties: counted choices; of sets, those that their
    choices imply.
    """

    system: str
    estimate: Estimate
    rank: int | None
    wins: int
    losses: int
    ties: int

    @property
    def win_probability(self) -> float | None:
        return self.estimate.value

    @property
    def ci(self) -> tuple[float, float] | None:
        """The ends of the interval; None where there is none."""
        return self.estimate.ci

    @property
    def choices(self) -> int:
        """How many choices the system was part of."""
        return self.wins + self.losses + self.ties


@dataclass(frozen=True, slots=True)
class StrengthDifference:
    """log_odds: that the first is preferred to the second, the difference of their log strengths.
    p: two-sided; adjusted_p: by Holm's method for all pairs. detectable: how often one must be
    preferred to the other so that this is significant with a probability of POWER."""

    first: str
    second: str
    log_odds: float
    p: float
    adjusted_p: float
    detectable: float

    @property
    def is_shown(self) -> bool:
        """Whether the two are shown to differ."""
        return self.adjusted_p <= LEVEL

    def __str__(self) -> str:
        return f"{self.first} and {self.second} (seen from {self.detectable:.0%} on)"


@dataclass(frozen=True)
class Ranking(PlottedResult):
    """systems: best first. differences: of all pairs. questions, choices: how many. nu: Davidson's
    parameter of ties, None without it. alpha: Krippendorff's nominal alpha of choices on the same
    two answers. first_wins: share of choices (ties left out) for the answer shown first, with the
    p-value of one half; None where sides are unknown; of sets, of best answers shown before the
    worst. reason: why there are no win probabilities. best_worst: scores and reliability of
    best-worst choices; None where people chose between two answers."""

    systems: list[SystemRank]
    differences: list[StrengthDifference]
    questions: int
    choices: int
    nu: float | None
    alpha: Estimate
    first_wins: Estimate | None
    reason: str = ""
    best_worst: BestWorstReport | None = None

    @property
    def no_interval(self) -> str:
        """Why the win probabilities have no intervals; empty where they have, or are undefined."""
        return next((row.estimate.reason for row in self.systems if not self.reason), "")

    @property
    def over(self) -> str:
        """What the intervals generalise to; empty without any."""
        return next((row.estimate.over for row in self.systems if row.ci is not None), "")

    @property
    def notes(self) -> list[str]:
        """What the figures say, and what they do not."""
        notes = []
        if self.over:
            others = "other raters of this kind" if "raters" in self.over else "these raters"
            notes.append(f"Intervals are for {others}.")
        if equal := [str(one) for one in self.differences if not one.is_shown]:
            more = f", and {len(equal) - MAX_LISTED:,} more" if len(equal) > MAX_LISTED else ""
            listed = ", ".join(equal[:MAX_LISTED])
            notes.append(
                f"Not shown to differ: {listed}{more}. In brackets, how often one must be "
                f"preferred so that it is seen with a probability of {POWER:.0%}."
            )
        if len(self.differences) > 1:
            notes.append("The highest of several figures is too high on average.")
        return notes

    @property
    def side_note(self) -> str:
        """The effect of the side; empty where sides are unknown."""
        if self.first_wins is None:
            return ""
        return side_sentence(self.first_wins, of_sets=self.best_worst is not None)

    def tables(self) -> Iterable[ResultTable]:
        columns = [count("rank"), text("system"), figure("win probability", "estimate", digits=3)]
        rows: list[Any] = [vars(row) for row in self.systems]
        if (report := self.best_worst) is None:
            columns += [count("wins"), count("losses"), count("ties")]
        else:
            rows = [row | vars(report.systems[row["system"]]) for row in rows]
            columns += [figure("score"), count("best"), count("worst"), count("appearances")]
        choices = counted(self.choices, "choice")
        yield ResultTable(f"{choices} on {counted(self.questions, 'question')}", columns, rows)

    def sentences(self) -> Iterable[str]:
        if any(row.rank is not None for row in self.systems):
            yield "Rank: 1 + the number of systems that are shown to be better."
        yield from self.notes
        if self.reason:
            yield f"{self.reason}."
        if self.no_interval:
            yield f"No intervals: {self.no_interval}."
        if self.best_worst is not None:
            yield from self.best_worst.reliability()
        elif self.alpha.value is not None:
            yield f"Agreement on the same two answers: alpha {decimal(self.alpha.value)} (nominal)."
        if self.side_note:
            yield self.side_note

    def to_json(self) -> dict[str, Any]:
        report, side = self.best_worst, self.first_wins
        return {
            "systems": {
                row.system: {
                    "win_probability": row.win_probability,
                    "ci": None if row.ci is None else list(row.ci),
                    "rank": row.rank,
                    "wins": row.wins,
                    "losses": row.losses,
                    "ties": row.ties,
                    **({} if report is None else report.systems[row.system].to_json()),
                }
                for row in self.systems
            },
            "differences": [asdict(row) for row in self.differences],
            "notes": self.notes,
            "over": self.over,
            "questions": self.questions,
            "choices": self.choices,
            "nu": self.nu,
            "alpha": self.alpha.value,
            "first_wins": None if side is None else side.value,
            "first_wins_p": None if side is None else side.p,
            "first_wins_ci": None if side is None or side.ci is None else list(side.ci),
            "side_note": self.side_note,
            **({} if report is None else {"best_worst": report.to_json()}),
            **({"reason": self.reason} if self.reason else {}),
            **({"no_interval": self.no_interval} if self.no_interval else {}),
        }


def rank_systems(
    preferences: Sequence[Preference],
    *,
    ties: bool = False,
    rng: np.random.Generator | None = None,
    decisions: Sequence[Preference] | None = None,
) -> Ranking:
    """Fit the model and rank the systems by win probability.

    ties: ties have Davidson's parameter, and choices that were hard count as ties; else a tie is
    half a win of each. There are no win probabilities where some system never beat the others, or
    never lost to them, since its strength is not finite. Intervals and p-values are those of the
    contributions of the choices to the estimates (`choice_influence`), summed by question and, with
    three raters or more, by rater: they then hold for other raters of this kind.

    Where all preferences are implied by best-worst choices (`set_key`), the model is Plackett and
    Luce's of these choices. Else it is Bradley and Terry's. rng: for the divisions into halves of
    best-worst choices.

    decisions: what is ranked and counted for the systems in place of the preferences, where a
    person decided on some of them; None: the preferences. Agreement, the number of choices and the
    effect of the side are those of the preferences.
    """
    ranked = preferences if decisions is None else decisions
    own = _sets_of(preferences)
    choices = own if decisions is None else _sets_of(decisions)
    names = sorted({name for row in ranked for name in (row.first, row.second)})
    compared = ComparedPairs.of(ranked, names, ties=ties)
    counts = compared.counts()
    has_ties = ties and bool(counts.ties.any())
    reason = disconnected(counts, names)
    estimates = [Estimate(None, reason=reason)] * len(names)
    ranks: list[int | None] = [None] * len(names)
    differences: list[StrengthDifference] = []
    nu = None
    if not reason:
        strengths, influence, raters = (
            fit_best_worst(choices, names) if choices else compared.fit(counts, ties=has_ties)
        )
        nu = float(np.exp(strengths.log_nu)) if has_ties else None
        points = win_probabilities(strengths)
        estimates = choice_estimates(points, influence @ win_slopes(strengths).T, raters, "share")
        if all(row.ci is not None for row in estimates):
            logs = strengths.log_strengths
            differences, p = _differences(names, logs, influence[:, : len(names)], raters)
            ranks = [row.rank for row in rank_metrics(points, p, LEVEL)]
    rows = [
        SystemRank(name, estimate, rank, *numbers)
        for name, estimate, rank, numbers in zip(
            names, estimates, ranks, counts.totals(), strict=True
        )
    ]
    rng = rng or np.random.default_rng(0)
    return Ranking(
        systems=sorted(rows, key=lambda row: -(row.win_probability or 0.0)),
        differences=differences,
        questions=len({row.question for row in ranked}),
        choices=len(preferences),
        nu=nu,
        alpha=choices_agreement(preferences, ties=ties),
        first_wins=_first_share([(one.best_shown_first, one) for one in own])
        if own
        else side_bias(preferences, ties=ties),
        reason=reason,
        best_worst=best_worst_report(own, choices, rng=rng) if choices else None,
    )


def _differences(
    names: list[str], logs: Floats, influence: Floats, raters: RaterWeights
) -> tuple[list[StrengthDifference], Floats]:
    """The differences of all pairs, and their adjusted p-values, (S, S)."""
    first, second = np.triu_indices(len(names), 1)
    errors, degrees = (table[first, second] for table in difference_errors(influence, raters))
    values = logs[first] - logs[second]
    columns = [one.tolist() for one in (values, errors, degrees)]
    p = [
        two_sided_p(value / error, of_freedom) if error > ROUNDING else 1.0
        for value, error, of_freedom in zip(*columns, strict=True)
    ]
    adjusted, table = holm(np.array(p)), np.full((len(names), len(names)), np.nan)
    table[first, second] = table[second, first] = adjusted
    quantiles = scipy.special.stdtrit(degrees, 1 - LEVEL / len(p) / 2) + scipy.special.ndtri(POWER)
    seen = scipy.special.expit(quantiles * errors)
    rows = zip(first, second, columns[0], p, adjusted.tolist(), seen.tolist(), strict=True)
    return [StrengthDifference(names[i], names[j], *figures) for i, j, *figures in rows], table


def _sets_of(preferences: Sequence[Preference]) -> list[BestWorst]:
    """The best-worst choices that imply all preferences; empty where there are pairs."""
    are_implied = all(row.set_key for row in preferences)
    return best_worst_choices(preferences) if are_implied else []


def choices_agreement(preferences: Sequence[Preference], *, ties: bool = False) -> Estimate:
    """Krippendorff's nominal alpha of choices on the same two answers.

    Which answer is called the first does not matter: every two answers count in both orders, so by
    chance a choice that is no tie is for either with the same probability. ties: choices that were
    hard count as ties.
    """
    values = {"first": 1.0, "second": -1.0}
    rows = []
    for row in preferences:
        one, other = row.candidates
        unit = (row.question, row.set_key, min(one, other), max(one, other))
        value = 0.0 if is_tie(row, ties=ties) else values[row.choice]
        value = -value if one > other else value
        pair = unit if one != other else row.pair
        rows += [((pair, order), row.worker, order * value) for order in (1, -1)]
    estimate = alpha(Ratings.from_rows(rows), "nominal")
    return replace(estimate, n=None if estimate.n is None else estimate.n // 2)


def side_bias(preferences: Sequence[Preference], *, ties: bool = False) -> Estimate | None:
    """The share of choices, without ties, for the answer that was shown first, over questions and
    raters, with the two-sided p-value of one half (`two_way_share`); None where no side is known.
    `ties` as in `choices_agreement`."""
    return _first_share(
        [(row.first_shown_won, row) for row in preferences if not is_tie(row, ties=ties)]
    )


def side_sentence(side: Estimate, *, of_sets: bool) -> str:
    """The effect of the side in a sentence, and what would have been seen where none is. of_sets:
    of choices of a best and a worst."""
    what = "The answer shown first won {} of decided choices"
    if of_sets:
        what = "The best answer was shown before the worst in {} of choices"
    share = f"{side.value:.1%}"
    if side.ci is not None:
        share += f" ({side.ci[0]:.1%} to {side.ci[1]:.1%})"
    text = f"{what.format(share)} (p = {decimal(side.p)})"
    size = detectable(side)
    if size is None or side.p is None or side.p < LEVEL:
        return f"{text}."
    points = counted(round(100 * size), "point")
    return (
        f"{text}: no effect of the side is shown; one of {points} would have been seen with a "
        f"probability of {POWER:.0%}."
    )


def _first_share(rows: Sequence[tuple[bool | None, Preference | BestWorst]]) -> Estimate | None:
    known = [(won, row) for won, row in rows if won is not None]
    if not known:
        return None
    raters = raters_of(row for _, row in known)
    won = np.array([one for one, _ in known], dtype=np.float64)
    return two_way_share(won, raters.passages, raters.raters, null=0.5, unit="questions")
