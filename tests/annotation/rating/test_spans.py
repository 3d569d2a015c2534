"""Marking parts of a candidate: rows of the form, what is stored, crowds, simulation, freezing."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.services.submitted_ratings import form_fields, parse_ratings
from annotation.quality.services.ledgers import exclude_worker
from annotation.rating.models import Assignment, Rating
from annotation.rating.services import handing_out
from annotation.rating.services.handing_out import Answer
from annotation.rating.services.span_fields import span_rows
from annotation.studies.intake import Item
from annotation.studies.models import Stage
from benchmarks.freezing.services.preparing import prepare
from concord.protocols import Criterion, RatingRule, preset
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.test_criteria import path_of

pytestmark = pytest.mark.django_db

TEXT = "The 🚤 sank. It rained.\r\nNobody <b>swam</b> home"
ERRORS = Criterion(
    "errors",
    "What is wrong?",
    "spans",
    severities=("minor", "major"),
    categories=("fact", "style"),
)
PROTOCOL = factories.plain(criteria=(ERRORS,))
BOAT = {"start": 4, "end": 5, "severity": "major", "categories": ["fact"]}
NOTHING = {"start": None, "end": None, "severity": "minor", "categories": ["style"]}


@pytest.fixture
def assignment() -> Assignment:
    candidates = [Item.single("c", factories.instance(1), TEXT, "a")]
    stage = factories.open_stage(factories.make_study(PROTOCOL, candidates))
    assignment = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    assert assignment is not None
    return assignment


def test_sentences_and_marks_are_rows_at_their_places() -> None:
    rows = span_rows("f", TEXT, [BOAT, NOTHING])
    assert [(row.place, row.text, row.is_marked) for row in rows] == [
        ("0-11", "The 🚤 sank.", False),
        ("4-5", "🚤", True),
        ("12-22", "It rained.", False),
        ("24-47", "Nobody <b>swam</b> home", False),
        ("missing", "", True),
        ("missing", "", False),
    ]
    places = [(map(int, row.place.split("-")), row.text) for row in rows if row.text]
    assert all(TEXT[start:end] == text for (start, end), text in places)
    assert span_rows("f", "没有\u3002真的\uff01", [])[1].place == "3-6"
    assert [row.place for row in span_rows("f", " ", [])] == ["missing"]


def test_the_page_stores_spans_in_code_points(assignment: Assignment, client: Client) -> None:
    (pk,) = factories.members(assignment)
    rating = {"candidate": pk, "value": 2, "answers": {"errors": [NOTHING, BOAT]}}
    body = json.dumps({"ratings": [rating]})
    path = path_of(assignment, "rating-ratings")
    state = client.post(path, body, content_type="application/json").json()
    assert state["ratings"][str(pk)]["answers"] == {"errors": [BOAT, NOTHING]}
    page = client.get(path_of(assignment, "rating-assignment")).content.decode()
    assert "It rained.&#13;\nNobody &lt;b&gt;" in page, "every character is in the page"


def test_the_form_without_script_marks_sentences(assignment: Assignment, client: Client) -> None:
    (pk,) = factories.members(assignment)
    path = path_of(assignment, "rating-assignment")
    form = {f"value-{pk}": "2", f"answer-{pk}-0-1": "12-22", f"answer-{pk}-0-1-category": "fact"}
    page = client.post(path, form | {"action": "submit"})
    assert page.status_code == 422
    assert "What is wrong? Choose what each marked part is." in page.content.decode()
    assert not Rating.objects.exists()
    client.post(path, form | {f"answer-{pk}-0-1-severity": "minor", "action": "submit"})
    span = {"start": 12, "end": 22, "severity": "minor", "categories": ["fact"]}
    assert Rating.objects.get().answers == {"errors": [span]}
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.SUBMITTED


@pytest.mark.parametrize("place", ["9-3", "0-48", "x", "-1-4", "1-"])
def test_a_place_that_is_none_is_refused(
    assignment: Assignment, client: Client, place: str
) -> None:
    (pk,) = factories.members(assignment)
    field = f"answer-{pk}-0-0"
    form = {f"value-{pk}": "2", field: place, f"{field}-severity": "minor"}
    form |= {f"{field}-category": "fact", "action": "save"}
    page = client.post(path_of(assignment, "rating-assignment"), form)
    assert page.status_code == 422 and not Rating.objects.exists()


def test_nothing_marked_is_an_answer_but_no_answer_is_not(assignment: Assignment) -> None:
    (pk,) = factories.members(assignment)
    with pytest.raises(RefusedError, match="Answer this question"):
        handing_out.save_rating(assignment, pk, Answer(2), at=now())
    handing_out.save_rating(assignment, pk, Answer(5, answers={"errors": []}), at=now())
    assert Rating.objects.get().answers == {"errors": []}


def test_a_crowd_platform_copies_spans(assignment: Assignment) -> None:
    (pk,) = factories.members(assignment)
    answers: dict[str, Any] = {"errors": [BOAT, NOTHING]}
    handing_out.save_rating(assignment, pk, Answer(2, answers=answers), at=now())
    returned = parse_ratings(PROTOCOL, form_fields(assignment))
    assert returned[pk].answers == answers


def rate(stage: Stage, name: str, *spans: list[dict[str, Any]]) -> None:
    assignment = handing_out.hand_out(factories.worker(stage.study, name), stage, at=now())
    assert assignment is not None
    for pk, marked in zip(sorted(factories.members(assignment)), spans, strict=True):
        rating = Answer(2, answers={"errors": marked})
        handing_out.save_rating(assignment, pk, rating, at=now())
    handing_out.submit(assignment, at=now())


def test_agreement_on_marks_counts_characters_after_the_ledger(client: Client) -> None:
    stage = factories.open_study(replace(PROTOCOL, rating_rules=(RatingRule(3),)), 1, 1)
    (candidate,) = stage.study.candidates.all()  # "answer 0 of 0"
    first = BOAT | {"start": 0, "end": 8}
    rate(stage, "ann", [first])
    rate(stage, "bob", [first | {"end": 6, "severity": "minor"}, NOTHING])
    rate(stage, "cy", [])
    cy = stage.study.participations.order_by("pk")[2]
    exclude_worker(cy, "marks nothing", by=factories.owner(), at=now())
    client.force_login(factories.owner())
    marks = client.get(reverse("api-agreement", args=["study"])).json()["marks"]
    assert (marks["answers"], marks["raters"], marks["pairs"]) == (1, 2, 1)
    assert marks["f1"]["value"] == pytest.approx(2 * 6 / (8 + 6))
    assert marks["severity_f1"]["value"] == 0
    page = client.get(reverse("study-quality", args=["study"])).content.decode()
    assert "Character F1" in page and "0.857" in page
    frozen = prepare(stage.study, "mean")
    (record,) = frozen.candidates
    assert [[span.end for span in one.spans] for one in record.marks] == [[8], [6, None]]
    assert record.key == candidate.key and record.criteria == ()


@pytest.mark.django_db(transaction=True)
def test_simulated_raters_mark_words() -> None:
    words = " ".join(f"word{at}" for at in range(60))
    candidates = [Item.single(f"c{at}", factories.instance(at), words, "a") for at in range(3)]
    factories.open_stage(factories.make_study(PROTOCOL, candidates))
    call_command("simulate_crowd", "study", workers=2, ability=1.0, stdout=io.StringIO())
    assert Rating.objects.count() == 6
    by_candidate: dict[int, set[str]] = {}
    for rating in Rating.objects.all():
        assert 0 < len(rating.answers["errors"]) < 30
        by_candidate.setdefault(rating.candidate_id, set()).add(str(rating.answers["errors"]))
    assert all(len(marks) == 1 for marks in by_candidate.values()), "able raters agree"


def test_esa_marks_and_scores_by_form_and_autosave(client: Client) -> None:
    esa = replace(preset("wmt-esa-2024"), consent="", rating_rules=(RatingRule(1),))
    stage = factories.open_study(esa, passages=1, each=2)
    assignment = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    assert assignment is not None
    first, second = factories.members(assignment)
    path = path_of(assignment, "rating-assignment")
    page = client.get(path).content.decode()
    assert page.index(f"answer-{first}-0") < page.index(f'name="value-{first}"'), "marks come first"
    form = {f"value-{first}": "87", f"answer-{first}-0-0": "0-6", f"cannot-{second}": "cannot"}
    form |= {f"answer-{first}-0-0-severity": "major", f"comment-{second}": "cut off"}
    client.post(path, form | {"action": "submit"})
    rating = Rating.objects.get(candidate=first)
    assert (rating.value, rating.answers["errors"][0]["severity"]) == (87, "major")
    assert Rating.objects.get(candidate=second).value is None
    client.force_login(factories.owner())
    for name in ("study-quality", "study-adjudication", "study-protocol", "study-freeze"):
        page = client.get(reverse(name, args=["study"]))
        assert page.status_code == 200, name
