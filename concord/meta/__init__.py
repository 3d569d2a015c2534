"""Statistics of judgments and of metrics against them: pure numpy and scipy, no Django.

Everywhere: scores and gold are float64 arrays of one shape; NaN in gold means "not judged" and
leaves the item out; a figure that is not defined has no value but a reason.
"""

from concord.meta.board import REVISION, SetArrays, run_statistics
from concord.meta.correlation import kendall, pearson, spearman
from concord.meta.figures import Figure
from concord.meta.pairs import pair_accuracy
from concord.meta.ranks import rank_differences
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
