"""Where the variance of ratings comes from, and how many ratings a mean needs.

A rating is the sum of its system's mean and of random effects of the passage, of the answer (how
well this system did on this passage), of the rater (how strict they are) and of the rating itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.reliability import Ratings, RatingsError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


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
class NeededPassages:
    """Passages for a 95% interval of a wanted width, with the range that resampled passages give
    (2.5% to 97.5%); None where no number of passages is enough."""

    raters_each: int
    passages: int | None
    low: int | None
    high: int | None

    @property
    def ratings(self) -> int | None:
        """Ratings of one system."""
        return None if self.passages is None else self.passages * self.raters_each


def variance_components(ratings: Ratings, systems: Codes) -> VarianceComponents:
    """Estimate the components from ratings of any design.

    systems: int64 (n_units,), the system of each unit. Units are answers; `ratings.clusters` are
    their passages. Moments of pairs of ratings (Koch 1967, Technometrics 9, for unbalanced
    designs): half the mean squared difference of two raters of an answer is the variance of rater
    and rating, and so on; what would be negative is 0. Raises RatingsError without two raters of
    an answer, or with fewer than two passages.
    """
    clusters = np.arange(ratings.n_units) if ratings.clusters is None else ratings.clusters
    passage = clusters[ratings.units]
    return _components(ratings, systems, passage, passage)


def _components(
    ratings: Ratings, systems: Codes, passage: Codes, origin: Codes
) -> VarianceComponents:
    """`variance_components` of ratings with these passages (n,). origin: (n,), the passage that a
    resampled one is a copy of; two copies are no two passages to compare."""
    unit, rater, value = ratings.units, ratings.raters, ratings.values
    system = systems[unit]
    if len(np.unique(passage)) < 2:
        raise RatingsError("variance between passages needs two passages or more")
    within_answer = _differences(value, unit)
    if not within_answer.pairs:
        raise RatingsError("no answer has two ratings; rate some answers twice")
    same_system = _differences(value, system)
    same_passage = _differences(value, system, origin)
    by_rater = _differences(value, system, rater)
    both = _differences(value, system, rater, origin)
    same_rater = by_rater - both  # of other passages
    other = same_system - same_passage - same_rater
    if not other.pairs:
        raise RatingsError("no two raters rated different passages of one system")
    total = other.mean
    rater_part = max(0.0, total - same_rater.mean) if same_rater.pairs else None
    rating_part = max(0.0, within_answer.mean - (rater_part or 0.0))
    between = max(0.0, total - within_answer.mean)
    passage_part = _passage_part(value, passage, origin, system, rater, rater_part or 0.0)
    if passage_part is not None:
        passage_part = min(max(0.0, passage_part), between)
    return VarianceComponents(
        passage_part, between - (passage_part or 0.0), rater_part, rating_part
    )


def needed_passages(
    ratings: Ratings,
    systems: Codes,
    width: float,
    *,
    of_difference: bool,
    raters: int,
    rng: np.random.Generator,
    draws: int = 200,
    max_raters_each: int = 5,
) -> list[NeededPassages]:
    """The passages that one system's mean, or the difference of two, needs for a 95% interval of
    this width, for 1 to `max_raters_each` ratings of an answer, but no more than there are raters.

    raters: persons in all. The range resamples passages of `ratings`.
    """
    if not 0 < width < np.inf:
        raise RatingsError("the width must be a number above 0")
    half = width / 2 / float(scipy.stats.norm.ppf(0.975))
    estimate = variance_components(ratings, systems)
    resampled = [_resampled(ratings, systems, rng) for _ in range(draws)]
    rows = []
    for each in range(1, min(max_raters_each, raters) + 1):
        estimates = [
            fewest_passages(one, half**2, each, raters, of_difference)
            for one in [estimate, *(one for one in resampled if one is not None)]
        ]
        finite = np.array([np.inf if one is None else one for one in estimates[1:]])
        low, high = (
            np.quantile(finite, (0.025, 0.975), method="inverted_cdf")
            if len(finite)
            else (np.inf, np.inf)
        )
        rows.append(NeededPassages(each, estimates[0], _whole(low), _whole(high)))
    return rows


@dataclass(frozen=True)
class _Moment:
    """The sum over pairs of half the squared difference, and the number of pairs."""

    total: float
    pairs: float

    @property
    def mean(self) -> float:
        return self.total / self.pairs

    def __sub__(self, other: _Moment) -> _Moment:
        return _Moment(self.total - other.total, self.pairs - other.pairs)


def _differences(values: Floats, *keys: Codes) -> _Moment:
    """Over all pairs of ratings with the same keys."""
    codes = np.unique(np.stack(keys), axis=1, return_inverse=True)[1].reshape(-1)
    n = np.bincount(codes)
    # Centred, so that equal values give zero exactly enough.
    centred = values - (np.bincount(codes, values) / n)[codes]
    squares = np.bincount(codes, centred**2)
    return _Moment(float((n * squares).sum() / 2), float((n * (n - 1)).sum() / 2))


def _passage_part(
    values: Floats,
    passages: Codes,
    origins: Codes,
    systems: Codes,
    raters: Codes,
    rater_part: float,
) -> float | None:
    """The mean product of two systems' ratings on a passage, around the systems' means."""
    means = np.bincount(systems, values) / np.maximum(np.bincount(systems), 1)
    centred = values - means[systems]

    def products(*keys: Codes) -> tuple[float, float]:
        codes = np.unique(np.stack(keys), axis=1, return_inverse=True)[1].reshape(-1)
        n, sums = np.bincount(codes), np.bincount(codes, centred)
        return float((sums**2).sum()), float((n**2).sum())

    everything, same_system = products(passages), products(passages, systems)
    same_rater, same_both = products(passages, raters), products(passages, systems, raters)
    total, pairs = everything[0] - same_system[0], everything[1] - same_system[1]
    if not pairs:
        return None
    # Subtracting the means takes a share of each effect away: the chance that two ratings share it.
    shared = (same_rater[1] - same_both[1]) / pairs - _chance(raters)
    return (total / pairs - shared * rater_part) / (1 - _chance(origins))


def _chance(codes: Codes) -> float:
    """The probability that two random ratings have the same code."""
    return float(((np.bincount(codes) / len(codes)) ** 2).sum())


def _resampled(
    ratings: Ratings, systems: Codes, rng: np.random.Generator
) -> VarianceComponents | None:
    """The components of resampled passages; None where they cannot be estimated."""
    clusters = np.arange(ratings.n_units) if ratings.clusters is None else ratings.clusters
    passage = clusters[ratings.units]
    order = np.argsort(passage, kind="stable")
    codes, starts, sizes = np.unique(passage[order], return_index=True, return_counts=True)
    drawn = rng.integers(0, len(codes), size=len(codes))
    rows = np.concatenate([order[starts[k] : starts[k] + sizes[k]] for k in drawn])
    copies = np.repeat(np.arange(len(drawn)), sizes[drawn])
    # A passage that is drawn twice is two passages, and its answers are other answers.
    pairs = np.stack([copies, ratings.units[rows]])
    answers, units = np.unique(pairs, axis=1, return_inverse=True)
    try:
        again = Ratings(units.reshape(-1), ratings.raters[rows], ratings.values[rows])
        return _components(again, systems[answers[1]], copies, passage[rows])
    except RatingsError:
        return None


def fewest_passages(
    parts: VarianceComponents, variance: float, each: int, raters: int, of_difference: bool
) -> int | None:
    """The fewest passages whose mean, or difference of two systems, has at most this variance; None
    where no number is enough. each: ratings of an answer. raters: persons in all."""
    if of_difference:
        return max(2, int(np.ceil(parts.difference_variance(1, each) / variance)))
    free = variance - (parts.rater or 0.0) / raters
    if free <= 0:
        return None
    by_passage = parts.mean_variance(1, each, np.inf)
    return max(2, int(np.ceil(by_passage / free)))


def _whole(value: float) -> int | None:
    return int(value) if np.isfinite(value) else None
