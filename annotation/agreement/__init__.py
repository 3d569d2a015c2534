"""Agreement between raters: Krippendorff's alpha with its interval, ICC, kappa, percent.

Pure: numpy and dataclasses. Every function takes `Ratings`, in long form and stored order.
"""

from annotation.agreement.bootstrap import Interval, alpha_interval, resampled_alphas
from annotation.agreement.figures import Figure
from annotation.agreement.icc import IntraclassCorrelation, intraclass_correlation
from annotation.agreement.krippendorff import LEVELS, Alpha, Level, alpha
from annotation.agreement.leave_out import alpha_without_each
from annotation.agreement.pairwise import (
    PairwiseKappa,
    Weights,
    mean_weighted_kappa,
    percent_agreement,
)
from annotation.agreement.ratings import Ratings, RatingsError

__all__ = [
    "LEVELS",
    "Alpha",
    "Figure",
    "Interval",
    "IntraclassCorrelation",
    "Level",
    "PairwiseKappa",
    "Ratings",
    "RatingsError",
    "Weights",
    "alpha",
    "alpha_interval",
    "alpha_without_each",
    "intraclass_correlation",
    "mean_weighted_kappa",
    "percent_agreement",
    "resampled_alphas",
]
