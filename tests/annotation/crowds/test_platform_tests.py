"""Tests that the platform itself shows and scores, and what is refused before publishing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils.timezone import now

from annotation.crowds.models import Publication
from annotation.crowds.providers.mturk.questions import answer_key, question_form
from annotation.crowds.services.platform_tests import test_of as platform_test
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services import opening
from annotation.studies.intake import Item, Part
from annotation.studies.models import Study
from annotation.studies.services.candidates import add_items
from concord.protocols import (
    Condition,
    Criterion,
    HitRules,
    Pay,
    Protocol,
    Qualification,
    RatingRule,
    ScalePoint,
    preset,
)
from concord.protocols.keys import Key
from core.refusals import RefusedError
from mturk_sandbox import Sandbox, qualification_tests, work
from mturk_sandbox.qualifications import own_value
from tests.annotation.crowds import scenes

pytestmark = pytest.mark.django_db

MARKS = (ScalePoint(0, "nothing"), ScalePoint(100, "all"))
POINTS = (ScalePoint(1, "bad"), ScalePoint(2, "good"))
CRITERIA = (
    Criterion("fluency", "How fluent?", points=POINTS),
    Criterion("share", "How much is right?", "slider", MARKS),
    Criterion("tone", "Which tone?", "choice", options=("dry", "warm")),
    Criterion("faults", "Which faults?", "choices", options=("name", "date")),
    Criterion("clear", "Is it clear?", "yes-no"),
    Criterion("why", "Why not?", "text", condition=Condition("no", "clear")),
    Criterion("errors", "What is wrong?", "spans", severities=("minor", "major")),
)
PLAIN = replace(scenes.small(ratings=1, most=2, cents=20), qualification=None, criteria=CRITERIA)
PAIRS = replace(
    preset("mt-bench-2023"),
    consent="",
    rating_rules=(RatingRule(1),),
    hit=HitRules(max_candidates=6, same_passage=False),
    pay=Pay(cents_per_full_hit=30),
    criteria=(Criterion("sure", "Are you sure?", "yes-no"),),
)
SETS = replace(
    preset("best-worst-2017"),
    consent="",
    rating_rules=(RatingRule(1),),
    hit=HitRules(max_candidates=2, same_passage=False),
    pay=Pay(cents_per_full_hit=30),
)


def study_of(protocol: Protocol, rows: list[Item], slug: str = "own") -> Study:
    study = create_study(
        slug,
        "Own",
        protocol,
        source=StudySource("blank"),
        owner=scenes.researcher(),
        seed=3,
        at=now(),
    )
    add_items(study, rows)
    return study


def opened(study: Study, kind: str = "full") -> Study:
    opening.open_stage(study.stages.get(kind=kind), by=study.owner, at=now())
    return study


def pair_rows(questions: int) -> list[Item]:
    return [
        Item.single(f"q{n}-{name}", scenes.instance(n), f"{name} says {n}", name)
        for n in range(questions)
        for name in "abc"
    ]


TESTED = replace(
    PLAIN,
    criteria=CRITERIA[:6],
    qualification=Qualification(candidates=2, pass_share=0.7, tolerance=1),
)


def with_test(*answers: dict[str, Any]) -> Study:
    study = study_of(TESTED, scenes.candidates(2))
    items = [
        Item.single(f"t{n}", scenes.instance(50 + n), f"test {n}", test_key=Key(3, key))
        for n, key in enumerate(answers)
    ]
    add_items(study, items, use="qualification")
    return opened(opened(study, "qualification"))


def test_a_platforms_test_asks_and_scores_every_key(sandbox: Sandbox) -> None:
    study = with_test({"tone": "warm", "clear": False}, {"fluency": 2})
    test = platform_test(study)
    assert test is not None
    asked = [question for item in test.items for question in item.questions]
    assert [one.text for one in asked] == [
        TESTED.question,
        "Which tone?",
        "Is it clear?",
        TESTED.question,
        "How fluent?",
    ]
    assert [one.right for one in asked] == [
        ("2", "3", "4"),
        ("1",),
        ("no",),
        ("2", "3", "4"),
        ("2",),
    ]
    ElementTree.fromstring(question_form(test))
    ElementTree.fromstring(answer_key(test))
    publication = scenes.published(study, sandbox.url)
    answers = dict(zip((one.key for one in asked), ("4", "0", "no", "5", "2"), strict=True))
    type_id = publication.provider_ids["test"]
    with sandbox.engine.transaction() as context:
        work.ensure_worker(context, "AONE")
        qualification_tests.start_test(context, "AONE", type_id)
        status = qualification_tests.qualification_status(context, "AONE", type_id)
        qualification_tests.submit_test(context, status, list(answers.items()))
        score = own_value(context, "AONE", type_id)
    # Right are 4 (within 1 of 3), "no" and 2: three of five.
    assert score == 60


def test_a_test_that_the_platform_cannot_score_is_refused_before_publishing(
    sandbox: Sandbox,
) -> None:
    study = with_test({"share": 50, "faults": ["name"]}, {"fluency": 2})
    with pytest.raises(RefusedError, match=r"“faults” \(choices\), “share” \(slider\)") as error:
        scenes.drafted(study, sandbox.url)
    assert "on this site" in str(error.value)
    assert not Publication.objects.exists()
    assert scenes.drafted(study, "", provider="link").pk


def test_a_platforms_test_of_pairs_shows_both_answers_in_an_order_that_is_drawn() -> None:
    protocol = replace(PAIRS, qualification=Qualification(candidates=24, pass_share=1.0))
    study = study_of(protocol, pair_rows(1))
    pairs = [
        Item(f"t{n}", scenes.instance(50 + n), (Part("one"), Part("two")), Key(2))
        for n in range(24)
    ]
    add_items(study, pairs, "qualification")
    test = platform_test(opened(study, "qualification"))
    assert test is not None
    for item in test.items:
        (question,) = item.questions
        assert question.right == ("2",), "stored as in the file"
        place = dict(question.options)["2"].partition(":")[0]
        assert f"{place}. two" in item.candidate, "its label names the place where it is shown"
    assert {item.candidate for item in test.items} == {"1. one\n\n2. two", "1. two\n\n2. one"}


def set_rows() -> list[Item]:
    """Four answers to one question and three to another."""
    return [
        Item.single(f"q{n}-{name}", scenes.instance(n), f"{name} says {n}", name)
        for n, names in enumerate(("abcd", "abc"))
        for name in names
    ]


def test_a_platforms_test_of_sets_scores_the_best_and_the_worst(sandbox: Sandbox) -> None:
    protocol = replace(SETS, qualification=Qualification(candidates=1, pass_share=0.5))
    study = study_of(protocol, set_rows())
    parts = (Part("one", "s"), Part("two", "t"), Part("three", "u"))
    item = Item("t", scenes.instance(50), parts, Key(3, {"worst": 1}))
    add_items(study, [item], "qualification")
    publication = scenes.published(opened(opened(study, "qualification")), sandbox.url)
    test = platform_test(study)
    assert test is not None
    best, worst = test.items[0].questions
    assert (best.right, worst.right) == (("3",), ("1",))
    for question in (best, worst):
        places = {value: label.partition(":")[0] for value, label in question.options}
        for value, text in (("1", "one"), ("2", "two"), ("3", "three")):
            assert f"{places[value]}. {text}" in test.items[0].candidate
    type_id = publication.provider_ids["test"]
    with sandbox.engine.transaction() as context:
        work.ensure_worker(context, "AONE")
        qualification_tests.start_test(context, "AONE", type_id)
        status = qualification_tests.qualification_status(context, "AONE", type_id)
        answers = {best.key: "3", worst.key: "2"}
        qualification_tests.submit_test(context, status, list(answers.items()))
        score = own_value(context, "AONE", type_id)
    assert score == 50
