"""Inference on data in clusters: one type for a figure, one rule for its interval and p-value.

Items of one passage depend on each other, so passages are resampled, summed over or left out whole.
A function names its clusters `unit`, and what its interval generalises to `over`.
"""

from concord.inference.estimate import Estimate, Scale
from concord.inference.means import (
    POWER,
    Z95,
    RareChanges,
    cluster_sums,
    clustered_error,
    clustered_mean,
    clustered_share,
    design_effect,
    detectable,
    factor_to_exclude,
    sign_flips,
    t_estimate,
    wilson,
)
from concord.inference.moments import moment_sums, pearson_of_sums
from concord.inference.resampling import (
    MIN_CLUSTERS,
    PERCENTILE_CLUSTERS,
    TOLERANCE,
    estimates_of_sums,
    jackknife_estimate,
    jackknifed_estimate,
    resample_counts,
    resampled_estimate,
    resampled_sums,
    scaled_interval,
    sums_by_cluster,
    too_few_clusters,
)
from concord.inference.tails import t_above, t_quantile, two_sided_p

__all__ = [
    "MIN_CLUSTERS",
    "PERCENTILE_CLUSTERS",
    "POWER",
    "TOLERANCE",
    "Z95",
    "Estimate",
    "RareChanges",
    "Scale",
    "cluster_sums",
    "clustered_error",
    "clustered_mean",
    "clustered_share",
    "design_effect",
    "detectable",
    "estimates_of_sums",
    "factor_to_exclude",
    "jackknife_estimate",
    "jackknifed_estimate",
    "moment_sums",
    "pearson_of_sums",
    "resample_counts",
    "resampled_estimate",
    "resampled_sums",
    "scaled_interval",
    "sign_flips",
    "sums_by_cluster",
    "t_above",
    "t_estimate",
    "t_quantile",
    "too_few_clusters",
    "two_sided_p",
    "wilson",
]
