"""Cluster bootstrap of alpha; a cluster is a passage.

Ratings of one passage's candidates share its difficulty and its raters. Resampling units as if
they were independent would make the interval too narrow (Field and Welsh 2007, Bootstrapping
clustered data).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate, resample_counts, resampled_estimate
from concord.reliability.coincidences import Coincidences, count_coincidences
from concord.reliability.krippendorff import (
    Level,
    alpha_from_coincidences,
    block_size,
    check_level,
    weighted_alphas,
)
from concord.reliability.ratings import Ratings, RatingsError


def alpha_interval(
    ratings: Ratings, level: Level = "ordinal", *, seed: int, draws: int = 1000
) -> Estimate:
    """The 95% bootstrap interval of alpha; clusters are resampled with replacement.

    Clusters without a unit of two ratings are left out. No interval, with a reason, where alpha is
    undefined, and where `resampled_estimate` gives none: for few clusters, and where alpha is
    undefined in many resamples because all of their ratings are equal. Raises RatingsError for an
    unknown level or fewer than one draw.
    """
    if draws < 1:
        raise RatingsError(f"draws must be 1 or more, not {draws}")
    coincidences = cluster_coincidences(ratings)
    clusters = coincidences.margins.shape[0]
    alpha = alpha_from_coincidences(coincidences, level)
    if alpha.value is None:
        return Estimate(None, clusters=clusters, draws=draws, reason=alpha.reason or "")
    rng = np.random.default_rng(seed)
    values = np.empty(draws)
    step = block_size(coincidences, clusters)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        values[start : start + size] = weighted_alphas(
            coincidences, resample_counts(rng, size, clusters).astype(np.float64), level
        )
    return resampled_estimate(values, alpha.value, clusters, "correlation")


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


def cluster_coincidences(ratings: Ratings) -> Coincidences:
    """Coincidences of each cluster that has a unit of two ratings or more."""
    clusters = np.arange(ratings.n_units) if ratings.clusters is None else ratings.clusters
    pairable_clusters = np.unique(clusters[ratings.unit_sizes >= 2])
    groups = np.searchsorted(pairable_clusters, clusters)
    return count_coincidences(ratings.keep(ratings.pairable), groups, len(pairable_clusters))
