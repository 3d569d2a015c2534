"""Coefficients of all metrics in all groups, for any weights of candidates and groups.

The same estimator computes the figures and their bootstrap. A group's coefficient is undefined
(NaN) with fewer than two candidates, or where people or the metric give all of them the same score.
Undefined groups are left out of the mean over groups, as in mt-metrics-eval's `Correlation` with
`average_by`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from concord.arrays import Counts, Floats
from concord.documents.human_agreement import Coefficient as Coefficient
from concord.inference.products import product, stacked_product
from concord.meta.groups import Groups, mean_of_defined, ratio
from concord.meta.inference.orderings import Ordering, rows_at_once
from concord.meta.inference.sample import Grouping, SampleError, ScoredSample

COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall_b", "kendall_c")
# A resample whose variance is this share of the group's sum of squares, or less, is constant.
ROUNDING = 1e-12


class Estimator(ABC):
    """`observed` is (M, G), each metric's coefficient in each group; NaN where undefined."""

    def __init__(self, sample: ScoredSample, groups: Groups) -> None:
        self.sample, self.groups = sample, groups

    @cached_property
    @abstractmethod
    def observed(self) -> Floats: ...

    @abstractmethod
    def _weighted(self, weights: Counts, group_weights: Floats | None) -> Floats: ...

    def means(self, weights: Counts | None = None, group_weights: Floats | None = None) -> Floats:
        """Each metric's mean over groups in each draw, (D, M); NaN where no group has one.

        `weights`, (D, n), says how often each draw takes each candidate, `group_weights`, (D, G),
        each group; None means once.
        """
        if weights is not None:
            return self._weighted(weights, group_weights)
        if group_weights is None:
            return mean_of_defined(self.observed)[None]
        defined = ~np.isnan(self.observed)
        total = product(group_weights, defined.T.astype(np.float64))
        sums = product(group_weights, np.where(defined, self.observed, 0.0).T)
        return ratio(sums, total)


class PearsonEstimator(Estimator):
    """Pearson's r from moments: a draw is the product of its weights with a table of moments."""

    @cached_property
    def _standard(self) -> tuple[Floats, Floats]:
        """Metrics (M, N) and gold (N,), by group of mean 0 and sum of squares 1, or all zero."""
        order = self.groups.order
        return (
            self.groups.standardise(self.sample.filled_scores[:, order]),
            self.groups.standardise(self.sample.gold[order]),
        )

    @cached_property
    def observed(self) -> Floats:
        metrics, gold = self._standard
        defined = self.groups.sums(metrics**2) * self.groups.sums(gold**2) > 0
        return np.where(defined, np.clip(self.groups.sums(metrics * gold), -1, 1), np.nan)

    def _weighted(self, weights: Counts, group_weights: Floats | None) -> Floats:
        metrics, gold = self._standard
        m = len(metrics)
        table = np.concatenate(
            [metrics, metrics**2, metrics * gold, np.ones((1, len(gold))), [gold], [gold**2]]
        )
        sorted_weights = weights.take(self.groups.order, axis=1).astype(np.float64)
        total = np.zeros((len(weights), m))
        share = np.zeros((len(weights), m))
        for which, positions in self.groups.buckets(len(table) * len(weights)):
            counts = sorted_weights[:, positions].transpose(1, 2, 0)  # (k, size, D)
            moments = stacked_product(table[:, positions].transpose(1, 0, 2), counts)
            coefficients = _pearson_of(moments, m).transpose(2, 1, 0)  # (D, M, k)
            defined = ~np.isnan(coefficients)
            if group_weights is None:
                share += defined.sum(axis=2)
                total += np.where(defined, coefficients, 0.0).sum(axis=2)
            else:
                of_group = group_weights[:, None, which]
                share += (defined * of_group).sum(axis=2)
                total += (np.where(defined, coefficients, 0.0) * of_group).sum(axis=2)
        return ratio(total, share)


def _pearson_of(moments: Floats, m: int) -> Floats:
    """r of (k, M, D), from the sums (k, 3 M + 3, D) of x, x^2, x y, 1, y and y^2."""
    x, xx, xy = moments[:, :m], moments[:, m : 2 * m], moments[:, 2 * m : 3 * m]
    n, y, yy = (moments[:, 3 * m + row, None] for row in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        var_x, var_y = xx - x * x / n, yy - y * y / n
        r = (xy - x * y / n) / np.sqrt(var_x * var_y)
    defined = (var_x > ROUNDING) & (var_y > ROUNDING)
    return np.where(defined, np.clip(r, -1.0, 1.0), np.nan)


class RankEstimator(Estimator):
    """Spearman's rho and Kendall's taus: each metric is sorted once, and draws are weights."""

    def __init__(self, sample: ScoredSample, groups: Groups, coefficient: Coefficient) -> None:
        super().__init__(sample, groups)
        self.coefficient = coefficient
        order = groups.order
        self._x, self._y = sample.filled_scores[:, order], sample.gold[order]
        self._group = groups.of_position
        self._gold = Ordering(self._group, self._y, self._y)
        self._of_gold = np.argsort(self._gold.order)

    @cached_property
    def _orderings(self) -> list[Ordering]:
        return [Ordering(self._group, x, self._y) for x in self._x]

    @cached_property
    def observed(self) -> Floats:
        ones = np.ones((1, len(self._y)), dtype=np.int32)
        return np.asarray(self._by_group(ones)[0])

    def _weighted(self, weights: Counts, group_weights: Floats | None) -> Floats:
        means = np.empty((len(weights), len(self._x)))
        step = rows_at_once(max(len(self._y), len(self._x) * len(self.groups)))
        for start in range(0, len(weights), step):
            rows = slice(start, start + step)
            by_group = self._by_group(weights[rows].take(self.groups.order, axis=1))
            of_group = None if group_weights is None else group_weights[rows][:, None]
            means[rows] = mean_of_defined(by_group, of_group)
        return means

    def _by_group(self, weights: Counts) -> Floats:
        """(D, M, G), of weights (D, N) in the groups' order."""
        coefficients = np.empty((len(weights), len(self._x), len(self.groups)))
        if self.coefficient == "spearman":
            sorted_weights = weights.take(self._gold.order, axis=1)
            gold_ranks = self._gold.centred_ranks(sorted_weights)
            gold_squares = self._gold.products(sorted_weights * gold_ranks, gold_ranks)
            by_people = gold_ranks.take(self._of_gold, axis=1)
            for m, ordering in enumerate(self._orderings):
                coefficients[:, m] = spearman_of(
                    ordering,
                    weights.take(ordering.order, axis=1),
                    by_people.take(ordering.order, axis=1),
                    gold_squares,
                )
            return coefficients
        gold = gold_ties(self._gold, weights.take(self._gold.order, axis=1), self.coefficient)
        for m, ordering in enumerate(self._orderings):
            counts = weights.take(ordering.order, axis=1)
            discordant = ordering.inversions.count(counts)
            coefficients[:, m] = kendall_of(ordering, counts, discordant, gold)
        return coefficients


def spearman_of(
    ordering: Ordering, weights: Counts, gold_ranks: Counts, gold_squares: Floats
) -> Floats:
    """rho of each group, (D, G); weights and centred gold ranks, (D, N), in the ordering's order.

    `gold_squares` has the weighted sums of the squared gold ranks, (D, G) or (1, G).
    """
    ranks = ordering.centred_ranks(weights)
    weighted = weights * ranks
    across = ordering.products(weighted, gold_ranks)
    spread = ordering.products(weighted, ranks) * gold_squares
    return ratio(across, np.sqrt(spread))


@dataclass(frozen=True, eq=False)
class GoldTies:
    """Pairs that people tie, and distinct gold scores (of tau-c), (D, G) or (1, G)."""

    tied: Floats
    distinct: Floats | None


def gold_ties(gold: Ordering, weights: Counts, coefficient: Coefficient) -> GoldTies:
    """Ties of the gold scores for Kendall's taus; `gold` and `weights`, (D, N), are sorted by
    gold."""
    distinct = gold.distinct(weights) if coefficient == "kendall_c" else None
    return GoldTies(gold.pairs(weights).tied_x, distinct)


def kendall_of(ordering: Ordering, weights: Counts, discordant: Floats, gold: GoldTies) -> Floats:
    """tau-b or tau-c of each group, (D, G); weights, (D, N), in the ordering's order.

    `discordant` pairs are the ordering's inversions under those weights, (D, G). Knight (1966), A
    Computer Method for Calculating Kendall's Tau with Ungrouped Data. tau-c is Stuart's (1953),
    2 (C - D) / (n^2 (m - 1) / m), with m the lesser number of distinct values.
    """
    pairs = ordering.pairs(weights)
    agreement = pairs.every - pairs.tied_x - gold.tied + pairs.tied_both - 2 * discordant
    if gold.distinct is None:
        return ratio(agreement, np.sqrt((pairs.every - pairs.tied_x) * (pairs.every - gold.tied)))
    min_distinct = np.minimum(ordering.distinct(weights), gold.distinct)
    return ratio(
        agreement, pairs.weight**2 * (min_distinct - 1) / (2 * np.maximum(min_distinct, 1))
    )


def estimator(sample: ScoredSample, coefficient: Coefficient, grouping: Grouping) -> Estimator:
    """The estimator of a coefficient. Raises SampleError for an unknown coefficient or grouping."""
    groups = sample.groups(grouping)
    if coefficient == "pearson":
        return PearsonEstimator(sample, groups)
    if coefficient not in COEFFICIENTS:
        raise SampleError(f"{coefficient!r} is none of {', '.join(COEFFICIENTS)}")
    return RankEstimator(sample, groups, coefficient)
