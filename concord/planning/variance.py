"""Where the variance of ratings comes from.

A rating is the sum of its system's mean and of random effects of the passage, of the answer (how
well this system did on this passage), of the rater (how strict they are) and of the rating itself.
Components are computed from sums of ratings by passage, so that resampling passages only weighs
these sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.inference import resample_counts
from concord.meta.inference.draws import Progress, Steps
from concord.reliability import Ratings, RatingsError

BLOCK = 16
"""Resamples that are computed at once: their sums by rater and system must fit in memory."""


@dataclass(frozen=True)
class VarianceComponents:
    """Variances in squared points of the scale, each 0 or more.

    passage: shared by all systems' answers to a passage; None with one system, where it is part of
    `answer`. rater: None where no rater rated two passages of a system, where it is part of
    `rating`.
    """

    passage: float | None
    answer: float
    rater: float | None
    rating: float

    def mean_variance(self, passages: float, raters_each: float, raters: float) -> float:
        """The variance of one system's mean over new passages.

        passages: one answer of each is rated. raters_each: ratings of an answer. raters: persons
        in all, who share the work equally.
        """
        between = (self.passage or 0.0) + self.answer
        ratings = passages * raters_each
        return between / passages + (self.rater or 0.0) / raters + self.rating / ratings

    def difference_variance(self, passages: float, raters_each: float) -> float:
        """The variance of the difference of two systems on the same passages, rated by the same
        raters: passages and raters cancel."""
        return 2 * (self.answer / passages + self.rating / (passages * raters_each))


@dataclass(frozen=True)
class ResampledComponents:
    """The components of ratings, and of resamples of their passages.

    passages: how many were resampled. undefined: resamples without components, such as one of a
    single passage.
    """

    estimate: VarianceComponents
    resamples: list[VarianceComponents]
    passages: int
    undefined: int


def variance_components(ratings: Ratings, systems: Integers) -> VarianceComponents:
    """Estimate the components from ratings of any design.

    systems: int64 (n_units,), the system of each unit. Units are answers; `ratings.clusters` are
    their passages. Moments of pairs of ratings (Koch 1967, Technometrics 9, for unbalanced
    designs): half the mean squared difference of two raters of an answer is the variance of rater
    and rating, and so on; what would be negative is 0. Raises RatingsError without two raters of
    an answer, or with fewer than two passages.
    """
    return _estimated(_PassageSums(ratings, systems))


def component_steps(
    ratings: Ratings, systems: Integers, *, draws: int, rng: np.random.Generator
) -> Steps[ResampledComponents]:
    """`variance_components`, and those of `draws` resamples of the passages, with replacement.

    Yields its progress. Raises RatingsError as `variance_components` does.
    """
    sums = _PassageSums(ratings, systems)
    estimate = _estimated(sums)
    resamples: list[VarianceComponents] = []
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        copies = resample_counts(rng, size, sums.n_passages).T.astype(np.float64)
        found = sums.components(copies)
        resamples += [parts for parts in found if isinstance(parts, VarianceComponents)]
        yield Progress(start + size, draws)
    return ResampledComponents(estimate, resamples, sums.n_passages, draws - len(resamples))


def _estimated(sums: _PassageSums) -> VarianceComponents:
    (found,) = sums.components(np.ones((sums.n_passages, 1)))
    if isinstance(found, VarianceComponents):
        return found
    raise RatingsError(found)


class _Cells:
    """Ratings of one passage with the same key, for example by one rater.

    n, sums, squares: sparse (keys, passages), number of ratings, their sum and sum of squares.
    differences: (passages,), sum over pairs of ratings of a cell of half the squared difference.
    sizes, squared_sizes: (passages,), sum of the cells' numbers of ratings, and of their squares.
    Its methods answer (2, draws): the sum over pairs of half the squared difference, and the number
    of pairs, for resamples in which passage p comes `copies[p, d]` times.
    """

    def __init__(self, values: Floats, passages: Integers, keys: Integers) -> None:
        shape = int(keys.max()) + 1, int(passages.max()) + 1
        cells, codes = np.unique(keys * shape[1] + passages, return_inverse=True)
        rows, columns = np.divmod(cells, shape[1])
        n = np.bincount(codes).astype(np.float64)
        means = np.bincount(codes, values) / n
        deviations = np.bincount(codes, (values - means[codes]) ** 2)

        def matrix(cell_values: Floats) -> scipy.sparse.csr_array:
            return scipy.sparse.csr_array((cell_values, (rows, columns)), shape)

        self.n, self.sums = matrix(n), matrix(n * means)
        self.squares = matrix(deviations + n * means**2)
        self.differences = np.bincount(columns, n * deviations) / 2
        self.sizes, self.squared_sizes = np.bincount(columns, n), np.bincount(columns, n**2)

    def between_passages(self, copies: Floats) -> Floats:
        """Over pairs of ratings with the same key, of different passages. Two copies of a passage
        share its raters: they are no two passages to compare."""
        n, sums = self.n @ copies, self.sums @ copies
        total = np.sum(n * (self.squares @ copies) - sums**2, axis=0) / 2
        pairs = np.sum(n * (n - 1), axis=0) / 2
        own = (self.squared_sizes @ copies**2 - self.sizes @ copies) / 2
        return np.array([total - self.differences @ copies**2, pairs - own])

    def within(self, copies: Floats) -> Floats:
        """Over pairs of ratings of a cell, in each copy of its passage."""
        pairs = (self.squared_sizes - self.sizes) / 2
        return np.array([self.differences @ copies, pairs @ copies])


class _PassageSums:
    """Sums of ratings by passage, from which the components of any resample of passages follow."""

    def __init__(self, ratings: Ratings, systems: Integers) -> None:
        clusters = np.arange(ratings.n_units) if ratings.clusters is None else ratings.clusters
        passages = _codes(clusters[ratings.units])
        self.n_passages = len(np.unique(passages))
        if self.n_passages < 2:
            raise RatingsError("variance between passages needs two passages or more")
        system, rater = _codes(systems[ratings.units]), _codes(ratings.raters)
        # Centred by system, so that sums of squares keep their digits.
        means = np.bincount(system, ratings.values) / np.bincount(system)
        values = ratings.values - means[system]
        system_and_rater = _codes(system * (int(rater.max()) + 1) + rater)
        self._of_answer = _Cells(values, passages, _codes(ratings.units))
        self._of_system = _Cells(values, passages, system)
        self._of_rater = _Cells(values, passages, rater)
        self._of_both = _Cells(values, passages, system_and_rater)

    def components(self, copies: Floats) -> list[VarianceComponents | str]:
        """Of resamples in which passage p comes `copies[p, d]` times, (passages, draws); a reason
        in place of those that are unknown."""
        same_rater = self._of_both.between_passages(copies)
        others = self._of_system.between_passages(copies) - same_rater
        within_answer = self._of_answer.within(copies)
        sizes = self._of_system.sizes
        pairs = (sizes**2 - self._of_system.squared_sizes) @ copies
        by_one = (self._of_rater.squared_sizes - self._of_both.squared_sizes) @ copies
        # What has no pairs is NaN.
        with np.errstate(divide="ignore", invalid="ignore"):
            total, within, same = (m[0] / m[1] for m in (others, within_answer, same_rater))
            product = self._products(copies) / pairs
            shared_rater = by_one / pairs - _chance(self._of_rater.n @ copies)
            rater = np.maximum(0.0, total - same)
            between = np.maximum(0.0, total - within)
            # Subtracting the systems' means takes a share of each effect away.
            part = product - shared_rater * np.nan_to_num(rater)
            left = 1 - _chance(copies * sizes[:, None])
            passage = np.minimum(np.maximum(0.0, part / left), between)
        answer = between - np.nan_to_num(passage)
        rating = np.maximum(0.0, within - np.nan_to_num(rater))
        found: list[VarianceComponents | str] = []
        for draw, values in enumerate(np.stack([passage, answer, rater, rating], axis=1).tolist()):
            if not within_answer[1, draw]:
                found.append("no answer has two ratings; rate some answers twice")
            elif not others[1, draw]:
                found.append("no two raters rated different passages of one system")
            else:
                passages, answers, raters, ratings = values
                found.append(VarianceComponents(_known(passages), answers, _known(raters), ratings))
        return found

    def _products(self, copies: Floats) -> Floats:
        """The sum over pairs of ratings of a passage, of two systems, of the product of their
        distances from the systems' means; (draws,)."""
        n, sums = self._of_system.n, self._of_system.sums
        means = (sums @ copies) / np.maximum(n @ copies, 1)
        of_passage = sums.sum(axis=0)[:, None] - n.T @ means
        # The squares of the sums of each system.
        own = (sums * sums).sum(axis=0) @ copies
        own -= 2 * np.sum(means * ((n * sums) @ copies), axis=0)
        own += np.sum(means**2 * ((n * n) @ copies), axis=0)
        return np.asarray(np.sum(copies * of_passage**2, axis=0) - own)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _codes(values: Integers) -> Integers:
    """Codes from 0 of the different values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _chance(sizes: Floats) -> Floats:
    """The probability that two random ratings are of one group; sizes: (groups, draws)."""
    return np.asarray(np.sum(sizes**2, axis=0) / np.sum(sizes, axis=0) ** 2)
