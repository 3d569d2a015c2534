"""Meta-evaluation: which metric agrees with people, how well, and is it better than the others?

Pure numpy and scipy. Everything starts from a `Sample`: judged candidates with the scores of all
metrics, turned so that higher is better. Randomness is a numpy Generator passed in; the same seed
gives the same figures on any number of processes. What takes long is a generator of `Progress`
(named `..._steps`) that returns its result; `completed` runs one to its end. A figure that is not
defined says why. Raises SampleError for what cannot be answered.
"""

from benchmarks.stats.meta.association import association_steps
from benchmarks.stats.meta.bootstrap import RESAMPLES, Bootstrap, Resample, bootstrap_steps
from benchmarks.stats.meta.ceiling import AgainstCeiling, Ceiling, against_ceiling, human_ceiling
from benchmarks.stats.meta.comparison import Comparison, draws_needed
from benchmarks.stats.meta.correlations import Correlation, correlations
from benchmarks.stats.meta.draws import Progress, Steps, completed
from benchmarks.stats.meta.estimators import COEFFICIENTS, Coefficient
from benchmarks.stats.meta.minimal_pairs import RankPairs, lost_pairs, mcnemar, rank_pairs
from benchmarks.stats.meta.multiplicity import Standing, holm, standings, westfall_young
from benchmarks.stats.meta.paired import paired_bootstrap, williams
from benchmarks.stats.meta.ratings import SingleRatings
from benchmarks.stats.meta.sample import GROUPINGS, Grouping, Sample, SampleError
from benchmarks.stats.meta.soft_pairwise import SoftPairwise, soft_pairwise_steps
from benchmarks.stats.meta.swaps import perm_both_steps
from benchmarks.stats.meta.system_level import (
    FIGURES,
    SystemFigure,
    SystemMeans,
    system_bootstrap_steps,
    system_correlations,
    system_means,
)
from benchmarks.stats.meta.tie_calibration import TieCalibrated, tie_calibrated_accuracy

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
