"""Rankings of systems from people's choices between two answers.

Bradley and Terry's model with Davidson's ties; intervals resample questions, since choices of one
question are dependent. Strengths are reported as win probabilities.
"""

from concord.preferences.adaptive import ChosenPair, choose_pairs
from concord.preferences.bradley_terry import Counts, Strengths, fit, win_probabilities
from concord.preferences.connectivity import strong_components
from concord.preferences.ranking import (
    Ranking,
    SystemRank,
    choices_agreement,
    rank_systems,
    side_bias,
)

__all__ = [
    "ChosenPair",
    "Counts",
    "Ranking",
    "Strengths",
    "SystemRank",
    "choices_agreement",
    "choose_pairs",
    "fit",
    "rank_systems",
    "side_bias",
    "strong_components",
    "win_probabilities",
]
