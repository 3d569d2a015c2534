"""Criteria: what cannot be asked, what is asked when, and which answers are valid."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from concord.protocols import (
    Condition,
    Criterion,
    ProtocolError,
    ScalePoint,
    answer_problems,
    asked_criteria,
    preset,
)
from concord.protocols.answers import ANSWER_CHARS, coded, normalized

POINTS = (ScalePoint(1, "bad"), ScalePoint(2, "fair"), ScalePoint(3, "good"))
MARKS = (ScalePoint(0, "nothing"), ScalePoint(100, "all"))
TEXT = "A boat 🚤 sank. Then it rained."
OPTIONS = ("red", "green", "blue")
CRITERIA = (
    Criterion("fluency", "How fluent?", "scale", POINTS),
    Criterion("share", "How much?", "slider", MARKS),
    Criterion("colour", "Which colour?", "choice", options=OPTIONS),
    Criterion("colours", "Which colours?", "choices", options=OPTIONS),
    Criterion("clear", "Is it clear?", "yes-no"),
    Criterion("remark", "What else?", "text", required=False),
)
ANSWERS: dict[str, Any] = {
    "fluency": 2,
    "share": 70,
    "colour": "green",
    "colours": ["blue", "red"],
    "clear": False,
    "remark": "nothing",
}


def protocol_of(*criteria: Criterion):
    return dataclasses.replace(preset("blank"), criteria=criteria).validated()


PROTOCOL = protocol_of(*CRITERIA)


def problems_of(answers: dict[str, Any], value: int | None = 3) -> dict[str, str]:
    return {one.name: one.reason for one in answer_problems(PROTOCOL, value, answers, TEXT)}


def scale(name: str, *values: int) -> Criterion:
    return Criterion(name, "?", "scale", tuple(ScalePoint(value, "x") for value in values))


def later(*condition: str) -> Criterion:
    return dataclasses.replace(scale("a", 1, 2), condition=Condition(*condition))


def slider(*values: int) -> Criterion:
    return dataclasses.replace(scale("a", *values), kind="slider")


@pytest.mark.parametrize(
    ("criteria", "path"),
    [
        ((Criterion("", "?", "yes-no"),), "criteria.0.name"),
        ((Criterion("a", " ", "yes-no"),), "criteria.0.question"),
        ((Criterion("a", "?", "stars"),), "criteria.0.kind"),
        ((Criterion("a", "?"),), "criteria.0.points"),
        ((scale("a", 1),), "criteria.0.points"),
        ((scale("a", 1, 3),), "criteria.0.points"),
        ((slider(9, 9),), "criteria.0.points"),
        ((Criterion("a", "?", "yes-no", POINTS),), "criteria.0.points"),
        ((Criterion("a", "?", "choice", options=("one",)),), "criteria.0.options"),
        ((Criterion("a", "?", "choice", options=("one", "one")),), "criteria.0.options"),
        ((Criterion("a", "?", "text", options=OPTIONS),), "criteria.0.options"),
        ((scale("a", 1, 2), scale("a", 1, 2)), "criteria.1.name"),
        (tuple(scale(str(at), 1, 2) for at in range(13)), "criteria"),
        ((later("3", "b"),), "criteria.0.condition.criterion"),
        ((later("9"),), "criteria.0.condition.value"),
        ((later("03"),), "criteria.0.condition.value"),
        ((CRITERIA[4], later("maybe", "clear")), "criteria.1.condition.value"),
        ((CRITERIA[4], later("yes", "clear", "below")), "criteria.1.condition.relation"),
        ((CRITERIA[2], later("pink", "colour")), "criteria.1.condition.value"),
        ((CRITERIA[5], later("x", "remark")), "criteria.1.condition.criterion"),
    ],
)
def test_criteria_that_cannot_be_asked_are_refused(criteria, path):
    with pytest.raises(ProtocolError) as error:
        protocol_of(*criteria)
    assert list(error.value.problems) == [path]


def test_valid_answers_have_no_problem_and_a_normal_form():
    assert problems_of(ANSWERS) == {}
    result = normalized(PROTOCOL, dict(reversed(ANSWERS.items())))
    assert list(result) == [one.name for one in CRITERIA]
    assert result["colours"] == ["red", "blue"], "in the order of the options"


@pytest.mark.parametrize(
    ("name", "answer", "reason"),
    [
        ("fluency", 4, "range"),
        ("fluency", 2.0, "range"),
        ("fluency", True, "range"),
        ("fluency", "2", "range"),
        ("fluency", None, "range"),
        ("share", 101, "range"),
        ("share", -1, "range"),
        ("colour", "pink", "option"),
        ("colour", ["red"], "option"),
        ("colour", 1, "option"),
        ("colours", "red", "option"),
        ("colours", ["red", "pink"], "option"),
        ("colours", [["red"]], "option"),
        ("colours", [], "missing"),
        ("clear", "yes", "option"),
        ("clear", 1, "option"),
        ("remark", 3, "text"),
        ("remark", "a\x00b", "text"),
        ("remark", "\ud800", "text"),
        ("remark", "x" * (ANSWER_CHARS + 1), "length"),
        ("mood", 1, "unknown"),
    ],
)
def test_an_invalid_answer_is_named_with_its_reason(name, answer, reason):
    assert problems_of(ANSWERS | {name: answer}) == {name: reason}
    (problem,) = answer_problems(PROTOCOL, 3, ANSWERS | {name: answer}, TEXT)
    assert problem.message.startswith(f"{name}: ")


def test_required_criteria_are_needed_unless_the_rater_cannot_judge():
    needed = {one.name for one in CRITERIA if one.required}
    assert problems_of({}) == dict.fromkeys(needed, "missing")
    assert problems_of({}, value=None) == {}
    assert problems_of({"fluency": 9}, value=None) == {"fluency": "range"}


PARTS = Criterion("kinds", "What?", "choices", options=OPTIONS, condition=Condition("yes", "wrong"))
CHAIN = protocol_of(
    Criterion("wrong", "Is a part wrong?", "yes-no", condition=Condition("4", relation="below")),
    PARTS,
    Criterion("shade", "Which red?", "text", condition=Condition("red", "kinds")),
    Criterion("praise", "What is good?", "text", condition=Condition("4", relation="above")),
)


@pytest.mark.parametrize(
    ("value", "answers", "asked"),
    [
        (5, {}, ["praise"]),
        (4, {}, []),
        (None, {}, []),
        (3, {}, ["wrong"]),
        (3, {"wrong": False}, ["wrong"]),
        (3, {"wrong": True}, ["wrong", "kinds"]),
        (3, {"wrong": True, "kinds": ["blue"]}, ["wrong", "kinds"]),
        (3, {"wrong": True, "kinds": ["blue", "red"]}, ["wrong", "kinds", "shade"]),
        # An answer to a question that is not asked asks no other.
        (5, {"wrong": True, "kinds": ["red"]}, ["praise"]),
    ],
)
def test_a_condition_asks_only_after_answers_that_are_asked(value, answers, asked):
    assert [one.name for one in asked_criteria(CHAIN, value, answers)] == asked


def test_an_answer_that_is_not_asked_is_refused_and_a_missing_one_named():
    reasons = {one.name: one.reason for one in answer_problems(CHAIN, 5, {"wrong": True}, TEXT)}
    assert reasons == {"wrong": "not asked", "praise": "missing"}


ERRORS = Criterion(
    "errors", "?", "spans", severities=("minor", "major"), categories=("fact", "style")
)
GOOD = {"start": 2, "end": 8, "severity": "minor", "categories": ["fact"]}


@pytest.mark.parametrize(
    ("changes", "is_valid"),
    [
        ({}, True),
        ({"end": len(TEXT)}, True),
        ({"start": None, "end": None}, True),
        ({"end": len(TEXT) + 1}, False),  # the boat is one character, not two
        ({"start": 8}, False),
        ({"start": -1}, False),
        ({"start": None}, False),
        ({"start": 2.0}, False),
        ({"start": True}, False),
        ({"severity": "critical"}, False),
        ({"severity": None}, False),
        ({"severity": ["minor"]}, False),
        ({"categories": []}, False),
        ({"categories": ["fact", "style"]}, False),
        ({"categories": ["mood"]}, False),
        ({"categories": [["fact"]]}, False),
        ({"categories": "fact"}, False),
        ({"note": "x"}, False),
    ],
)
def test_a_span_needs_a_place_in_the_text_a_severity_and_a_category(changes, is_valid):
    problems = list(answer_problems(protocol_of(ERRORS), 3, {"errors": [GOOD | changes]}, TEXT))
    assert [one.reason for one in problems] == ([] if is_valid else ["span"])


def test_spans_may_be_none_but_not_too_many_and_are_ordered_by_place():
    protocol = protocol_of(ERRORS)
    assert not list(answer_problems(protocol, 3, {"errors": []}, TEXT))
    many = {"errors": [GOOD] * 201}
    assert [one.reason for one in answer_problems(protocol, 3, many, TEXT)] == ["many"]
    missing = GOOD | {"start": None, "end": None}
    spans = [missing, GOOD | {"start": 5}, GOOD]
    assert normalized(protocol, {"errors": spans})["errors"] == spans[::-1]


@pytest.mark.parametrize(
    ("criterion", "path"),
    [
        (Criterion("a", "?", "spans"), "severities"),
        (Criterion("a", "?", "spans", severities=("major", "minor")), "severities"),
        (Criterion("a", "?", "spans", severities=("fatal",)), "severities.0"),
        (Criterion("a", "?", "yes-no", severities=("minor",)), "severities"),
        (Criterion("a", "?", "text", categories=("fact",)), "categories"),
    ],
)
def test_spans_need_severities_in_order(criterion, path):
    with pytest.raises(ProtocolError) as error:
        protocol_of(criterion)
    assert list(error.value.problems) == [f"criteria.0.{path}"]


def test_answers_are_coded_as_numbers():
    assert [coded(one, ANSWERS) for one in CRITERIA if one.kind not in ("choices", "text")] == [
        2.0,
        70.0,
        1.0,
        0.0,
    ]
    assert coded(CRITERIA[0], {}) is None
    assert coded(CRITERIA[2], {"colour": "an option of an earlier version"}) is None
