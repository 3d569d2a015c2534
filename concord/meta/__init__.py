"""Meta-evaluation: statistics of judgments, and of metrics against judgments.

Scores and gold are float64 arrays of the same shape. NaN in gold means "not judged"; such items are
left out. An undefined figure has a reason instead of a value.
"""

from concord.meta.board import REVISION, SetArrays, run_statistics
from concord.meta.correlation import kendall, pearson, rank_differences, spearman
from concord.meta.figures import Figure
from concord.meta.pairs import pair_accuracy
from concord.meta.systems import clustered_mean

__all__ = [
    "REVISION",
    "Figure",
    "SetArrays",
    "clustered_mean",
    "kendall",
    "pair_accuracy",
    "pearson",
    "rank_differences",
    "run_statistics",
    "spearman",
]
