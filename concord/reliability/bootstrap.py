"""Cluster bootstrap of alpha; a cluster is a passage.

Ratings of one passage's candidates share its difficulty and its raters. Resampling units as if
they were independent would make the interval too narrow (Field and Welsh 2007, Bootstrapping
clustered data).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.reliability.coincidences import Coincidences, count_coincidences
from concord.reliability.krippendorff import (
    Level,
    alpha_from_coincidences,
    block_size,
    check_level,
    weighted_alphas,
)
from concord.reliability.ratings import Ratings, RatingsError

PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Interval:
    """A 95% percentile interval, and what is needed to reproduce it.

    low, high: None where the interval is undefined; `reason` says why.
    clusters: how many were resampled. draws: number of resamples; `undefined` of them had no alpha
    (all ratings equal) and were left out. seed: of the random generator.
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
        """The ends of the interval; None if it is undefined."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def alpha_interval(
    ratings: Ratings, level: Level = "ordinal", *, seed: int, draws: int = 1000
) -> Interval:
    """The 95% percentile bootstrap interval of alpha; clusters are resampled with replacement.

    Clusters without a unit of two ratings are left out. Undefined, with a reason, where alpha is
    undefined or there are fewer than two clusters. Raises RatingsError for an unknown level or
    fewer than one draw.
    """
    if draws < 1:
        raise RatingsError(f"draws must be 1 or more, not {draws}")
    coincidences = cluster_coincidences(ratings)
    clusters = coincidences.margins.shape[0]
    reason = alpha_from_coincidences(coincidences, level).reason
    if reason is None and clusters < 2:
        reason = "all units belong to one passage; an interval needs at least two passages"
    if reason is not None:
        return Interval(None, None, clusters, draws, seed, reason=reason)
    rng = np.random.default_rng(seed)
    values = np.empty(draws)
    step = block_size(coincidences, clusters)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        values[start : start + size] = weighted_alphas(
            coincidences, resample_counts(rng, size, clusters), level
        )
    defined = values[~np.isnan(values)]
    undefined = draws - len(defined)
    if not len(defined):
        reason = "all ratings are equal in every resample"
        return Interval(None, None, clusters, draws, seed, undefined, reason)
    low, high = np.percentile(defined, PERCENTILES)
    return Interval(float(low), float(high), clusters, draws, seed, undefined)


def resampled_alphas(
    ratings: Ratings, counts: NDArray[np.float64], level: Level = "ordinal"
) -> NDArray[np.float64]:
    """Alpha of each resample, NaN where undefined, shape (B,).

    `counts`, of shape (B, clusters), is how often each resample contains each cluster that has a
    unit of two ratings or more, in ascending order of the cluster's code.
    """
    check_level(level)
    coincidences = cluster_coincidences(ratings)
    if counts.ndim != 2 or counts.shape[1] != coincidences.margins.shape[0]:
        raise RatingsError(
            f"counts must have {coincidences.margins.shape[0]} columns, one per cluster"
        )
    return weighted_alphas(coincidences, np.asarray(counts, dtype=np.float64), level)


def resample_counts(rng: np.random.Generator, draws: int, clusters: int) -> NDArray[np.float64]:
    """How often each cluster is drawn in `clusters` draws with replacement: (draws, clusters)."""
    counts = np.empty((draws, clusters))
    for row in counts:
        row[:] = np.bincount(rng.integers(clusters, size=clusters), minlength=clusters)
    return counts


def cluster_coincidences(ratings: Ratings) -> Coincidences:
    """Coincidences of each cluster that has a unit of two ratings or more."""
    clusters = np.arange(ratings.n_units) if ratings.clusters is None else ratings.clusters
    pairable_clusters = np.unique(clusters[ratings.unit_sizes >= 2])
    groups = np.searchsorted(pairable_clusters, clusters)
    return count_coincidences(ratings.keep(ratings.pairable), groups, len(pairable_clusters))
