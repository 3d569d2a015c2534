"""Aggregation of ratings to gold scores: means, Dawid-Skene, MACE."""

from concord.aggregation.dawid_skene_model import dawid_skene
from concord.aggregation.mace_model import Mace, mace
from concord.aggregation.means import mean, median, trimmed_mean, zscore_mean
from concord.aggregation.methods import METHODS, gold_scores
from concord.aggregation.posterior import Posterior

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
