"""Agreement between raters: Krippendorff's alpha with its interval, AC1, AC2, ICC, kappa, percent.

Every function takes `Ratings`: ratings in long form, in stored order.
"""

from concord.reliability.coefficients import Coefficients
from concord.reliability.gwet import GwetWeights, gwet_ac2
from concord.reliability.halo import Halo, halo
from concord.reliability.icc import intraclass_correlation
from concord.reliability.krippendorff import LEVELS, Level, alpha
from concord.reliability.leave_one_out import alpha_of_other_raters, alpha_without_each
from concord.reliability.pairwise import (
    RaterPairs,
    Weights,
    mean_weighted_kappa,
    percent_agreement,
)
from concord.reliability.ratings import Ratings, RatingsError

__all__ = [
    "LEVELS",
    "Coefficients",
    "GwetWeights",
    "Halo",
    "Level",
    "RaterPairs",
    "Ratings",
    "RatingsError",
    "Weights",
    "alpha",
    "alpha_of_other_raters",
    "alpha_without_each",
    "gwet_ac2",
    "halo",
    "intraclass_correlation",
    "mean_weighted_kappa",
    "percent_agreement",
]
