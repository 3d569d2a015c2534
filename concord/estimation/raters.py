"""Single ratings behind the outcomes of candidates: what raters add to the error of a mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.inference.two_way import RaterWeights, combined_error
from concord.reliability import Ratings

if TYPE_CHECKING:
    import pandas as pd

MAX_ROUNDING = 0.01
"""A score that is so far, as a share of the ratings' range, from their mean is not their mean."""


@dataclass(frozen=True, eq=False)
class KnownRatings:
    """The single ratings of which the candidates' scores are the means; `reason` says why there are
    none. Their units are positions of candidates."""

    ratings: Ratings | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class RaterPart:
    """What single ratings contribute to the error of a mean.

    contributions: (m,), a rating's weight times its distance from the mean. noise: the variance
    that the ratings of the population's candidates themselves add, where it is a finite one.
    """

    contributions: Floats
    weights: RaterWeights
    noise: float

    def minus(self, other: RaterPart) -> RaterPart:
        """Of the difference of two means."""
        return RaterPart(
            np.concatenate([self.contributions, -other.contributions]),
            self.weights.minus(other.weights),
            self.noise + other.noise,
        )

    def error(self, over_passages: float, degrees: float) -> tuple[float, float]:
        """(standard error, degrees of freedom) of a mean with this variance over passages.

        The noise is part of what differs between raters, and no less than what it is without
        differences between them.
        """
        parts, weights = self.contributions[:, None], self.weights
        (over_raters,) = weights.over_raters(
            weights.over_passages(parts), weights.products(parts), self.noise
        )
        within = np.array([over_passages, over_passages + self.noise])
        errors, combined = combined_error(
            within, degrees, np.array([over_raters[0], 0.0]), weights.degrees
        )
        wider = int(np.argmax(scipy.special.stdtrit(combined, 0.975) * errors))
        return float(errors[wider]), float(combined[wider])


@dataclass(frozen=True, eq=False)
class SystemRatings:
    """The m ratings of a system's n rated candidates.

    candidates: int64 (m,), positions among the rated ones. raters: int64 (m,), codes. shifts: (m,),
    the rating less the mean of the candidate's ratings.
    """

    candidates: Integers
    raters: Integers
    shifts: Floats

    @classmethod
    def of(cls, ratings: Ratings | None, rows: Integers) -> SystemRatings | None:
        """Of the candidates in these rows, ascending, which are the ratings' units."""
        if ratings is None:
            return None
        places = np.searchsorted(rows, ratings.units)
        is_own = rows[np.minimum(places, len(rows) - 1)] == ratings.units
        units, raters = ratings.units[is_own], ratings.raters[is_own]
        candidates = np.unique(units, return_inverse=True)[1].reshape(-1)
        values = ratings.values[is_own]
        means = np.bincount(candidates, values) / np.bincount(candidates)
        return cls(candidates, raters, values - means[candidates])

    def part(
        self, residuals: Floats, weights: Floats, passages: Integers, known: Floats
    ) -> RaterPart | None:
        """Of the mean of the rated candidates' residuals with these weights, which sum to 1.

        All (n,). known: the share of the finite population for which a candidate stands that is
        rated; 0 for new passages. None where this is above 0 and no candidate has two ratings, so
        that nobody knows how much ratings of one candidate differ.
        """
        sizes = np.bincount(self.candidates)
        of_ratings = (weights / sizes)[self.candidates]
        values = residuals[self.candidates] + self.shifts
        freedom = len(values) - len(sizes)
        noise = 0.0
        if known.any():
            if not freedom:
                return None
            variance = float(self.shifts @ self.shifts) / freedom
            noise = variance * float(of_ratings**2 @ known[self.candidates])
        return RaterPart(
            of_ratings * (values - of_ratings @ values),
            RaterWeights.of(of_ratings, passages[self.candidates], self.raters),
            noise,
        )


def ratings_behind(
    units: Sequence[int],
    groups: Sequence[str],
    raters: Sequence[str],
    values: Sequence[float],
    outcomes: Floats,
) -> KnownRatings:
    """The single ratings of which the outcomes are the means.

    units, groups, raters, values: of each rating; units are positions in `outcomes`, (N,), NaN
    where not rated. Ratings of one group count where the outcomes are the means of these alone.
    """
    rated = ~np.isnan(outcomes)
    codes = np.array(units, dtype=np.int64)
    group, name = np.array(groups, dtype=np.str_), np.array(raters, dtype=np.str_)
    value, is_used = np.array(values, dtype=np.float64), rated[codes]
    if not is_used.any():
        return KnownRatings(ratings=None, reason="single ratings are not known")
    for chosen in (is_used, *(is_used & (group == one) for one in np.unique(group))):
        own, points = codes[chosen], value[chosen]
        sizes = np.bincount(own, minlength=len(outcomes))[rated]
        sums = np.bincount(own, points, minlength=len(outcomes))[rated]
        if sizes.all() and (
            np.abs(sums / sizes - outcomes[rated]).max() <= MAX_ROUNDING * np.ptp(points)
        ):
            persons = np.char.add(np.char.add(group[chosen], "/"), name[chosen])
            return KnownRatings(Ratings(own, np.unique(persons, return_inverse=True)[1], points))
    return KnownRatings(ratings=None, reason="the scores are not the means of the single ratings")


def ratings_in(judged: pd.DataFrame) -> KnownRatings:
    """As `ratings_behind`, of a complete frame."""
    ratings = list(chain.from_iterable(judged["ratings"]))
    return ratings_behind(
        np.repeat(np.arange(len(judged)), list(map(len, judged["ratings"]))).tolist(),
        [rating.get("group") or "" for rating in ratings],
        [rating["worker"] for rating in ratings],
        [float(rating["value"]) for rating in ratings],
        judged["score"].to_numpy(np.float64),
    )
