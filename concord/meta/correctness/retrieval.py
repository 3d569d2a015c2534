"""P@1, MAP and MRR of systems, by people's verdicts or by a metric.

The candidates of a system for one question are its ranked list, in the order given, best first. For
a system with one answer for each question all three are its share of correct answers. Relevance is
a verdict, 0 or 1, of people or of a metric with a threshold, or a probability. With probabilities
the measures are expected values, if answers are correct independently of each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.meta.groups import Groups

Measure = Literal["p1", "map", "mrr"]
MEASURES: tuple[Measure, ...] = ("p1", "map", "mrr")
# Estimated cells of memory for each candidate of a list, over all quadrature nodes.
CELLS_PER_CANDIDATE = 64


def in_mixed_items(items: Integers, correct: Booleans) -> Booleans:
    """Which candidates, (n,), belong to an item with both a correct and a wrong candidate.

    items: (n,), codes from 0. correct: people's verdicts, (n,). AVA (section 6.4) removed all other
    questions from TREC-QA and WikiQA, on dev, where the threshold is tuned, as on test.
    """
    right = np.bincount(items, weights=correct)
    return np.asarray(((right > 0) & (right < np.bincount(items)))[items])


@dataclass(frozen=True, eq=False)
class RankedLists:
    """L ranked lists. groups: one for each list, candidates in rank order. systems: (L,), the
    system of each list, codes from 0. n_systems: number of systems."""

    groups: Groups
    systems: Integers
    n_systems: int

    @classmethod
    def from_candidates(
        cls, items: Integers, systems: Integers, mixed: Booleans | None = None
    ) -> RankedLists:
        """Lists of the candidates of each system to each item; both (n,), codes from 0.

        Candidates of an unknown system (-1) are in no list. With `mixed`, people's verdicts (n,),
        only lists of mixed items are kept (`in_mixed_items`).
        """
        n_items = int(items.max(initial=-1)) + 1
        codes = np.where(systems >= 0, systems * n_items + items, -1)
        if mixed is not None:
            codes = np.where(in_mixed_items(items, mixed), codes, -1)
        groups = Groups.from_codes(codes)
        return cls(groups, groups.codes // max(1, n_items), int(systems.max(initial=-1)) + 1)

    @property
    def single(self) -> bool:
        """Whether every list holds one answer, so that all measures are P@1."""
        return bool((self.groups.sizes == 1).all())

    def by_system(self, measure: Measure, relevance: Floats) -> Floats:
        """The mean over each system's lists of a measure, (S,), in [0, 1], higher is better.

        relevance: (n,), each in [0, 1]. A list without a relevant candidate counts 0. NaN for a
        system without lists.
        """
        values = _MEASURES[measure](self.groups, relevance[self.groups.order])
        lists = np.bincount(self.systems, minlength=self.n_systems)
        sums = np.bincount(self.systems, weights=values, minlength=self.n_systems)
        return np.where(lists > 0, sums / np.maximum(lists, 1), np.nan)


def precision_at_1(groups: Groups, relevance: Floats) -> Floats:
    """The first candidate's relevance of each list, (L,); relevance in the groups' order, (N,)."""
    return relevance[groups.starts]


def reciprocal_rank(groups: Groups, relevance: Floats) -> Floats:
    """1 / the rank of the first relevant candidate of each list, (L,), 0 without one; the expected
    value for probabilities."""
    values = np.empty(len(groups))
    for which, positions in groups.buckets(int(groups.sizes.max(initial=1))):
        p = relevance[positions]
        values[which] = (p * _before(1 - p) / np.arange(1, p.shape[1] + 1)).sum(axis=1)
    return values


def average_precision(groups: Groups, relevance: Floats) -> Floats:
    """Mean precision at the ranks of the relevant candidates of each list, (L,), 0 without any.

    For probabilities its expected value, exact for independent candidates: with A of the candidates
    before rank k relevant and B of those after it, the list's average precision is the sum over
    relevant k of (A + 1) / k / (A + 1 + B), and 1 / (A + 1 + B) is the integral of x^(A + B) over
    [0, 1]. The expectation of (A + 1) x^A and of x^B are products and sums over candidates, and
    Gauss and Legendre's rule with half as many nodes as candidates integrates them without error.
    """
    values = np.empty(len(groups))
    cells = int(groups.sizes.max(initial=1)) * CELLS_PER_CANDIDATE
    for which, positions in groups.buckets(cells):
        values[which] = _expected(relevance[positions])
    return values


def _expected(p: Floats) -> Floats:
    """Expected average precision of lists of one length, (L, k), of independent candidates."""
    size = p.shape[1]
    ranks = np.arange(1, size + 1)
    if not np.any((p > 0) & (p < 1)):  # verdicts, not probabilities
        right = np.cumsum(p, axis=1)
        return np.asarray((p * right / ranks).sum(axis=1) / np.maximum(right[:, -1], 1))
    nodes, weights = _rule(size // 2 + 1)
    total = np.zeros(len(p))
    for x, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        factor = 1 - p + p * x  # E[x^relevance], never 0 as 0 < x
        before, after = _before(factor), _before(factor[:, ::-1])[:, ::-1]
        slope = np.cumsum(p / factor, axis=1) - p / factor
        total += weight * (p / ranks * before * (1 + x * slope) * after).sum(axis=1)
    return total


@lru_cache(maxsize=32)
def _rule(nodes: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(nodes)


def _before(factors: Floats) -> Floats:
    """The product of all earlier factors in the row, for each position."""
    products = np.cumprod(factors, axis=1)
    return np.concatenate([np.ones((len(factors), 1)), products[:, :-1]], axis=1)


_MEASURES = {"p1": precision_at_1, "map": average_precision, "mrr": reciprocal_rank}
