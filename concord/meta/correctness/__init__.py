"""Metrics as judges of correctness.

AVA's evaluation (section 6.2): gold scores become verdicts at a gold threshold. The scores of a
metric become verdicts at a threshold that is tuned on one part of the set; the other part is
reported. Scores are oriented so that higher is better, random numbers come from a Generator
argument, and an undefined figure has a reason.
"""

from concord.meta.correctness.calibration import Bin, Calibration, calibration
from concord.meta.correctness.curves import (
    Curve,
    ThresholdSteps,
    auc,
    average_precision,
    precision_recall,
    roc,
    thin_curve,
    threshold_steps,
)
from concord.meta.correctness.division import (
    TUNING_SHARE,
    Division,
    default_tuning_split,
    divide_by_passage,
    divide_by_split,
)
from concord.meta.correctness.optimisation import (
    OptimisationResult,
    Picks,
    Survival,
    candidate_features,
    optimisation_test,
)
from concord.meta.correctness.point_wise import (
    PointWise,
    always_correct_baseline,
    point_wise,
    tune_thresholds,
)
from concord.meta.correctness.reranking import Reranking, Rerankings, best_system, rerank
from concord.meta.correctness.retrieval import MEASURES, Measure, RankedLists, in_mixed_items
from concord.meta.correctness.system_wise import (
    ESTIMATES,
    EstimateBy,
    Estimates,
    SystemErrors,
    SystemWise,
    system_errors,
    system_wise,
)
from concord.meta.correctness.thresholds import (
    RULES,
    Rule,
    metric_verdicts,
    tune_by_f1,
    tune_by_system_error,
    tune_by_youden,
)
from concord.meta.correctness.verdicts import (
    FIGURES,
    Confusion,
    count_confusion,
    default_gold_threshold,
    gold_verdicts,
    one_verdict_reason,
)

__all__ = [
    "ESTIMATES",
    "FIGURES",
    "MEASURES",
    "RULES",
    "TUNING_SHARE",
    "Bin",
    "Calibration",
    "Confusion",
    "Curve",
    "Division",
    "EstimateBy",
    "Estimates",
    "Measure",
    "OptimisationResult",
    "Picks",
    "PointWise",
    "RankedLists",
    "Reranking",
    "Rerankings",
    "Rule",
    "Survival",
    "SystemErrors",
    "SystemWise",
    "ThresholdSteps",
    "always_correct_baseline",
    "auc",
    "average_precision",
    "best_system",
    "calibration",
    "candidate_features",
    "count_confusion",
    "default_gold_threshold",
    "default_tuning_split",
    "divide_by_passage",
    "divide_by_split",
    "gold_verdicts",
    "in_mixed_items",
    "metric_verdicts",
    "one_verdict_reason",
    "optimisation_test",
    "point_wise",
    "precision_recall",
    "rerank",
    "roc",
    "system_errors",
    "system_wise",
    "thin_curve",
    "threshold_steps",
    "tune_by_f1",
    "tune_by_system_error",
    "tune_by_youden",
    "tune_thresholds",
]
