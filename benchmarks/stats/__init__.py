"""Statistics of judgments and of metrics against them: pure numpy and scipy, no Django.

Everywhere: scores and gold are float64 arrays of one shape; NaN in gold means "not judged" and
leaves the item out; a figure that is not defined has no value but a reason.
"""

from benchmarks.stats.board import REVISION, SetFrame, run_statistics
from benchmarks.stats.correlation import kendall, pearson, spearman
from benchmarks.stats.figures import Figure
from benchmarks.stats.pairs import pair_accuracy
from benchmarks.stats.ranks import rank_differences
from benchmarks.stats.systems import clustered_mean

__all__ = [
    "REVISION",
    "Figure",
    "SetFrame",
    "clustered_mean",
    "kendall",
    "pair_accuracy",
    "pearson",
    "rank_differences",
    "run_statistics",
    "spearman",
]
