"""Coefficients of all metrics in all groups, for any weights of candidates and groups.

The same estimator computes the figures and their bootstrap. A group's coefficient is undefined
(NaN) with fewer than two candidates, or where people or the metric give all of them the same score.
Undefined groups are left out of the mean over groups, as in mt-metrics-eval's `Correlation` with
`average_by`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from concord.arrays import Counts, Floats
from concord.documents.human_agreement import Coefficient as Coefficient
from concord.inference.products import product
from concord.meta.groups import mean_of_defined, ratio
from concord.meta.inference.orderings import CHUNK_CELLS, Ordering
from concord.meta.inference.sample import Grouping, SampleError, ScoredSample

COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall_b", "kendall_c")
# A resample whose variance is this share of the group's sum of squares, or less, is constant.
ROUNDING = 1e-12


class Estimator(ABC):
    """A coefficient of every metric in every group of candidates."""

    # Cells of a chunk of draws: 16 MiB of float64, or of a table of resampled moments.
    cells = 1 << 21

    def __init__(self, sample: ScoredSample, grouping: Grouping) -> None:
        self.sample, self.grouping, self.groups = sample, grouping, sample.groups(grouping)

    @abstractmethod
    def by_group(self, weights: Counts) -> Floats:
        """(D, M, G), of weights (D, N) in the groups' order."""

    @cached_property
    def observed(self) -> Floats:
        """Each metric's coefficient in each group, (M, G); NaN where undefined."""
        return np.asarray(self.by_group(np.ones((1, len(self.groups.order)), dtype=np.int32))[0])

    @property
    def elements(self) -> int:
        """Cells of one draw."""
        return len(self.sample.metrics) * len(self.groups)

    def means(self, weights: Counts | None = None, group_weights: Floats | None = None) -> Floats:
        """Each metric's mean over groups in each draw, (D, M); NaN where no group has one.

        `weights`, (D, n), says how often each draw takes each candidate, `group_weights`, (D, G),
        each group; None means once.
        """
        if weights is None:
            if group_weights is None:
                return mean_of_defined(self.observed)[None]
            defined = ~np.isnan(self.observed)
            sums = product(group_weights, np.where(defined, self.observed, 0.0).T)
            return ratio(sums, product(group_weights, defined.T.astype(np.float64)))
        means = np.empty((len(weights), len(self.sample.metrics)))
        step = max(1, self.cells // max(1, self.elements))
        for start in range(0, len(weights), step):
            rows = slice(start, start + step)
            by_group = self.by_group(weights[rows].take(self.groups.order, axis=1))
            of_group = None if group_weights is None else group_weights[rows][:, None]
            means[rows] = mean_of_defined(by_group, of_group)
        return means

    def resampled(self, passages: Counts | None, systems: Counts | None = None) -> Floats:
        """Each metric's figure in each draw, (D, M).

        passages: (D, clusters), systems: (D, systems present): how often each was drawn; None means
        once. A count that all candidates of a group share becomes the group's weight.
        """
        sample, groups = self.sample, self.groups
        system = np.unique(sample.systems, return_inverse=True)[1].reshape(-1)
        of_candidate: Counts | None = None
        of_group: Floats | None = None
        for taken, codes, whole_groups in (
            (passages, sample.clusters, "item"), (systems, system, "sys")
        ):  # fmt: skip
            if taken is None:
                continue
            if self.grouping == whole_groups:
                of_group = taken.take(codes[groups.order[groups.starts]], axis=1).astype(np.float64)
                continue
            weights = taken.take(codes, axis=1)
            of_candidate = weights if of_candidate is None else of_candidate * weights
        return self.means(of_candidate, of_group)


class PearsonEstimator(Estimator):
    """Pearson's r from moments: a draw is the product of its weights with a table of moments."""

    @cached_property
    def _table(self) -> Floats:
        """x, x^2 and x y of each metric, 1, y and y^2: (3 M + 3, N), of values by group of mean 0
        and sum of squares 1, or all zero."""
        order = self.groups.order
        x = self.groups.standardise(self.sample.filled_scores[:, order])
        y = self.groups.standardise(self.sample.gold[order])
        return np.concatenate([x, x * x, x * y, np.ones((1, len(y))), [y], [y * y]])

    @cached_property
    def observed(self) -> Floats:
        # Not by a product, whose last bits depend on the other metrics.
        sums, m = self.groups.sums(self._table), len(self.sample.metrics)
        xx, xy = sums[m : 2 * m], sums[2 * m : 3 * m]
        return np.where(xx * sums[-1] > 0, np.clip(xy, -1.0, 1.0), np.nan)

    def by_group(self, weights: Counts) -> Floats:
        m = len(self.sample.metrics)
        coefficients = np.empty((len(weights), m, len(self.groups)))
        for which, moments in self.groups.weighted_sums(self._table, weights):
            x, xx, xy = (moments[:, row * m : (row + 1) * m] for row in range(3))
            n, y, yy = (moments[:, 3 * m + row, None] for row in range(3))
            with np.errstate(divide="ignore", invalid="ignore"):
                var_x, var_y = xx - x * x / n, yy - y * y / n
                r = (xy - x * y / n) / np.sqrt(var_x * var_y)
            defined = (var_x > ROUNDING) & (var_y > ROUNDING)
            r = np.where(defined, np.clip(r, -1.0, 1.0), np.nan)
            coefficients[:, :, which] = r.transpose(2, 1, 0)
        return coefficients


class RankEstimator(Estimator):
    """Spearman's rho and Kendall's taus: each metric is sorted once, and draws are weights."""

    cells = CHUNK_CELLS

    def __init__(self, sample: ScoredSample, grouping: Grouping, coefficient: Coefficient) -> None:
        super().__init__(sample, grouping)
        self.coefficient = coefficient
        self._y, group = sample.gold[self.groups.order], self.groups.of_position
        self._gold = Ordering(group, self._y, self._y)
        scores = sample.filled_scores[:, self.groups.order]
        self._orderings = [Ordering(group, x, self._y) for x in scores]

    @property
    def elements(self) -> int:
        """Cells of one draw."""
        return max(len(self._y), super().elements)

    def by_group(self, weights: Counts) -> Floats:
        coefficients = np.empty((len(weights), len(self._orderings), len(self.groups)))
        sorted_weights = weights.take(self._gold.order, axis=1)
        if self.coefficient == "spearman":
            gold_ranks = self._gold.centred_ranks(sorted_weights)
            gold_squares = self._gold.products(sorted_weights * gold_ranks, gold_ranks)
            by_people = gold_ranks.take(np.argsort(self._gold.order), axis=1)
        else:
            gold = gold_ties(self._gold, sorted_weights, self.coefficient)
        for m, ordering in enumerate(self._orderings):
            counts = weights.take(ordering.order, axis=1)
            if self.coefficient == "spearman":
                ranks = by_people.take(ordering.order, axis=1)
                coefficients[:, m] = spearman_of(ordering, counts, ranks, gold_squares)
            else:
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


GoldTies = tuple[Floats, Floats | None]
"""Pairs that people tie, and distinct gold scores (of tau-c), (D, G) or (1, G)."""


def gold_ties(gold: Ordering, weights: Counts, coefficient: Coefficient) -> GoldTies:
    """Ties of the gold scores; `gold` and `weights`, (D, N), are sorted by gold."""
    distinct = gold.distinct(weights) if coefficient == "kendall_c" else None
    return gold.pairs(weights).tied_x, distinct


def kendall_of(ordering: Ordering, weights: Counts, discordant: Floats, gold: GoldTies) -> Floats:
    """tau-b or tau-c of each group, (D, G); weights, (D, N), in the ordering's order.

    `discordant` pairs are the ordering's inversions under those weights, (D, G). Knight (1966), A
    Computer Method for Calculating Kendall's Tau with Ungrouped Data. tau-c is Stuart's (1953),
    2 (C - D) / (n^2 (m - 1) / m), with m the lesser number of distinct values.
    """
    pairs, (tied, distinct) = ordering.pairs(weights), gold
    agreement = pairs.every - pairs.tied_x - tied + pairs.tied_both - 2 * discordant
    if distinct is None:
        return ratio(agreement, np.sqrt((pairs.every - pairs.tied_x) * (pairs.every - tied)))
    lesser = np.minimum(ordering.distinct(weights), distinct)
    return ratio(agreement, pairs.weight**2 * (lesser - 1) / (2 * np.maximum(lesser, 1)))


def estimator(
    sample: ScoredSample, coefficient: Coefficient, grouping: Grouping = "none"
) -> Estimator:
    """The estimator of a coefficient. Raises SampleError for an unknown coefficient or grouping."""
    if coefficient == "pearson":
        return PearsonEstimator(sample, grouping)
    if coefficient not in COEFFICIENTS:
        raise SampleError(f"{coefficient!r} is none of {', '.join(COEFFICIENTS)}")
    return RankEstimator(sample, grouping, coefficient)
