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
    AltTestOptions,
    RaterTest,
    alternative_annotator_test,
)
from concord.judges.baselines import baseline_judges
from concord.judges.confusion import ConfusionMatrix, confusion_matrix
from concord.judges.corrected_rates import corrected_rate
from concord.judges.drift import Rejudged, drift_report
from concord.judges.graded_scores import JudgeLabels, grades_from_scores, judge_labels
from concord.judges.item_ids import ItemIdError, ItemIdPattern
from concord.judges.jury import jury_report
from concord.judges.jury_scores import JuryScores, jury_scores
from concord.judges.labels import HumanLabels, is_on_scale
from concord.judges.orders import OrderProbe, probe_orders
from concord.judges.probes import (
    Probe,
    probe_change,
    probe_self_preference,
    probe_stability,
    probe_verbosity,
)
from concord.judges.recommendation import (
    JudgeUse,
    factor_to_tell,
    recommend,
    use_for_items,
    use_for_systems,
)
from concord.judges.report import (
    JudgeReport,
    JudgeReports,
    judge_report,
    report_judge,
)
from concord.judges.system_order import SystemDifference, system_differences
from concord.judges.system_rates import SystemRate, SystemRates, system_rates, verdicts_out_of_fold
from concord.judges.versions import VersionComparison, compare_versions

__all__ = [
    "EPSILONS",
    "MIN_ITEMS",
    "AltTest",
    "AltTestOptions",
    "ConfusionMatrix",
    "HumanLabels",
    "ItemIdError",
    "ItemIdPattern",
    "JudgeAgreement",
    "JudgeLabels",
    "JudgeReport",
    "JudgeReports",
    "JudgeUse",
    "JuryScores",
    "OrderProbe",
    "Probe",
    "RaterTest",
    "Rejudged",
    "SystemDifference",
    "SystemRate",
    "SystemRates",
    "VersionComparison",
    "alternative_annotator_test",
    "baseline_judges",
    "compare_versions",
    "confusion_matrix",
    "corrected_rate",
    "drift_report",
    "factor_to_tell",
    "grades_from_scores",
    "is_on_scale",
    "judge_agreement",
    "judge_labels",
    "judge_report",
    "jury_report",
    "jury_scores",
    "probe_change",
    "probe_orders",
    "probe_self_preference",
    "probe_stability",
    "probe_verbosity",
    "recommend",
    "report_judge",
    "system_differences",
    "system_rates",
    "use_for_items",
    "use_for_systems",
    "verdicts_out_of_fold",
]
