"""From kept ratings to gold scores: means of several kinds, Dawid-Skene, MACE.

Pure: numpy, scipy and dataclasses.
"""

from annotation.aggregation.dawid_skene_model import dawid_skene
from annotation.aggregation.mace_model import Mace, mace
from annotation.aggregation.means import mean, median, trimmed_mean, zscore_mean
from annotation.aggregation.methods import METHODS, gold_scores
from annotation.aggregation.posterior import Posterior

__all__ = [
    "METHODS",
    "Mace",
    "Posterior",
    "dawid_skene",
    "gold_scores",
    "mace",
    "mean",
    "median",
    "trimmed_mean",
    "zscore_mean",
]
