"""The platform's own pages: every kind of question and pairs on pages that need no server, batch
files of pairs, tests with keys of criteria, and what is refused before anything is published."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.providers.mturk.answers import write_answers
from annotation.crowds.providers.mturk.questions import answer_key, question_form
from annotation.crowds.services import batches, pages, syncing
from annotation.crowds.services.platform_tests import test_of as platform_test
from annotation.rating.models import Rating
from annotation.setup.services.study_creation import create_study
from annotation.stages.services import opening
from annotation.studies.errors import StudyError
from annotation.studies.intake import CandidateInput, KeyedPairInput
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services.candidates import add_candidates, add_check_pairs
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
from concord.protocols.pairing import shown_order
from mturk_sandbox import Sandbox, qualification_tests, work
from tests.annotation.crowds import scenes
from tests.annotation.crowds.workers import Turker

pytestmark = pytest.mark.django_db

HTML = type(scenes.OFFER)(**{**scenes.OFFER.to_json(), "question": "html", "invited": ()})
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
SETS = replace(preset("best-worst-2017"), consent="", pay=Pay(cents_per_full_hit=30))


def study_of(protocol: Protocol, rows: list[CandidateInput], slug: str = "own") -> Study:
    study = create_study(
        slug, "Own", protocol, preset="blank", owner=scenes.researcher(), seed=3, at=now()
    )
    add_candidates(study, rows)
    return study


def opened(study: Study, kind: str = "full") -> Study:
    opening.open_stage(study.stages.get(kind=kind), by=study.owner, at=now())
    return study


def pair_rows(questions: int) -> list[CandidateInput]:
    return [
        CandidateInput(f"q{n}-{name}", scenes.instance(n), f"{name} says {n}", name)
        for n in range(questions)
        for name in "abc"
    ]


def own_page(study: Study) -> str:
    return pages.page_of_hit(study.stages.get(kind="full").hits.get())


def publish(sandbox: Sandbox, study: Study) -> Publication:
    return scenes.published(study, sandbox.url, offer=HTML)


def hand_in(sandbox: Sandbox, publication: Publication, fields: dict[str, str]) -> CrowdAssignment:
    """Accept the only listing, post these fields of its page there, and fetch them."""
    listing = publication.listings.get()
    turker = Turker(sandbox, "AONE")
    turker.accept(listing).submit_fields(list(fields.items()))
    syncing.sync(publication, at=now())
    return CrowdAssignment.objects.get()


def test_every_kind_of_question_is_on_a_page_that_needs_no_server(sandbox: Sandbox) -> None:
    rows = [
        CandidateInput(f"c{n}", scenes.instance(n, "A bridge."), f"It is long. It is {n}.", "a")
        for n in range(2)
    ]
    study = opened(study_of(PLAIN, rows))
    page = own_page(study)
    publication = publish(sandbox, study)
    fields: dict[str, str] = {}
    first, second = study.candidates.order_by("position").values_list("pk", flat=True)
    for pk in (first, second):
        fields |= {
            f"rating-{pk}": "4",
            f"answer-{pk}-0": "2",
            f"answer-{pk}-1": "70",
            f"answer-{pk}-2": "warm",
            f"answer-{pk}-3-1": "date",
            f"answer-{pk}-4": "no",
            f"answer-{pk}-5": "It is vague.",
        }
    fields |= {f"answer-{first}-6-0": "0-11", f"answer-{first}-6-0-severity": "major"}
    for name, value in fields.items():
        assert f'name="{name}"' in page
        assert f'value="{value}"' in page or name.endswith(("-1", "-5"))
    crowd = hand_in(sandbox, publication, fields)
    assert crowd.problem == ""
    answers = {one.candidate_id: one.answers for one in Rating.objects.all()}
    expected = {
        "fluency": 2,
        "share": 70,
        "tone": "warm",
        "faults": ["date"],
        "clear": False,
        "why": "It is vague.",
    }
    span = {"start": 0, "end": 11, "severity": "major", "categories": []}
    assert answers == {
        first: expected | {"errors": [span]},
        second: expected | {"errors": []},
    }


def test_pairs_are_on_a_page_that_needs_no_server(sandbox: Sandbox) -> None:
    study = opened(study_of(PAIRS, pair_rows(2)))
    page = own_page(study)
    publication = publish(sandbox, study)
    fields, firsts = {}, set()
    for card in re.findall(r"<article.*?</article>", page, re.DOTALL):
        pk = int(re.search(r'data-candidate="(\d+)"', card)[1])  # type: ignore[index]
        parts = StudyCandidate.objects.get(pk=pk).parts.select_related("candidate")
        texts = {part.position: part.candidate.text for part in parts}
        shown = sorted(texts, key=lambda number: card.index(texts[number]))
        assert shown == shown_order(2, pages.PAGE_SEED, pk)
        assert "First answer" in card and "Second answer" in card
        values = re.findall(rf'name="rating-{pk}"\s+value="(\w+)"', card)
        assert values == ["0", *map(str, shown), "cannot"]
        firsts.add(shown[0])
        fields |= {f"rating-{pk}": str(shown[0]), f"answer-{pk}-0": "yes"}
    assert len(fields) == 12 and firsts == {1, 2}
    assert hand_in(sandbox, publication, fields).problem == ""
    ratings = list(Rating.objects.all())
    assert len(ratings) == 6
    assert all(one.value == one.shown[0] and one.answers == {"sure": True} for one in ratings)


def test_a_batch_of_pairs_has_their_texts_as_they_are_shown() -> None:
    study = opened(study_of(PAIRS, pair_rows(1)))
    stage = study.stages.get(kind="full")
    (row,) = csv.DictReader(io.StringIO("".join(batches.input_file(stage))))
    template = batches.template(stage)
    assert set(re.findall(r"\$\{(\w+)\}", template)) <= set(row)
    for number in (1, 2, 3):
        unit = StudyCandidate.objects.get(pk=int(row[f"key_{number}"]))
        texts = {part.position: part.candidate.text for part in unit.parts.all()}
        values = [int(row[f"{which}_value_{number}"]) for which in ("first", "second")]
        assert [texts[value] for value in values] == [
            row[f"first_{number}"],
            row[f"second_{number}"],
        ]
        assert f'name="rating-${{key_{number}}}"' in template
        assert f'value="${{first_value_{number}}}"' in template
    keys = [row[f"key_{number}"] for number in (1, 2, 3)]
    columns = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.concord_hit"]
    columns += [f"Answer.{name}" for key in keys for name in (f"rating-{key}", f"answer-{key}-0")]
    cells = ["3H", "3A", "AONE", "Submitted", row["concord_hit"]]
    cells += [cell for n in (1, 2, 3) for cell in (row[f"first_value_{n}"], "no")]
    content = ",".join(columns) + "\n" + ",".join(cells) + "\n"
    batches.import_results(stage, content, at=now())
    assert all(one.value == one.shown[0] for one in Rating.objects.all())
    assert Rating.objects.count() == 3


TESTED = replace(
    PLAIN,
    criteria=CRITERIA[:6],
    qualification=Qualification(candidates=2, pass_share=0.7, tolerance=1),
)


def with_test(*answers: dict[str, Any]) -> Study:
    study = study_of(TESTED, scenes.candidates(2))
    items = [
        CandidateInput(f"t{n}", scenes.instance(50 + n), f"test {n}", expected=3, answers=key)
        for n, key in enumerate(answers)
    ]
    add_candidates(study, items, use="qualification")
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
        qualification_tests.start_request(context, "AONE", type_id)
        status = qualification_tests.qualification_status(context, "AONE", type_id)
        qualification_tests.submit_test(context, status, _selections(answers))
    score = scenes.requester(sandbox.url).get_qualification_score(
        QualificationTypeId=type_id, WorkerId="AONE"
    )
    # Right are 4 (within 1 of 3), "no" and 2: three of five.
    assert score["Qualification"]["IntegerValue"] == 60


def _selections(answers: dict[str, str]) -> str:
    return write_answers(answers).replace("FreeText", "SelectionIdentifier")


def test_a_test_that_the_platform_cannot_score_is_refused_before_publishing(
    sandbox: Sandbox,
) -> None:
    study = with_test({"share": 50, "faults": ["name"]}, {"fluency": 2})
    with pytest.raises(StudyError, match=r"“faults” \(choices\), “share” \(slider\)") as error:
        scenes.drafted(study, sandbox.url)
    assert "on this site" in str(error.value)
    assert not Publication.objects.exists()
    assert scenes.drafted(study, "", provider="link").pk


def test_a_platforms_test_of_pairs_shows_both_answers_in_an_order_that_is_drawn() -> None:
    protocol = replace(PAIRS, qualification=Qualification(candidates=24, pass_share=1.0))
    study = study_of(protocol, pair_rows(1))
    pairs = [
        KeyedPairInput(f"t{n}", scenes.instance(50 + n), ("one", "two"), choice=2)
        for n in range(24)
    ]
    add_check_pairs(study, pairs, "qualification")
    test = platform_test(opened(study, "qualification"))
    assert test is not None
    for item in test.items:
        (question,) = item.questions
        assert question.right == ("2",), "stored as in the file"
        place = dict(question.options)["2"].partition(":")[0]
        assert f"{place}. two" in item.candidate, "its label names the place where it is shown"
    assert {item.candidate for item in test.items} == {"1. one\n\n2. two", "1. two\n\n2. one"}


def test_marked_parts_cannot_be_a_batch_and_the_draft_says_what_to_do() -> None:
    study = opened(study_of(PLAIN, scenes.candidates(1)))
    with pytest.raises(StudyError, match="Publish the stage by the API, by a link or on Prolific"):
        scenes.drafted(study, "", provider="files")
    assert not Publication.objects.exists()


@pytest.mark.parametrize(
    ("offer", "message"), [({}, "one template serves sets of all sizes"), ({"offer": HTML}, "sets")]
)
def test_sets_are_on_this_sites_page_only(
    sandbox: Sandbox, offer: dict[str, Any], message: str
) -> None:
    study = opened(study_of(SETS, pair_rows(2)))
    with pytest.raises(StudyError, match=message):
        if offer:
            scenes.drafted(study, sandbox.url, **offer)
        else:
            scenes.drafted(study, "", provider="files")
    assert not Publication.objects.exists()
