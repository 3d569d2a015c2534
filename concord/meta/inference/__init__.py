"""Inference of the meta-evaluation: correlations, intervals and significance tests.

The input is a `Sample`: judged candidates with the scores of all metrics, oriented so that higher
is better. Random numbers come from a numpy Generator argument; the same seed gives the same
figures. Long computations are generators of `Progress` (named `..._steps`) that return their
result; `run_steps` runs one to its end. An undefined figure has a reason. Raises SampleError for
invalid samples and requests.
"""

from concord.meta.inference.bootstrap import RESAMPLES, Resample, bootstrap_steps
from concord.meta.inference.correlations import Correlation, correlations, williams
from concord.meta.inference.draws import Progress, Steps, run_steps
from concord.meta.inference.estimators import COEFFICIENTS, Coefficient
from concord.meta.inference.figures import Comparison, MetricFigures, compare_pairs, draws_needed
from concord.meta.inference.human_agreement import (
    HumanAgreement,
    RelativeAgreement,
    agreement_with_others,
    human_agreement,
    relative_agreement,
)
from concord.meta.inference.minimal_pairs import RankPairs, mcnemar, rank_pairs
from concord.meta.inference.multiplicity import MetricRank, holm, rank_metrics, westfall_young
from concord.meta.inference.ratings import SingleRatings
from concord.meta.inference.sample import GROUPINGS, Grouping, SampleError, ScoredSample
from concord.meta.inference.soft_pairwise import SoftPairwise, soft_pairwise_steps
from concord.meta.inference.swaps import perm_both_steps
from concord.meta.inference.system_level import (
    FIGURES,
    SystemFigure,
    SystemMeans,
    system_bootstrap_steps,
    system_correlations,
    system_means,
)
from concord.meta.inference.tie_calibration import TieCalibrated, tie_calibrated_accuracy

__all__ = [
    "COEFFICIENTS",
    "FIGURES",
    "GROUPINGS",
    "RESAMPLES",
    "Coefficient",
    "Comparison",
    "Correlation",
    "Grouping",
    "HumanAgreement",
    "MetricFigures",
    "MetricRank",
    "Progress",
    "RankPairs",
    "RelativeAgreement",
    "Resample",
    "SampleError",
    "ScoredSample",
    "SingleRatings",
    "SoftPairwise",
    "Steps",
    "SystemFigure",
    "SystemMeans",
    "TieCalibrated",
    "agreement_with_others",
    "bootstrap_steps",
    "compare_pairs",
    "correlations",
    "draws_needed",
    "holm",
    "human_agreement",
    "mcnemar",
    "perm_both_steps",
    "rank_metrics",
    "rank_pairs",
    "relative_agreement",
    "run_steps",
    "soft_pairwise_steps",
    "system_bootstrap_steps",
    "system_correlations",
    "system_means",
    "tie_calibrated_accuracy",
    "westfall_young",
    "williams",
]
