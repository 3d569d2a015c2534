"""A protocol in the API, with the bounds of the library's dataclasses."""

from __future__ import annotations

from typing import Any

from concord.protocols import (
    Condition,
    Criterion,
    DropRules,
    HitRules,
    PairRules,
    Pay,
    Protocol,
    Qualification,
    QualityRules,
    RatingRule,
    Requirements,
    ScalePoint,
    SetRules,
    Trial,
)
from core.rest.derived import DataclassSerializer


class ScalePointPart(DataclassSerializer):
    dataclass = ScalePoint


class QualificationPart(DataclassSerializer):
    dataclass = Qualification


class TrialPart(DataclassSerializer):
    dataclass = Trial


class RatingRulePart(DataclassSerializer):
    dataclass = RatingRule


class HitPart(DataclassSerializer):
    dataclass = HitRules


class PayPart(DataclassSerializer):
    dataclass = Pay


class RequirementsPart(DataclassSerializer):
    dataclass = Requirements


class DropPart(DataclassSerializer):
    dataclass = DropRules


class QualityPart(DataclassSerializer):
    dataclass = QualityRules


class ConditionPart(DataclassSerializer):
    dataclass = Condition


class CriterionPart(DataclassSerializer):
    dataclass = Criterion
    parts = {ScalePoint: ScalePointPart, Condition: ConditionPart}


class PairPart(DataclassSerializer):
    dataclass = PairRules


class SetPart(DataclassSerializer):
    dataclass = SetRules


class ProtocolDocument(DataclassSerializer):
    """The whole protocol of a study. Money is in cents, texts are Markdown."""

    dataclass = Protocol
    parts = {
        ScalePoint: ScalePointPart,
        Qualification: QualificationPart,
        Trial: TrialPart,
        RatingRule: RatingRulePart,
        HitRules: HitPart,
        Pay: PayPart,
        Requirements: RequirementsPart,
        DropRules: DropPart,
        QualityRules: QualityPart,
        Criterion: CriterionPart,
        PairRules: PairPart,
        SetRules: SetPart,
    }


def protocol_of(content: dict[str, Any]) -> Protocol:
    """The protocol of a validated body. Raises ProtocolError."""
    return Protocol.from_json(content)


EXAMPLE = {
    "scale": [{"value": 1, "label": "wrong"}, {"value": 2, "label": "right"}],
    "question": "Is the answer right?",
    "rating_rules": [{"ratings": 3}],
    "pay": {"cents_per_full_hit": 40},
}
