"""A bootstrap interval of alpha that resamples whole clusters, that is passages.

Ratings of one passage's candidates share its difficulty and its readers; resampling units as if
they were independent would make the interval too narrow (Field and Welsh 2007, Bootstrapping
clustered data).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.reliability.coincidences import Coincidences, coincidences
from concord.reliability.krippendorff import (
    Level,
    alpha_of,
    block_size,
    check_level,
    weighted_alphas,
)
from concord.reliability.ratings import Ratings, RatingsError

PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Interval:
    """A 95% percentile interval, and what gives it again.

    low, high: None where there is none; `reason` then says why.
    clusters: how many were resampled. draws: resamples taken, of which `undefined` had no alpha
    (nothing varied in them) and were left out. seed: of the generator.
    """

    low: float | None
    high: float | None
    clusters: int
    draws: int
    seed: int
    undefined: int = 0
    reason: str | None = None

    @property
    def ends(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


def alpha_interval(
    ratings: Ratings, level: Level = "ordinal", *, seed: int, draws: int = 1000
) -> Interval:
    """The 95% percentile bootstrap interval of alpha, clusters resampled with replacement.

    Clusters without a unit of two ratings take no part. None, with a reason, where alpha itself
    is undefined or there are fewer than two clusters. Raises RatingsError for an unknown level
    or fewer than one draw.
    """
    if draws < 1:
        raise RatingsError(f"{draws} draws are too few")
    found = clustered(ratings)
    clusters = found.margins.shape[0]
    reason = alpha_of(found, level).reason
    if reason is None and clusters < 2:
        reason = "all units belong to one passage; an interval needs two"
    if reason is not None:
        return Interval(None, None, clusters, draws, seed, reason=reason)
    rng = np.random.default_rng(seed)
    values = np.empty(draws)
    step = block_size(found, clusters)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        values[start : start + size] = weighted_alphas(
            found, resample_counts(rng, size, clusters), level
        )
    defined = values[~np.isnan(values)]
    undefined = draws - len(defined)
    if not len(defined):
        reason = "nothing varied in any resample"
        return Interval(None, None, clusters, draws, seed, undefined, reason)
    low, high = np.percentile(defined, PERCENTILES)
    return Interval(float(low), float(high), clusters, draws, seed, undefined)


def resampled_alphas(
    ratings: Ratings, counts: NDArray[np.float64], level: Level = "ordinal"
) -> NDArray[np.float64]:
    """Alpha of each resample, NaN where undefined, shape (B,).

    `counts`, of shape (B, clusters), says how often each cluster that has a unit of two ratings
    or more is taken, in ascending order of the cluster's code.
    """
    check_level(level)
    found = clustered(ratings)
    if counts.ndim != 2 or counts.shape[1] != found.margins.shape[0]:
        raise RatingsError(f"counts of {found.margins.shape[0]} clusters are needed")
    return weighted_alphas(found, np.asarray(counts, dtype=np.float64), level)


def resample_counts(rng: np.random.Generator, draws: int, clusters: int) -> NDArray[np.float64]:
    """How often each cluster is drawn in `clusters` draws with replacement: (draws, clusters)."""
    counts = np.empty((draws, clusters))
    for row in counts:
        row[:] = np.bincount(rng.integers(clusters, size=clusters), minlength=clusters)
    return counts


def clustered(ratings: Ratings) -> Coincidences:
    """Coincidences by cluster, of the clusters that have a unit of two ratings or more."""
    clusters = np.arange(ratings.n_units) if ratings.clusters is None else ratings.clusters
    taking_part = np.unique(clusters[ratings.unit_sizes >= 2])
    groups = np.searchsorted(taking_part, clusters)
    return coincidences(ratings.keep(ratings.pairable), groups, len(taking_part))
