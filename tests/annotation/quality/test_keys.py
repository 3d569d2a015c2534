"""Test items and hidden checks of every kind: files with keys, the test, checks, the pages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.lifecycle.services.copying import copy_study
from annotation.quality.services.rating_data import collect_gold_ratings
from annotation.quality.services.rating_files import rating_rows
from annotation.quality.services.worker_reports import passed_checks, worker_table
from annotation.rating.models import Assignment
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.rating.services.tokens import token_for
from annotation.setup.services.study_creation import change_protocol
from annotation.studies.errors import UploadError
from annotation.studies.intake import Item
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services import upload_rows, uploads
from annotation.studies.services.candidates import add_items
from concord.protocols import (
    Criterion,
    HitRules,
    Protocol,
    ProtocolError,
    Qualification,
    QualityRules,
    RatingRule,
    ScalePoint,
    preset,
)
from core.accounts.roles import Role
from core.refusals import RefusedError
from tests.annotation import factories

pytestmark = pytest.mark.django_db

MARKS = (ScalePoint(0, "nothing"), ScalePoint(100, "all"))
CRITERIA = (
    Criterion("share", "How much?", "slider", MARKS, key_tolerance=10),
    Criterion("tone", "Which tone?", "choice", options=("dry", "warm")),
    Criterion("faults", "Which faults?", "choices", options=("name", "date"), required=False),
    Criterion("clear", "Is it clear?", "yes-no"),
    Criterion("errors", "What is wrong?", "spans", severities=("minor", "major")),
)
SPAN = {"start": 0, "end": 5, "severity": "minor", "categories": []}
KEY: dict[str, Any] = {
    "share": 50,
    "tone": "dry",
    "faults": ["date"],
    "clear": True,
    "errors": [SPAN],
}
SLIDER: Protocol = factories.plain(
    scale=MARKS,
    scale_kind="slider",
    criteria=CRITERIA,
    rating_rules=(RatingRule(1),),
    qualification=Qualification(candidates=1, pass_share=1.0, tolerance=5),
    quality=QualityRules(gold_share=0.5, gold_tolerance=10),
)
PAIRS = replace(
    preset("mt-bench-2023"),
    consent="",
    rating_rules=(RatingRule(1),),
    hit=HitRules(max_candidates=1, same_passage=False),
    quality=QualityRules(gold_share=0.5),
    qualification=Qualification(candidates=2, pass_share=1.0),
    criteria=(Criterion("sure", "Are you sure?", "yes-no", required=False),),
)


def line(key: str, **more: Any) -> dict[str, Any]:
    return {
        "id": key,
        "references": [f"reference of {key}"],
        "question": f"What is {key}?",
        "candidate": f"answer {key}",
        **more,
    }


def pair(key: str, choice: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": key,
        "references": [f"reference of {key}"],
        "question": f"What is {key}?",
        "candidate1": f"one {key}",
        "candidate2": f"two {key}",
        "choice": choice,
        **more,
    }


def upload(study: Study, use: str, *rows: dict[str, Any]) -> dict[str, int]:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    stored = uploads.store_upload(
        study, "keys.jsonl", content, "concord", use, by=study.owner, at=now()
    )
    return uploads.add(stored, upload_rows.items_of(stored))


def slider_study(**changes: Any) -> Study:
    study = factories.make_study(replace(SLIDER, **changes), factories.candidates(2, 2))
    upload(study, "qualification", line("t1", score=40, answers=KEY))
    upload(study, "gold", line("g1", score=40, answers=KEY), line("g2", answers={"clear": False}))
    return study


def take(study: Study, kind: str, name: str = "ann") -> Assignment:
    stage = study.stages.get(kind=kind)
    assignment = handing_out.hand_out(factories.worker(study, name), stage, at=now())
    assert assignment is not None
    return assignment


def rate(assignment: Assignment, value: int, answers: dict[str, Any]) -> None:
    for pk in factories.members(assignment):
        handing_out.save_rating(assignment, pk, Answer(value, answers=answers), at=now())


def pass_test(study: Study) -> participation.TestResult:
    assignment = take(study, "qualification")
    rate(assignment, 44, {**KEY, "share": 58, "errors": [{**SPAN, "end": 6}]})
    return participation.submit_test(assignment, at=now())


def test_keys_of_criteria_are_stored_and_listed() -> None:
    study = slider_study()
    first = study.candidates.get(key="g1")
    assert (first.use, first.expected, first.expected_answers) == ("gold", 40, KEY)
    second = study.candidates.get(key="g2")
    assert (second.expected, second.expected_answers) == (None, {"clear": False})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (line("g", score=101), "line 2, g: the correct rating is 101; it must be from 0 to 100"),
        (line("g"), "line 2, g: it needs a correct rating"),
        (line("g", answers={"tone": "grim"}), "line 2, g: tone: The answer must be one of"),
        (line("g", answers={"size": 1}), "line 2, g: size: The protocol has no such criterion"),
        (line("g", score=7.5), "line 2, g: the correct rating is 7.5; a whole number is expected"),
    ],
)
def test_a_key_that_does_not_fit_is_named_by_line_and_criterion(
    row: dict[str, Any], message: str
) -> None:
    study = factories.make_study(SLIDER)
    with pytest.raises(UploadError, match=message):
        upload(study, "gold", line("fine", score=3), row)
    assert not study.candidates.exists()


def test_candidates_to_rate_have_no_correct_answers() -> None:
    with pytest.raises(UploadError, match="unknown field"):
        upload(factories.make_study(SLIDER), "rated", line("c", answers=KEY))


def test_keys_come_from_the_columns_of_a_table(owner: Client, rosa: User) -> None:
    study = factories.make_study(SLIDER)
    study.members.create(user=rosa, role=Role.OWNER, since=now())
    content = (
        b"id,question,reference,candidate,score,tone,faults,clear,errors,note\n"
        b't1,Q?,R,answer t1,40,dry,date|name,yes,"[{""start"": 0, ""end"": 5, '
        b'""severity"": ""minor"", ""categories"": []}]",x\n'
    )
    stored = uploads.store_upload(
        study, "keys.csv", content, "", "qualification", by=study.owner, at=now()
    )
    page = owner.get(reverse("study-upload", args=[study.slug, stored.pk])).content.decode()
    assert "Correct answer to the criterion of this name" in page
    meanings = ["id", "question", "reference", "candidate", "score", *["key"] * 4, ""]
    fields = {f"column_{at}": meaning for at, meaning in enumerate(meanings)}
    answer = owner.post(reverse("study-upload", args=[study.slug, stored.pk]), fields, follow=True)
    assert "Correct answer: <span" in answer.content.decode()
    stored.refresh_from_db()
    uploads.add(stored, upload_rows.items_of(stored))
    key = study.candidates.get().expected_answers
    assert key == {"tone": "dry", "faults": ["name", "date"], "clear": True, "errors": [SPAN]}


def test_the_test_counts_every_keyed_answer_and_the_page_shows_each(client: Client) -> None:
    study = slider_study()
    factories.open_stage(study, "qualification")
    assignment = take(study, "qualification")
    path = reverse("rating-home", args=[token_for(factories.join(study, "ann"))])
    rate(assignment, 46, {**KEY, "share": 61, "tone": "warm"})
    result = participation.submit_test(assignment, at=now())
    assert (result.correct, result.count, result.passed) == (3, 6, False)
    page = client.get(path.rstrip("/") + "/test", follow=True).content.decode()
    assert "You rated 3 of 6 correctly" in page
    assert page.count("Too high") == 2 and "Not correct" in page
    assert "Correct rating" not in page  # a try is left


def test_answers_within_their_tolerances_pass_the_test_and_the_checks() -> None:
    study = slider_study()
    factories.open_stage(study, "qualification")
    assert pass_test(study).passed
    factories.open_stage(study, "full")
    while (
        assignment := handing_out.hand_out(
            factories.worker(study, "ann"), study.stages.get(kind="full"), at=now()
        )
    ) is not None:
        rate(assignment, 50, {**KEY, "errors": []})
        handing_out.submit(assignment, at=now())
    worker = factories.worker(study, "ann")
    checked = StudyCandidate.objects.filter(ratings__worker=worker, use="gold")
    expected = {"g1": [True, True, True, True, True, False], "g2": [False]}
    wanted = [right for one in checked.order_by("pk") for right in expected[one.key]]
    assert sorted(passed_checks(study)[worker.pk]) == sorted(wanted)
    (row,) = worker_table(study, collect_gold_ratings(study))
    assert row.gold_count == len(wanted) and row.gold == pytest.approx(sum(wanted) / len(wanted))
    rows = [one for one in rating_rows(study) if one["use"] == "gold"]
    assert all(one["expected_answers"] for one in rows)


def test_a_stage_does_not_open_with_keys_that_no_longer_fit() -> None:
    study = slider_study()
    changed = (replace(CRITERIA[1], options=("wet", "warm")), *CRITERIA[2:])
    change_protocol(study, replace(SLIDER, criteria=changed), at=now())
    with pytest.raises(RefusedError, match="t1: share: The protocol has no such criterion"):
        factories.open_stage(study, "qualification")


def test_a_protocol_that_keys_do_not_fit_is_refused_once_a_stage_was_opened() -> None:
    study = slider_study()
    factories.open_stage(study, "qualification")
    changed = (CRITERIA[0], *CRITERIA[2:])
    with pytest.raises(ProtocolError, match="t1: tone: The protocol has no such criterion"):
        change_protocol(study, replace(SLIDER, criteria=changed), at=now())
    assert study.current.protocol == SLIDER, "nothing is stored"
    change_protocol(study, replace(SLIDER, question="How warm?"), at=now())


def pair_study() -> Study:
    rows = [
        Item.single(f"q{n}-{name}", factories.instance(n), f"{name} {n}", name)
        for n in range(3)
        for name in "ab"
    ]
    study = factories.make_study(PAIRS, rows)
    upload(study, "qualification", pair("t1", 1), pair("t2", "tie"))
    upload(study, "gold", pair("g1", 2, answers={"sure": True}), pair("g2", 1))
    return study


def test_pairs_with_a_correct_choice_are_units_of_their_own() -> None:
    study = pair_study()
    units = study.candidates.filter(use__in=("gold", "qualification")).order_by("key")
    assert [(one.key, one.expected) for one in units] == [
        ("g1", 2),
        ("g2", 1),
        ("t1", 1),
        ("t2", 0),
    ]
    assert [part.candidate.text for part in units[0].parts.all()] == ["one g1", "two g1"]
    assert study.candidates.filter(use="rated").count() == 3
    add_items(
        study, [Item.single("q9-a", factories.instance(9), "a", "a")]
    )  # the pairs to rate are made anew
    assert study.candidates.filter(use="rated").count() == 3
    assert study.candidates.filter(use="gold", parts__isnull=False).distinct().count() == 2
    copy = copy_study(study, "copy", "A copy", owner=study.owner, at=now())
    copied = copy.candidates.get(key="g1")
    assert copied.expected_answers == {"sure": True} and copied.parts.count() == 2
    assert copy.candidates.filter(use="rated").count() == 3


@pytest.mark.parametrize(
    ("changes", "row", "message"),
    [
        ({}, pair("g", None), "line 1, g: it needs a correct choice"),
        ({}, pair("g", 3), '1, 2 or "tie" is expected'),
        ({}, line("g", score=1), "its test items and hidden checks are pairs"),
        ({"scale": PAIRS.scale[1:]}, pair("g", "tie"), "line 1, g: the correct choice is a tie"),
    ],
)
def test_a_pair_without_a_choice_that_fits_is_refused(
    changes: dict[str, Any], row: dict[str, Any], message: str
) -> None:
    study = factories.make_study(replace(PAIRS, **changes))
    with pytest.raises(UploadError, match=message):
        upload(study, "gold", row)
    assert not study.candidates.exists()


def test_a_table_of_pairs_is_refused() -> None:
    study = factories.make_study(PAIRS)
    with pytest.raises(UploadError, match="A table cannot contain pairs"):
        uploads.store_upload(study, "a.csv", b"a,b\n1,2\n", "csv", "gold", by=study.owner, at=now())


def test_choices_are_right_only_where_they_are_equal_to_the_key(client: Client) -> None:
    study = pair_study()
    factories.open_stage(study, "qualification")
    assignment = take(study, "qualification")
    factories.rate_as(
        assignment, {study.candidates.get(key="t1").pk: 2, study.candidates.get(key="t2").pk: 0}
    )
    result = participation.submit_test(assignment, at=now())
    assert (result.correct, result.passed) == (1, False)
    token = token_for(factories.join(study, "ann"))
    page = client.get(reverse("rating-test", args=[token])).content.decode()
    assert "Not correct" in page and "Too high" not in page
    retried = participation.retry_test(factories.join(study, "ann"), at=now())
    assert retried is not None
    keys = {"t1": 1, "t2": 0}  # each try is answered in full
    factories.rate_as(
        retried, {study.candidates.get(key=key).pk: value for key, value in keys.items()}
    )
    assert participation.submit_test(retried, at=now()).passed
    factories.open_stage(study, "full")
    full = study.stages.get(kind="full")
    ann = factories.worker(study, "ann")
    while (assignment := handing_out.hand_out(ann, full, at=now())) is not None:
        factories.submitted(assignment, 2)
    # g1 is right, and its criterion has no answer; g2 is wrong.
    seen = StudyCandidate.objects.filter(ratings__worker=ann, use="gold").order_by("key")
    expected = {"g1": [True, False], "g2": [False]}
    assert passed_checks(study)[ann.pk] == [v for one in seen for v in expected[one.key]]
    assert len(seen) >= 1
