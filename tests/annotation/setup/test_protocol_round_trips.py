"""Every valid protocol is the same after the API, the form and a file."""

from __future__ import annotations

import dataclasses
import json
import string
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

import pytest
from django.template.loader import render_to_string
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.setup.forms import RulesForm, TaskForm
from annotation.studies.api.protocols import ProtocolDocument, protocol_of
from concord.bounds import Items, Number, Text, bounded_fields, find_bound
from concord.protocols import (
    PRESETS,
    Condition,
    Criterion,
    PairRules,
    Pay,
    Protocol,
    RatingRule,
    ScalePoint,
    preset,
)
from concord.protocols.criteria import MAX_POINTS, NUMERIC, SEVERITIES
from core.pages.bounded_fields import percent_of, share_of, shown
from tests.annotation.setup.browser_forms import sent_by_browser

SCALE: Items = find_bound(Protocol, "scale")
VALUE: Number = find_bound(ScalePoint, "value")


def texts(bound: Text) -> st.SearchStrategy[str]:
    if bound.word:
        return st.text(string.ascii_uppercase + "-", min_size=1, max_size=bound.max_chars)
    excluded = "\x00" if bound.multiline else "\x00\r\n"
    characters = st.characters(exclude_characters=excluded, exclude_categories=("Cs",))
    strategy = st.text(characters, max_size=min(bound.max_chars, 60))
    return strategy.filter(str.strip) if bound.required else strategy


def values(kind: Any, bound: Any) -> st.SearchStrategy[Any]:
    """Values of a type within its bound."""
    if dataclasses.is_dataclass(kind):
        parts = {one.name: values(one.type, one.bound) for one in bounded_fields(kind)}
        nullable = [one.name for one in bounded_fields(kind) if one.nullable]
        parts |= {name: st.none() | parts[name] for name in nullable}
        return st.builds(kind, **parts)
    if get_origin(kind) is tuple and isinstance(bound, Items):
        entries = values(get_args(kind)[0], bound.each)
        return st.lists(entries, min_size=bound.min_items, max_size=bound.max_items).map(tuple)
    if get_origin(kind) is tuple:
        return st.tuples(*(values(*one) for one in zip(get_args(kind), bound, strict=True)))
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if isinstance(bound, Text):
        return texts(bound)
    if kind is int:
        return st.integers(int(bound.minimum), int(bound.maximum))
    if kind is float:
        return st.floats(bound.minimum, bound.maximum, exclude_min=bound.above)
    return st.booleans()


def runnable(protocol: Protocol, low: int) -> Protocol:
    """A protocol of which the rules between fields are made true."""
    quality, required = protocol.quality, protocol.requirements
    if not quality.zscore_threshold:
        quality = replace(quality, zscore_from_start=False)
    if not 0 < required.approval_percent < 100:
        required = replace(required, approval_above=False)
    total = sum(share for _, share in protocol.split_shares)
    shares = tuple((name, share / total) for name, share in protocol.split_shares if total > 0.01)
    scale = tuple(replace(one, value=low + at) for at, one in enumerate(protocol.scale))
    if protocol.scale_kind == "slider":
        scale = tuple(replace(one, value=low + at // 2 + at) for at, one in enumerate(scale[:5]))
        protocol = replace(protocol, aggregation="mean")
    criteria = askable(protocol.criteria)
    if protocol.compares:
        first = 0 if protocol.unit == "pair" else 1
        scale = tuple(replace(one, value=at) for at, one in enumerate((*scale, *scale)[:3], first))
        quality = replace(quality, zscore_threshold=0.0, zscore_from_start=False)
        protocol = replace(protocol, scale_kind="points")
        criteria = tuple(one for one in criteria if one.kind != "spans")
    criteria = tuple(one for one in criteria if one.kind != "worst")
    if protocol.unit == "set":
        criteria = (*criteria[:2], Criterion("the worst", "Which one?", "worst"))
        quality = replace(quality, gold_share=0.0)
        protocol = replace(protocol, qualification=None, pairs=PairRules())
    most = 0 if protocol.compares else 1 if protocol.scale_kind == "points" else 1000
    quality = replace(
        quality, gold_tolerance=quality.gold_tolerance and min(most, quality.gold_tolerance)
    )
    if protocol.qualification is not None:
        test = protocol.qualification
        test = replace(test, tolerance=min(most, test.tolerance))
        protocol = replace(protocol, qualification=test)
    return replace(
        protocol,
        quality=quality,
        requirements=required,
        split_shares=shares,
        scale=scale,
        criteria=criteria,
    ).validated()


def askable(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
    """The criteria with the parts of their kinds, and conditions on the main question."""
    named = {one.name.strip(): one for one in criteria}
    result = []
    for name, one in named.items():
        points, options = one.points, tuple(dict.fromkeys(map(str.strip, one.options)))
        if one.kind in NUMERIC:
            start = points[0].value - MAX_POINTS if points else 0
            labels = [point.label for point in points] if len(points) > 1 else ["low", "high"]
            points = tuple(ScalePoint(start + at, text) for at, text in enumerate(labels))
        result.append(
            replace(
                one,
                name=name,
                severities=(SEVERITIES if one.kind == "spans" else ())[-len(options) - 1 :],
                categories=options if one.kind == "spans" else (),
                points=points if one.kind in NUMERIC else (),
                key_tolerance=one.key_tolerance if one.kind in NUMERIC else 0,
                key_f1=one.key_f1 if one.kind == "spans" else None,
                options=()
                if one.kind not in ("choice", "choices")
                else options
                if len(options) > 1
                else ("one", "other"),
                condition=None,
            )
        )
    for at, one in enumerate(result[1:], start=1):
        before = result[at - 1]
        if before.kind == "yes-no":
            result[at] = replace(one, condition=Condition("no", before.name))
        elif before.options:
            result[at] = replace(one, condition=Condition(before.options[-1], before.name))
        elif before.points:
            value = str(before.high)
            result[at] = replace(one, condition=Condition(value, before.name, "below"))
    return tuple(result)


PROTOCOLS = st.builds(
    runnable,
    values(Protocol, None),
    st.integers(int(VALUE.minimum), int(VALUE.maximum) - SCALE.max_items + 1),
)
LARGEST = replace(
    preset("mocha-2020"),
    rating_rules=tuple(RatingRule(at + 1, f"split {at}", at % 2 == 0) for at in range(100)),
    split_shares=tuple((f"part, {at}", 0.05) for at in range(20)),
    pay=Pay(1_000_000),
    question="Two\nlines  ",
    scale=tuple(ScalePoint(at, "x" * 80) for at in range(-1000, -989)),
)


def through_api(protocol: Protocol) -> Protocol:
    data = json.loads(json.dumps(protocol.to_json()))
    body = ProtocolDocument(data=data, context={"native": True})
    assert body.is_valid(), body.errors
    return protocol_of(body.validated_data)


def through_form(protocol: Protocol) -> Protocol | None:
    """The protocol of what both pages send, of which each has its own part."""
    result: Protocol | None = preset("blank")
    for form_class, template, field in (
        (TaskForm, "_task_form", "question"),
        (RulesForm, "_rules_form", "pay_cents_per_full_hit"),
    ):
        shown = form_class(base=protocol)
        page = render_to_string(f"annotation/setup/{template}.html", {"form": shown})
        assert result is not None
        form = form_class(sent_by_browser(page, field), base=result)
        assert form.is_valid(), form.errors
        result = form.protocol
    return result


def through_file(protocol: Protocol) -> Protocol:
    return Protocol.from_json(json.loads(json.dumps(protocol.to_json())))


@given(PROTOCOLS)
@example(LARGEST)
def test_a_valid_protocol_comes_back_the_same(protocol: Protocol) -> None:
    assert protocol.validated() == protocol
    assert through_file(protocol) == protocol
    assert through_api(protocol) == protocol
    assert through_form(protocol) == protocol


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_comes_back_the_same(name: str) -> None:
    assert through_api(preset(name)) == through_form(preset(name)) == preset(name)


@given(st.floats(0, 1))
def test_a_share_is_exact_in_per_cent(share: float) -> None:
    assert share_of(Decimal(shown(percent_of(share)))) == share


def test_a_share_is_shown_in_per_cent_without_noise() -> None:
    assert [shown(percent_of(share)) for share in (0.07, 0.29, 0.8, 1.0, 0.0)] == [
        "7",
        "29",
        "80",
        "100",
        "0",
    ]
