"""Meta-evaluation: which metric agrees with people, how well, and is it better than the others?

Pure numpy and scipy. Everything starts from a `Sample`: judged candidates with the scores of all
metrics, turned so that higher is better. Randomness is a numpy Generator passed in; the same seed
gives the same figures on any number of processes. What takes long is a generator of `Progress`
(named `..._steps`) that returns its result; `completed` runs one to its end. A figure that is not
defined says why. Raises SampleError for what cannot be answered.
"""

from concord.meta.inference.association import association_steps
from concord.meta.inference.bootstrap import RESAMPLES, Bootstrap, Resample, bootstrap_steps
from concord.meta.inference.ceiling import AgainstCeiling, Ceiling, against_ceiling, human_ceiling
from concord.meta.inference.comparison import Comparison, draws_needed
from concord.meta.inference.correlations import Correlation, correlations
from concord.meta.inference.draws import Progress, Steps, completed
from concord.meta.inference.estimators import COEFFICIENTS, Coefficient
from concord.meta.inference.minimal_pairs import RankPairs, lost_pairs, mcnemar, rank_pairs
from concord.meta.inference.multiplicity import Standing, holm, standings, westfall_young
from concord.meta.inference.paired import paired_bootstrap, williams
from concord.meta.inference.ratings import SingleRatings
from concord.meta.inference.sample import GROUPINGS, Grouping, Sample, SampleError
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
    "AgainstCeiling",
    "Bootstrap",
    "Ceiling",
    "Coefficient",
    "Comparison",
    "Correlation",
    "Grouping",
    "Progress",
    "RankPairs",
    "Resample",
    "Sample",
    "SampleError",
    "SingleRatings",
    "SoftPairwise",
    "Standing",
    "Steps",
    "SystemFigure",
    "SystemMeans",
    "TieCalibrated",
    "against_ceiling",
    "association_steps",
    "bootstrap_steps",
    "completed",
    "correlations",
    "draws_needed",
    "holm",
    "human_ceiling",
    "lost_pairs",
    "mcnemar",
    "paired_bootstrap",
    "perm_both_steps",
    "rank_pairs",
    "soft_pairwise_steps",
    "standings",
    "system_bootstrap_steps",
    "system_correlations",
    "system_means",
    "tie_calibrated_accuracy",
    "westfall_young",
    "williams",
]
