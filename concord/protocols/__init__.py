"""Protocols of studies, presets, and packing of candidates into HITs."""

from concord.protocols.comparison import Deviation, deviations
from concord.protocols.presets import PRESETS, current_version, preset
from concord.protocols.protocol import (
    DropRules,
    HitRules,
    Pay,
    Protocol,
    ProtocolError,
    Qualification,
    QualityRules,
    RatingRule,
    Requirements,
    ScalePoint,
    Trial,
)

__all__ = [
    "PRESETS",
    "Deviation",
    "DropRules",
    "HitRules",
    "Pay",
    "Protocol",
    "ProtocolError",
    "Qualification",
    "QualityRules",
    "RatingRule",
    "Requirements",
    "ScalePoint",
    "Trial",
    "current_version",
    "deviations",
    "preset",
]
