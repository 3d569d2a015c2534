"""Models of choices between systems, and what each choice contributes to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers
from concord.formats.preferences import Preference
from concord.inference.two_way import RaterWeights
from concord.preferences.best_worst import BestWorst
from concord.preferences.bradley_terry import PairCounts, Strengths, choice_influence, fit
from concord.preferences.plackett_luce import BestWorstCounts, fit_sets, set_influence
from concord.preferences.uncertainty import raters_of

# A model's strengths, what choices contribute to its parameters, (n, K), and who made them.
FittedModel = tuple[Strengths, Floats, RaterWeights]


def is_tie(row: Preference, *, ties: bool) -> bool:
    """Whether a choice is a tie; with `ties`, a hard one is, too."""
    return row.choice == "tie" or (ties and row.was_hard)


@dataclass(frozen=True, eq=False)
class ComparedPairs:
    """Choices between two of `names`, n `rows`: the codes of their systems, and 1 where the first
    won, -1 where the second did, 0 of a tie; each int64 (n,)."""

    names: Sequence[str]
    rows: Sequence[Preference]
    first: Integers
    second: Integers
    won: Integers

    @classmethod
    def of(
        cls, preferences: Sequence[Preference], names: Sequence[str], *, ties: bool
    ) -> ComparedPairs:
        codes = {name: code for code, name in enumerate(names)}
        # Two answers of one system in a set are no comparison.
        rows = [row for row in preferences if row.first != row.second]
        points = {"first": 1, "second": -1, "tie": 0}
        won = [0 if is_tie(row, ties=ties) else points[row.choice] for row in rows]
        table = [(codes[row.first], codes[row.second]) for row in rows]
        first, second = np.array(table, dtype=np.int64).reshape(-1, 2).T
        return cls(names, rows, first, second, np.array(won, dtype=np.int64))

    def counts(self) -> PairCounts:
        wins, losses, ties = (np.zeros((len(self.names), len(self.names))) for _ in range(3))
        for table, won in ((wins, 1), (losses, -1), (ties, 0)):
            np.add.at(table, (self.first[self.won == won], self.second[self.won == won]), 1.0)
        return PairCounts(wins + losses.T, ties + ties.T)

    def fit(self, counts: PairCounts, *, ties: bool) -> FittedModel:
        """Bradley and Terry's model."""
        strengths = fit(counts, ties=ties)
        influence = choice_influence(counts, strengths, self.first, self.second, self.won)
        return strengths, influence, raters_of(self.rows)


def fit_best_worst(choices: Sequence[BestWorst], names: list[str]) -> FittedModel:
    """Plackett and Luce's model."""
    codes = {name: code for code, name in enumerate(names)}
    # By the size of the sets, the kinds of choices with their numbers.
    kinds: dict[int, dict[tuple[int, ...], int]] = {}
    places = []
    for one in choices:
        best, *others, worst = (codes[name] for name in one.systems)
        numbers = kinds.setdefault(len(one.systems), {})
        kind = numbers.setdefault((best, *sorted(others), worst), len(numbers))
        places.append((list(kinds).index(len(one.systems)), kind))
    size, kind = np.array(places).T
    counts = [
        BestWorstCounts(
            np.array(list(numbers), dtype=np.int64),
            np.bincount(kind[size == at], minlength=len(numbers)).astype(np.float64),
        )
        for at, numbers in enumerate(kinds.values())
    ]
    strengths = fit_sets(counts, len(names))
    influence = np.empty((len(choices), len(names)))
    for at, of_kind in enumerate(set_influence(counts, strengths.log_strengths)):
        influence[size == at] = of_kind[kind[size == at]]
    return strengths, influence, raters_of(choices)


def disconnected(counts: PairCounts, names: Sequence[str]) -> str:
    """Why strengths are not finite; empty where they are."""
    if len(names) < 2:
        return f"all answers are by {names[0]}: there is no other system to compare it with"
    codes = counts.components()
    if np.ptp(codes) == 0:
        return ""
    smallest = int(np.bincount(codes).argmin())
    group = ", ".join(name for name, code in zip(names, codes, strict=True) if code == smallest)
    return (
        f"{group} always win or always lose against the other systems, or were never compared "
        "with them: win probabilities are not finite; compare more pairs"
    )
