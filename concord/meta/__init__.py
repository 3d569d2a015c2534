"""Meta-evaluation: statistics of judgments, and of metrics against judgments.

Scores and gold are float64 arrays of the same shape. NaN in gold means "not judged"; such items are
left out. An undefined figure has a reason instead of a value.
"""

from concord.inference import Estimate, clustered_mean
from concord.meta.board import REVISION, SetArrays, run_statistics
from concord.meta.correlation import kendall, pearson, rank_differences, spearman
from concord.meta.pairs import pair_accuracy

__all__ = [
    "REVISION",
    "Estimate",
    "SetArrays",
    "clustered_mean",
    "kendall",
    "pair_accuracy",
    "pearson",
    "rank_differences",
    "run_statistics",
    "spearman",
]
