"""What a study asks of its raters, as data: pure, versioned, compared with presets."""

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
