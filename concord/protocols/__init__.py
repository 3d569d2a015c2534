"""Protocols of studies, presets, and packing of candidates into HITs."""

from concord.protocols.answers import (
    AnswerProblem,
    Answers,
    answer_problems,
    asked_criteria,
)
from concord.protocols.criteria import Condition, Criterion, ScalePoint
from concord.protocols.presets import PRESETS, Deviation, current_version, deviations, preset
from concord.protocols.protocol import (
    DropRules,
    HitRules,
    PairRules,
    Pay,
    Protocol,
    ProtocolError,
    Qualification,
    QualityRules,
    RatingRule,
    Requirements,
    SetRules,
    Trial,
)

__all__ = [
    "PRESETS",
    "AnswerProblem",
    "Answers",
    "Condition",
    "Criterion",
    "Deviation",
    "DropRules",
    "HitRules",
    "PairRules",
    "Pay",
    "Protocol",
    "ProtocolError",
    "Qualification",
    "QualityRules",
    "RatingRule",
    "Requirements",
    "ScalePoint",
    "SetRules",
    "Trial",
    "answer_problems",
    "asked_criteria",
    "current_version",
    "deviations",
    "preset",
]
