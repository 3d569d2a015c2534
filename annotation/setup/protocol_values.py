"""Conversion between a protocol and the values of its form."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from annotation.setup import criteria_form
from concord.protocols import (
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
from core.pages.bounded_fields import dollars_of, percent_of, shown
from core.pages.queries import FormValues

TEXTS = ("question", "instructions", "examples", "consent")
KINDS = {"": None, "span": True, "generative": False}
RULE_COLUMNS = ("ratings", "split", "kind")
SHARE_COLUMNS = ("split", "percent")


def initial_of(protocol: Protocol) -> dict[str, object]:
    """The form's initial values for a protocol."""
    quality, required, drop = protocol.quality, protocol.requirements, protocol.drop
    test, trial = protocol.qualification or Qualification(), protocol.trial or Trial()
    second_below = drop.second_reference_below
    values: dict[str, object] = {name: getattr(protocol, name) for name in TEXTS}
    values |= {
        "low": protocol.low,
        "scale_kind": protocol.scale_kind,
        "unit": protocol.unit,
        "pairs_design": protocol.pairs.design,
        "pairs_per_candidate": protocol.pairs.per_candidate,
        "sets_per_candidate": protocol.sets.per_candidate,
        "has_qualification": protocol.qualification is not None,
        "qualification_candidates": test.candidates,
        "qualification_pass_percent": shown(percent_of(test.pass_share)),
        "qualification_tolerance": test.tolerance,
        "qualification_tries": test.tries,
        "qualification_pay_each_try": test.pay_each_try,
        "has_trial": protocol.trial is not None,
        "trial_candidates": trial.candidates,
        "trial_ratings": trial.ratings,
        "trial_counted": trial.counted,
        "hit_max_candidates": protocol.hit.max_candidates,
        "hit_same_passage": protocol.hit.same_passage,
        "pay_dollars": f"{dollars_of(protocol.pay.cents_per_full_hit):.2f}",
        "pay_pro_rata": protocol.pay.pro_rata,
        "time_limit_minutes": protocol.time_limit_minutes,
        "requirements_approval_percent": required.approval_percent,
        "requirements_approval_above": required.approval_above,
        "requirements_approved_hits": required.approved_hits,
        "requirements_locales": ", ".join(required.locales),
        "drop_equal_to_reference": drop.equal_to_reference,
        "drop_question_when_equal": drop.question_when_equal,
        "drop_number_against_number": drop.number_against_number,
        "drop_number_constituents": "\n".join(drop.number_constituents),
        "drop_number_units": drop.number_units,
        "drop_second_reference_below": None if second_below is None else shown(second_below),
        "draw_questions": protocol.draw_questions,
        "quality_gold_percent": shown(percent_of(quality.gold_share)),
        "quality_gold_tolerance": quality.gold_tolerance,
        "quality_spot_check_percent": shown(percent_of(quality.spot_check_share)),
        "quality_min_seconds_per_rating": shown(quality.min_seconds_per_rating),
        "quality_straight_line_length": quality.straight_line_length,
        "quality_zscore_threshold": shown(quality.zscore_threshold),
        "quality_max_removed": quality.max_removed,
        "quality_zscore_from_start": quality.zscore_from_start,
        "aggregation": protocol.aggregation,
    }
    kinds = {span_based: name for name, span_based in KINDS.items()}
    is_slider = protocol.scale_kind == "slider"
    for index, line in enumerate(criteria_form.lines_of(protocol.scale, is_slider=is_slider)):
        values[f"label_{index}"] = line
    for index, rule in enumerate(protocol.rating_rules):
        row = (rule.ratings, rule.split, kinds[rule.span_based])
        values |= _row("rule", index, RULE_COLUMNS, row)
    for index, (split, share) in enumerate(protocol.split_shares):
        values |= _row("share", index, SHARE_COLUMNS, (split, shown(percent_of(share))))
    return values | criteria_form.initial_of(protocol)


def with_task(base: Protocol, values: FormValues, share_rows: list[int]) -> Protocol:
    """`base` with what raters see and which answers they rate, not validated.

    values: the form's cleaned values. share_rows: the numbers of the rows of splits to read.
    """
    return replace(
        base,
        question=values.get("question") or "",
        instructions=values.get("instructions") or "",
        examples=values.get("examples") or "",
        consent=values.get("consent") or "",
        scale=_scale(values),
        scale_kind=values.get("scale_kind") or "points",
        unit=values.get("unit") or "candidate",
        pairs=PairRules(
            values.get("pairs_design") or "all",
            base.pairs.per_candidate
            if values.get("pairs_per_candidate") is None
            else values["pairs_per_candidate"],
        ),
        sets=SetRules(
            base.sets.per_candidate
            if values.get("sets_per_candidate") is None
            else values["sets_per_candidate"],
        ),
        drop=DropRules(
            equal_to_reference=bool(values.get("drop_equal_to_reference")),
            question_when_equal=bool(values.get("drop_question_when_equal")),
            number_against_number=bool(values.get("drop_number_against_number")),
            number_constituents=_lines(values.get("drop_number_constituents", "")),
            number_units=bool(values.get("drop_number_units")),
            second_reference_below=values.get("drop_second_reference_below"),
        ),
        split_shares=tuple(
            (values[f"share_{index}_split"], values[f"share_{index}_percent"])
            for index in share_rows
        ),
        draw_questions=values.get("draw_questions"),
    )


def with_rules(base: Protocol, values: FormValues, rule_rows: list[int]) -> Protocol:
    """`base` with the rules for raters, pay and quality, not validated. Empty numbers are zero.

    values: the form's cleaned values. rule_rows: the numbers of the rows of rules to read.
    """

    def amount(name: str, default: float = 0) -> Any:  # noqa: ANN401 - a value of the form's field
        value = values.get(name)
        return default if value is None else value

    def is_ticked(name: str) -> bool:
        return bool(values.get(name))

    test = Qualification(
        amount("qualification_candidates"),
        amount("qualification_pass_percent"),
        amount("qualification_tolerance"),
        amount("qualification_tries"),
        is_ticked("qualification_pay_each_try"),
    )
    trial = Trial(amount("trial_candidates"), amount("trial_ratings"), is_ticked("trial_counted"))
    return replace(
        base,
        qualification=test if is_ticked("has_qualification") else None,
        trial=trial if is_ticked("has_trial") else None,
        rating_rules=tuple(_rule(values, index) for index in rule_rows),
        hit=HitRules(amount("hit_max_candidates"), is_ticked("hit_same_passage")),
        pay=Pay(amount("pay_dollars"), is_ticked("pay_pro_rata")),
        time_limit_minutes=amount("time_limit_minutes"),
        requirements=Requirements(
            amount("requirements_approval_percent"),
            amount("requirements_approved_hits"),
            tuple(values.get("requirements_locales", "").replace(",", " ").split()),
            is_ticked("requirements_approval_above"),
        ),
        quality=QualityRules(
            amount("quality_gold_percent"),
            amount("quality_spot_check_percent"),
            amount("quality_min_seconds_per_rating"),
            amount("quality_straight_line_length"),
            amount("quality_zscore_threshold"),
            amount("quality_max_removed", 1),
            is_ticked("quality_zscore_from_start"),
            values.get("quality_gold_tolerance"),
        ),
        aggregation=values.get("aggregation", "mean"),
    )


def _row(
    prefix: str, index: int, columns: tuple[str, ...], row: tuple[object, ...]
) -> dict[str, object]:
    return {f"{prefix}_{index}_{name}": value for name, value in zip(columns, row, strict=True)}


def _rule(values: FormValues, index: int) -> RatingRule:
    ratings, split, kind = (values[f"rule_{index}_{name}"] for name in RULE_COLUMNS)
    return RatingRule(ratings, split, KINDS[kind])


def _scale(values: FormValues) -> tuple[ScalePoint, ...]:
    """The points up to the last one with a label."""
    labels = {int(name[6:]): label for name, label in values.items() if name.startswith("label_")}
    count = 1 + max((index for index, label in labels.items() if label), default=-1)
    lines = [labels.get(index, "") for index in range(count)]
    is_slider = values.get("scale_kind") == "slider"
    return tuple(criteria_form.points_of(lines, values.get("low"), is_slider=is_slider))


def _lines(text: str) -> tuple[str, ...]:
    """The non-blank lines of a text."""
    return tuple(line for line in re.split(r"\r\n|\r|\n", text) if line.strip())
