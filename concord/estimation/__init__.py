"""Means of systems from few ratings and a metric on everything.

Ratings are taken to come from a random sample of passages (of instances where the passage is
empty). Candidates of one passage are dependent, so every standard error is clustered by passage,
and differences between systems are paired by passage. Nothing here is random.
"""

from concord.estimation.differences import Difference, differences
from concord.estimation.estimates import (
    METHODS,
    MIN_PASSAGES,
    Method,
    SystemEstimate,
    estimate_systems,
)
from concord.estimation.replay import ReplayRow, default_sizes, replay_steps
from concord.estimation.report import EstimateReport, estimate, to_sample
from concord.estimation.sample import EstimationError, Sample
from concord.estimation.system_data import Target

__all__ = [
    "METHODS",
    "MIN_PASSAGES",
    "Difference",
    "EstimateReport",
    "EstimationError",
    "Method",
    "ReplayRow",
    "Sample",
    "SystemEstimate",
    "Target",
    "default_sizes",
    "differences",
    "estimate",
    "estimate_systems",
    "replay_steps",
    "to_sample",
]
