"""The kinds of rules, by the names that policies give them."""

from __future__ import annotations

from concord.gate.label_rules import AltTestRule, DriftRule, JudgeRule
from concord.gate.rules import AgreementRule, DifferenceRule, MeanRule, MetricRule, PolicyRule

KINDS: dict[str, type[PolicyRule]] = {
    "agreement": AgreementRule,
    "metric": MetricRule,
    "judge": JudgeRule,
    "alt-test": AltTestRule,
    "drift": DriftRule,
    "mean": MeanRule,
    "difference": DifferenceRule,
}
