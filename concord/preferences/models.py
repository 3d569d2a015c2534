"""Models of choices between systems, and what each choice contributes to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.formats.preferences import Preference
from concord.preferences.best_worst import BestWorst
from concord.preferences.bradley_terry import Strengths, SystemPairCounts, choice_influence, fit
from concord.preferences.connectivity import strong_components
from concord.preferences.plackett_luce import BestWorstCounts, fit_sets, set_influence
from concord.preferences.uncertainty import Choosers


def is_tie(row: Preference, *, ties: bool) -> bool:
    """Whether a choice is a tie; with `ties`, a hard one is, too."""
    return row.choice == "tie" or (ties and row.was_hard)


@dataclass(frozen=True, eq=False)
class ComparedPairs:
    """Choices between two systems: their codes, first < second, and 1 where the first won, -1 where
    the second did, 0 of a tie; each int64 (n,)."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    won: NDArray[np.int64]
    choosers: Choosers

    @classmethod
    def of(
        cls, preferences: Sequence[Preference], names: list[str], *, ties: bool
    ) -> ComparedPairs:
        codes = {name: code for code, name in enumerate(names)}
        # Two answers of one system in a set are no comparison.
        rows = [row for row in preferences if row.first != row.second]
        points = {"first": 1, "second": -1, "tie": 0}
        table = [
            (
                codes[row.first],
                codes[row.second],
                0 if is_tie(row, ties=ties) else points[row.choice],
            )
            for row in rows
        ]
        first, second, won = np.array(table, dtype=np.int64).reshape(-1, 3).T
        won = np.where(first < second, won, -won)
        choosers = Choosers.of((row.question, row.worker) for row in rows)
        return cls(np.minimum(first, second), np.maximum(first, second), won, choosers)

    def counts(self, systems: int) -> SystemPairCounts:
        """Of all choices, as one data set."""
        pairs, codes = np.unique(self.first * systems + self.second, return_inverse=True)
        tables = (
            np.bincount(codes, weights, minlength=len(pairs))[None].astype(np.float64)
            for weights in (self.won == 1, self.won == -1, self.won == 0)
        )
        return SystemPairCounts(systems, *np.divmod(pairs, systems), *tables)


# A model's strengths, what choices contribute to its parameters, (n, K), and who made them.
FittedModel = tuple[Strengths, NDArray[np.float64], Choosers]


def fit_pairs(compared: ComparedPairs, counts: SystemPairCounts, has_ties: bool) -> FittedModel:
    """Bradley and Terry's model."""
    strengths = fit(counts, ties=has_ties)
    influence = choice_influence(counts, strengths, compared.first, compared.second, compared.won)
    return strengths, influence, compared.choosers


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
            np.bincount(kind[size == at], minlength=len(numbers)).astype(np.float64)[None],
        )
        for at, numbers in enumerate(kinds.values())
    ]
    strengths = fit_sets(counts, len(names))
    influence = np.empty((len(choices), len(names)))
    for at, of_kind in enumerate(set_influence(counts, strengths.log_strengths[0])):
        influence[size == at] = of_kind[kind[size == at]]
    return strengths, influence, Choosers.of((one.question, one.worker) for one in choices)


def disconnected(everything: SystemPairCounts, names: list[str]) -> str:
    """Why strengths are not finite; empty where they are."""
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


def totals(counts: SystemPairCounts) -> list[list[int]]:
    """Wins, losses and ties of each system."""
    table = np.zeros((counts.systems, 3))
    for systems, parts in (
        (counts.first, (counts.wins, counts.losses, counts.ties)),
        (counts.second, (counts.losses, counts.wins, counts.ties)),
    ):
        np.add.at(table, systems, np.concatenate(parts).T)
    return table.astype(np.int64).tolist()
