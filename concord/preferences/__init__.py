"""Rankings of systems from people's choices between two answers, or of the best and worst of sets.

Bradley and Terry's model with Davidson's ties, of sets Plackett and Luce's. Intervals are over
questions and raters, since choices of one of either are dependent. Strengths are reported as win
probabilities.
"""

from concord.preferences.best_worst import (
    BestWorst,
    BestWorstReport,
    SystemScore,
    best_worst_choices,
    best_worst_report,
    candidate_scores,
    split_half,
    system_scores,
)
from concord.preferences.bradley_terry import PairCounts, Strengths, fit, win_probabilities
from concord.preferences.plackett_luce import BestWorstCounts, fit_sets
from concord.preferences.ranking import (
    Ranking,
    SystemRank,
    choices_agreement,
    rank_systems,
    side_bias,
    side_sentence,
)

__all__ = [
    "BestWorst",
    "BestWorstCounts",
    "BestWorstReport",
    "PairCounts",
    "Ranking",
    "Strengths",
    "SystemRank",
    "SystemScore",
    "best_worst_choices",
    "best_worst_report",
    "candidate_scores",
    "choices_agreement",
    "fit",
    "fit_sets",
    "rank_systems",
    "side_bias",
    "side_sentence",
    "split_half",
    "system_scores",
    "win_probabilities",
]
