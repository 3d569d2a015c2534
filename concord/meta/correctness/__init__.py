"""Is an answer correct, and how good are the systems? Metrics as judges of correctness.

AVA's evaluation (section 6.2): people's scores become verdicts at a gold threshold, a metric's at
a threshold tuned on one part and frozen for the other, which alone is reported. Pure numpy and
scipy; scores are turned so that higher is better, randomness is a Generator passed in, and a
figure that is not defined says why.
"""

from concord.meta.correctness.calibration import Bin, Calibration, calibration
from concord.meta.correctness.candidate_features import candidate_features
from concord.meta.correctness.curves import (
    Curve,
    Steps,
    auc,
    average_precision,
    precision_recall,
    roc,
    steps,
    thinned,
)
from concord.meta.correctness.division import SHARE, Division, by_passage, by_split, default_split
from concord.meta.correctness.gold import correct, default_gold_threshold, one_sided
from concord.meta.correctness.optimised import Optimised, Picks, Survival, optimised
from concord.meta.correctness.point_wise import PointWise, always_correct, point_wise, tuned
from concord.meta.correctness.reranking import Reranking, Rerankings, best_system, rerank
from concord.meta.correctness.resampling import draws_for
from concord.meta.correctness.retrieval import MEASURES, Measure, RankedLists, of_mixed_items
from concord.meta.correctness.system_wise import (
    ESTIMATES,
    Estimate,
    Estimates,
    SystemWise,
    system_wise,
)
from concord.meta.correctness.systems import SystemErrors, system_errors
from concord.meta.correctness.thresholds import RULES, Rule, called, highest_f1, least_error
from concord.meta.correctness.verdicts import FIGURES, Confusion, confusion

__all__ = [
    "ESTIMATES",
    "FIGURES",
    "MEASURES",
    "RULES",
    "SHARE",
    "Bin",
    "Calibration",
    "Confusion",
    "Curve",
    "Division",
    "Estimate",
    "Estimates",
    "Measure",
    "Optimised",
    "Picks",
    "PointWise",
    "RankedLists",
    "Reranking",
    "Rerankings",
    "Rule",
    "Steps",
    "Survival",
    "SystemErrors",
    "SystemWise",
    "always_correct",
    "auc",
    "average_precision",
    "best_system",
    "by_passage",
    "by_split",
    "calibration",
    "called",
    "candidate_features",
    "confusion",
    "correct",
    "default_gold_threshold",
    "default_split",
    "draws_for",
    "highest_f1",
    "least_error",
    "of_mixed_items",
    "one_sided",
    "optimised",
    "point_wise",
    "precision_recall",
    "rerank",
    "roc",
    "steps",
    "system_errors",
    "system_wise",
    "thinned",
    "tuned",
]
