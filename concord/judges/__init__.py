"""Judges in the place of raters: the alternative annotator test, and what to compare it with.

A judge is anything that labels items as a rater does: a language model, a metric with a threshold,
a person. Labels are categories (compared by equality) or grades (compared by squared distance).
Random numbers come from a Generator argument, and an undefined figure has a reason.
"""

from concord.judges.agreement import JudgeAgreement, judge_agreement
from concord.judges.alternative_annotator import (
    EPSILONS,
    MIN_ITEMS,
    AltTest,
    RaterTest,
    alternative_annotator_test,
)
from concord.judges.baselines import baseline_judges
from concord.judges.corrected_rates import CorrectedRate, corrected_rate
from concord.judges.graded_scores import grades_from_scores
from concord.judges.item_ids import ItemIdError, ItemIdPattern
from concord.judges.labels import HumanLabels
from concord.judges.orders import OrderProbe, probe_orders
from concord.judges.report import (
    AltTestOptions,
    JudgeReport,
    JudgeReports,
    beside_baselines,
    judge_report,
    report_judge,
)

__all__ = [
    "EPSILONS",
    "MIN_ITEMS",
    "AltTest",
    "AltTestOptions",
    "CorrectedRate",
    "HumanLabels",
    "ItemIdError",
    "ItemIdPattern",
    "JudgeAgreement",
    "JudgeReport",
    "JudgeReports",
    "OrderProbe",
    "RaterTest",
    "alternative_annotator_test",
    "baseline_judges",
    "beside_baselines",
    "corrected_rate",
    "grades_from_scores",
    "judge_agreement",
    "judge_report",
    "probe_orders",
    "report_judge",
]
