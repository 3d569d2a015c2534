"""Means of systems from ratings of some candidates and metric scores of all.

The rated passages (instances, where the passage is empty) are assumed to be a random sample.
Candidates of one passage are dependent, so standard errors are clustered by passage, and
differences between systems are paired by passage. Where single ratings are known and there are
three raters or more, intervals are over raters, too. Estimates use no random numbers.
"""

from concord.estimation.differences import MeanDifference, differences
from concord.estimation.estimates import METHODS, Method, SystemEstimate, estimate_systems
from concord.estimation.replay import ReplayRow, SampleReplay, default_sizes, replay_steps
from concord.estimation.report import EstimateReport, estimate, report_sample, to_sample
from concord.estimation.sample import EstimationError, EstimationSample
from concord.estimation.system_data import Target

__all__ = [
    "METHODS",
    "EstimateReport",
    "EstimationError",
    "EstimationSample",
    "MeanDifference",
    "Method",
    "ReplayRow",
    "SampleReplay",
    "SystemEstimate",
    "Target",
    "default_sizes",
    "differences",
    "estimate",
    "estimate_systems",
    "replay_steps",
    "report_sample",
    "to_sample",
]
