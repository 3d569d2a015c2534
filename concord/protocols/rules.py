"""Rules across the fields of a protocol, each within its own bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from concord.formats.best_worst import MAX_SET_SIZE, MIN_SET_SIZE
from concord.protocols.criteria import are_ascending, are_consecutive

if TYPE_CHECKING:
    from concord.protocols.protocol import Protocol

SHARES_MUST_ADD_UP = "the shares must add up to 1"
# The aggregations that model the values as categories.
CATEGORICAL = ("dawid-skene", "mace")
TOLERANCE_OF_POINTS = "must be 0 or 1 on a scale with points, and 0 for pairs and sets"


@dataclass(frozen=True, slots=True)
class ProtocolRule:
    """A rule across fields that are each within their bounds."""

    path: str
    sentence: str
    holds: Callable[[Protocol], bool]


def _is_choice(protocol: Protocol) -> bool:
    values = [point.value for point in protocol.scale]
    return protocol.scale_kind == "points" and values in ([-1, 0, 1, 2], [0, 1, 2], [1, 2])


def _numbers_a_set(protocol: Protocol) -> bool:
    values = [point.value for point in protocol.scale]
    sizes = range(MIN_SET_SIZE, MAX_SET_SIZE + 1)
    return protocol.scale_kind == "points" and values in [[*range(1, n + 1)] for n in sizes]


def _asks_for_the_worst(protocol: Protocol) -> bool:
    """Whether a set, and nothing else, has one question for the worst candidate, always asked."""
    asked = [one for one in protocol.criteria if one.kind == "worst"]
    if protocol.unit != "set":
        return not asked
    return all(one.required and not (one.condition or one.above) for one in asked) and (
        len(asked) == 1
    )


def _fits_scale(protocol: Protocol, tolerance: int) -> bool:
    """Whether answers so far from a key can still be right on the main question's scale."""
    if protocol.compares:
        return tolerance == 0
    return tolerance <= 1 or protocol.scale_kind == "slider"


RULES_ACROSS_FIELDS: tuple[ProtocolRule, ...] = (
    ProtocolRule(
        "scale",
        "its points must be consecutive whole numbers, lowest first",
        lambda one: one.scale_kind == "slider" or are_consecutive(one.scale),
    ),
    ProtocolRule(
        "scale",
        "the marks of a slider must be different whole numbers, lowest first",
        lambda one: one.scale_kind == "points" or are_ascending(one.scale),
    ),
    ProtocolRule(
        "qualification.tolerance",
        TOLERANCE_OF_POINTS,
        lambda one: one.qualification is None or _fits_scale(one, one.qualification.tolerance),
    ),
    ProtocolRule(
        "quality.gold_tolerance",
        TOLERANCE_OF_POINTS,
        lambda one: _fits_scale(one, one.quality.gold_tolerance or 0),
    ),
    ProtocolRule(
        "aggregation",
        "must be one that computes with numbers, because raters use a slider",
        lambda one: one.scale_kind == "points" or one.aggregation not in CATEGORICAL,
    ),
    ProtocolRule(
        "scale",
        "of pairs has the values 1 (first), 2 (second), where ties are allowed 0, and then perhaps "
        "-1 (both are bad)",
        lambda one: one.unit != "pair" or _is_choice(one),
    ),
    ProtocolRule(
        "scale",
        "of sets has a point for each candidate, with the values 1 to 3, 1 to 4 or 1 to 5",
        lambda one: one.unit != "set" or _numbers_a_set(one),
    ),
    ProtocolRule(
        "criteria",
        "must have one of the kind worst where sets are compared, required, not above the question "
        "and without condition; other units have none",
        _asks_for_the_worst,
    ),
    ProtocolRule(
        "quality.zscore_threshold",
        "choices between candidates have no z-scores",
        lambda one: not one.compares or one.quality.zscore_threshold == 0,
    ),
    ProtocolRule(
        "criteria",
        "parts of the text can be marked in single candidates only, not in pairs or sets",
        lambda one: not one.compares or all(c.kind != "spans" for c in one.criteria),
    ),
    ProtocolRule(
        "quality.zscore_from_start",
        "needs a z-score threshold above 0",
        lambda one: not one.quality.zscore_from_start or one.quality.zscore_threshold > 0,
    ),
    ProtocolRule(
        "requirements.approval_above",
        "needs an approval rate from 1 to 99 per cent",
        lambda one: (
            not one.requirements.approval_above or 0 < one.requirements.approval_percent < 100
        ),
    ),
    ProtocolRule(
        "split_shares",
        SHARES_MUST_ADD_UP,
        lambda one: not one.split_shares or abs(sum(s for _, s in one.split_shares) - 1) < 1e-9,
    ),
)
