"""Rankings of systems from people's choices between two answers.

Bradley and Terry's model with Davidson's ties; intervals resample questions, since choices of one
question are dependent. Strengths are reported as win probabilities.
"""

from concord.preferences.bradley_terry import Counts, Strengths, fit, win_probabilities
from concord.preferences.connectivity import strong_components
from concord.preferences.ranking import Ranking, SystemRank, rank_systems

__all__ = [
    "Counts",
    "Ranking",
    "Strengths",
    "SystemRank",
    "fit",
    "rank_systems",
    "strong_components",
    "win_probabilities",
]
