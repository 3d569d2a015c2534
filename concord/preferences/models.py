"""Strengths of systems from resampled questions, by the model that fits the kind of choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from concord.preferences.best_worst import BestWorst
from concord.preferences.bradley_terry import Counts, Strengths, fit
from concord.preferences.plackett_luce import SetCounts, fit_sets

# Strengths of B data sets, in which question q occurs weights[b, q] times.
Model = Callable[[NDArray[np.float64]], Strengths]


def weighted(counts: Counts, weights: NDArray[np.float64]) -> Counts:
    """Counts, with one row for each question, of data sets as in `Model`."""
    sums = (weights @ part for part in (counts.wins, counts.losses, counts.ties))
    return Counts(counts.systems, counts.first, counts.second, *sums)


def pair_model(by_question: Counts, has_ties: bool) -> Model:
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

    def counts(weights: NDArray[np.float64]) -> list[SetCounts]:
        return [SetCounts(members, weights @ table) for members, table in tables]

    everything = fit_sets(counts(np.ones((1, len(questions)))), len(names))
    return lambda weights: fit_sets(counts(weights), len(names), everything.log_strengths[0])
