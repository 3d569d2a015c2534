"""A protocol as the API takes it: every part with its bounds, so that the schema says them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from concord.protocols import Protocol
from concord.protocols.protocol import (
    AGGREGATIONS,
    FEWEST_POINTS,
    LABEL_CHARS,
    MAX_DRAWN_QUESTIONS,
    MOST_CANDIDATES_A_HIT,
    MOST_POINTS,
    TEXT_CHARS,
)
from core.rest.serializers import Flag, Strict

MOST_CENTS = 1_000_000


def _whole(low: int, high: int, **more: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=low, max_value=high, **more)


def _share(**more: Any) -> serializers.FloatField:
    return serializers.FloatField(min_value=0, max_value=1, **more)


def _long_text(**more: Any) -> serializers.CharField:
    return serializers.CharField(max_length=TEXT_CHARS, trim_whitespace=False, **more)


class ScalePointPart(Strict):
    value = _whole(-1000, 1000)
    label = serializers.CharField(max_length=LABEL_CHARS)  # type: ignore[assignment]


class QualificationPart(Strict):
    candidates = _whole(1, 100, default=10)
    pass_share = _share(default=0.8)
    tolerance = _whole(0, 1, default=0)
    tries = _whole(1, 10, default=2)


class TrialPart(Strict):
    candidates = _whole(1, 1_000_000, default=200)
    ratings = _whole(1, 100, default=5)
    counted = Flag(default=True)


class RatingRulePart(Strict):
    ratings = _whole(1, 100)
    split = serializers.CharField(default="", allow_blank=True, max_length=500)
    span_based = Flag(default=None, allow_null=True)


class HitPart(Strict):
    most_candidates = _whole(1, MOST_CANDIDATES_A_HIT, default=10)
    same_passage = Flag(default=True)


class PayPart(Strict):
    cents_a_full_hit = _whole(0, MOST_CENTS, default=40)
    pro_rata = Flag(default=True)


class RequirementsPart(Strict):
    approval_percent = _whole(0, 100, default=0)
    approved_hits = _whole(0, 10**9, default=0)
    locales = serializers.ListField(
        child=serializers.CharField(max_length=20), default=list, max_length=300
    )
    approval_above = Flag(default=False, help_text="Higher than that rate, not equal to it.")


class DropPart(Strict):
    equal_to_reference = Flag(default=False)
    question_when_equal = Flag(default=False)
    number_against_number = Flag(default=False)
    second_reference_below = _share(default=None, allow_null=True)
    number_constituents = serializers.ListField(
        child=serializers.CharField(max_length=500),
        default=list,
        max_length=100,
        help_text="Constituents that `number_against_number` applies to; none: all.",
    )
    number_units = Flag(default=False, help_text="A number may have a unit, as in “24 yards”.")


class QualityPart(Strict):
    gold_share = serializers.FloatField(min_value=0, max_value=0.5, default=0.0)
    spot_check_share = _share(default=0.0)
    fewest_seconds_a_rating = serializers.FloatField(min_value=0, max_value=3600, default=0.0)
    straight_line_length = _whole(0, 1000, default=0)
    zscore_threshold = serializers.FloatField(min_value=0, max_value=100, default=0.0)
    at_most_removed = _whole(0, 100, default=5)
    zscore_from_start = Flag(
        default=False, help_text="The filter is a step of the ledger when the study is made."
    )


class ProtocolDocument(Strict):
    """Everything a study asks of its raters. Money is in cents, texts are Markdown."""

    scale = serializers.ListField(
        child=ScalePointPart(), min_length=FEWEST_POINTS, max_length=MOST_POINTS
    )
    question = _long_text()
    instructions = _long_text(default="", allow_blank=True)
    examples = _long_text(default="", allow_blank=True)
    consent = _long_text(default="", allow_blank=True)
    qualification = QualificationPart(default=None, allow_null=True)
    trial = TrialPart(default=None, allow_null=True)
    rating_rules = serializers.ListField(child=RatingRulePart(), min_length=1, max_length=100)
    hit = HitPart(required=False)
    pay = PayPart(required=False)
    time_limit_minutes = _whole(1, 7 * 24 * 60, default=60)
    requirements = RequirementsPart(required=False)
    drop = DropPart(required=False)
    quality = QualityPart(required=False)
    aggregation = serializers.ChoiceField(AGGREGATIONS, default="mean")
    split_shares = serializers.ListField(
        child=serializers.ListField(child=serializers.JSONField(), min_length=2, max_length=2),
        default=list,
        max_length=20,
        help_text="Of instances without a split: [name, share] each; the shares add up to 1.",
    )
    draw_questions = _whole(
        1,
        MAX_DRAWN_QUESTIONS,
        default=None,
        allow_null=True,
        help_text="How many questions are rated, drawn at random from those uploaded; null: all.",
    )


def protocol_of(given: dict[str, Any]) -> Protocol:
    """The protocol of a checked body. Raises ProtocolError."""
    return Protocol.from_json(given)


EXAMPLE = {
    "scale": [{"value": 1, "label": "wrong"}, {"value": 2, "label": "right"}],
    "question": "Is the answer right?",
    "rating_rules": [{"ratings": 3}],
    "pay": {"cents_a_full_hit": 40},
}
