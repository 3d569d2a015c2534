"""Agreement between raters: Krippendorff's alpha with its interval, ICC, kappa, percent.

Every function takes `Ratings`: ratings in long form, in stored order.
"""

from concord.reliability.bootstrap import alpha_interval, resampled_alphas
from concord.reliability.figures import ReliabilityFigure
from concord.reliability.gwet import GwetWeights, gwet_ac2
from concord.reliability.halo import Halo, halo
from concord.reliability.icc import IntraclassCorrelation, intraclass_correlation
from concord.reliability.krippendorff import LEVELS, Alpha, Level, alpha
from concord.reliability.leave_one_out import alpha_without_each
from concord.reliability.pairwise import (
    KappaPairs,
    PairwiseKappa,
    Weights,
    mean_weighted_kappa,
    percent_agreement,
    resampled_kappas,
    weighted_kappas,
)
from concord.reliability.ratings import Ratings, RatingsError
from concord.reliability.reported import reported_alpha

__all__ = [
    "LEVELS",
    "Alpha",
    "GwetWeights",
    "Halo",
    "IntraclassCorrelation",
    "KappaPairs",
    "Level",
    "PairwiseKappa",
    "Ratings",
    "RatingsError",
    "ReliabilityFigure",
    "Weights",
    "alpha",
    "alpha_interval",
    "alpha_without_each",
    "gwet_ac2",
    "halo",
    "intraclass_correlation",
    "mean_weighted_kappa",
    "percent_agreement",
    "reported_alpha",
    "resampled_alphas",
    "resampled_kappas",
    "weighted_kappas",
]
