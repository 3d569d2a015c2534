"""The platform's own pages: every kind of question, pairs and sets on pages that need no server,
batch files of pairs and sets, tests with keys, and what is refused before anything is published."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Payment, Publication
from annotation.crowds.providers.mturk.answers import write_answers
from annotation.crowds.providers.mturk.questions import answer_key, question_form
from annotation.crowds.services import batches, pages, reviewing, syncing
from annotation.crowds.services.platform_tests import test_of as platform_test
from annotation.crowds.services.reviewing import ApprovalRule
from annotation.quality.services.choices import ranking
from annotation.rating.models import Rating
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services import opening
from annotation.studies.errors import StudyError
from annotation.studies.intake import CandidateInput, KeyedPairInput, KeyedSetInput
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services.candidates import add_candidates, add_check_pairs, add_check_sets
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
SETS = replace(
    preset("best-worst-2017"),
    consent="",
    rating_rules=(RatingRule(1),),
    hit=HitRules(max_candidates=2, same_passage=False),
    pay=Pay(cents_per_full_hit=30),
)


def study_of(protocol: Protocol, rows: list[CandidateInput], slug: str = "own") -> Study:
    study = create_study(
        slug,
        "Own",
        protocol,
        source=StudySource("blank"),
        owner=scenes.researcher(),
        seed=3,
        at=now(),
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
    # So many pairs that not all of them are shown in the same order.
    protocol = replace(PAIRS, hit=replace(PAIRS.hit, max_candidates=21))
    study = opened(study_of(protocol, pair_rows(7)))
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
        assert values == [*map(str, shown), "0", "cannot"]
        firsts.add(shown[0])
        fields |= {f"rating-{pk}": str(shown[0]), f"answer-{pk}-0": "yes"}
    assert len(fields) == 42 and firsts == {1, 2}
    assert hand_in(sandbox, publication, fields).problem == ""
    ratings = list(Rating.objects.all())
    assert len(ratings) == 21
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


def set_rows() -> list[CandidateInput]:
    """Four answers to one question and three to another."""
    return [
        CandidateInput(f"q{n}-{name}", scenes.instance(n), f"{name} says {n}", name)
        for n, names in enumerate(("abcd", "abc"))
        for name in names
    ]


def set_cards(page: str) -> dict[int, list[int]]:
    """By set on a page, the numbers of its answers as shown, with what each question offers."""
    shown = {}
    for card in re.findall(r"<article.*?</article>", page, re.DOTALL):
        pk = int(re.search(r'data-candidate="(\d+)"', card)[1])  # type: ignore[index]
        parts = StudyCandidate.objects.get(pk=pk).parts.select_related("candidate")
        texts = {part.position: part.candidate.text for part in parts}
        shown[pk] = sorted(texts, key=lambda number: card.index(texts[number]))
        names = re.findall(r'<dt>\s*<span dir="auto">(.*?)</span>\s*</dt>', card)
        assert names == [point.label for point in SETS.scale[: len(texts)]]
        best = re.findall(rf'name="rating-{pk}"\s+value="(\w+)"', card)
        assert best == [*map(str, shown[pk]), "cannot"]
        assert re.findall(rf'name="answer-{pk}-0"\s+value="(\w+)"', card) == best[:-1]
    return shown


def test_sets_are_published_rated_paid_and_counted_on_the_platforms_own_page(
    sandbox: Sandbox,
) -> None:
    study = opened(study_of(SETS, set_rows()))
    shown = set_cards(own_page(study))
    assert sorted(map(len, shown.values())) == [3, 4]
    assert all(order == shown_order(len(order), pages.PAGE_SEED, pk) for pk, order in shown.items())
    publication = publish(sandbox, study)
    # The best is the answer of the first system, and the worst that of the last.
    fields = {}
    for pk, order in shown.items():
        fields |= {f"rating-{pk}": "1", f"answer-{pk}-0": str(len(order))}
    assert hand_in(sandbox, publication, fields).problem == ""
    stored = {one.candidate_id: one for one in Rating.objects.all()}
    assert {pk: one.shown for pk, one in stored.items()} == shown
    assert all((r.value, r.answers["worst"]) == (1, len(r.shown)) for r in stored.values())
    assert reviewing.approve_by_rule(publication, ApprovalRule(), by=study.owner, at=now()) == 1
    scenes.send(publication)
    assert Payment.objects.get().cents == 30
    assert study.stages.get(kind="full").hits.get().open_slots == 0
    ranked = ranking(study)
    assert ranked is not None and ranked.best_worst is not None
    scores = {system: one.score.value for system, one in ranked.best_worst.systems.items()}
    assert scores == {"a": 1.0, "b": 0.0, "c": -0.5, "d": -1.0}


def test_a_submission_with_one_answer_as_best_and_worst_is_left_to_a_person(
    sandbox: Sandbox,
) -> None:
    study = opened(study_of(SETS, set_rows()))
    first, second = set_cards(own_page(study))
    fields = {f"rating-{pk}": "1" for pk in (first, second)}
    fields |= {f"answer-{first}-0": "1", f"answer-{second}-0": "2"}
    crowd = hand_in(sandbox, publish(sandbox, study), fields)
    assert "Choose another answer than the best one." in crowd.problem
    assert [one.candidate_id for one in Rating.objects.all()] == [second]
    assert reviewing.approve_by_rule(crowd.publication, ApprovalRule(), by=None, at=now()) == 0


def test_a_batch_of_sets_has_columns_for_the_largest() -> None:
    study = opened(study_of(SETS, set_rows()))
    stage = study.stages.get(kind="full")
    (row,) = csv.DictReader(io.StringIO("".join(batches.input_file(stage))))
    template = batches.template(stage)
    assert set(re.findall(r"\$\{(\w+)\}", template)) <= set(row)
    sizes = []
    for number in (1, 2):
        unit = StudyCandidate.objects.get(pk=int(row[f"key_{number}"]))
        texts = {str(part.position): part.candidate.text for part in unit.parts.all()}
        values = [row[f"answer{place}_value_{number}"] for place in (1, 2, 3, 4)]
        answers = [row[f"answer{place}_{number}"] for place in (1, 2, 3, 4)]
        assert answers == [texts.get(value, "") for value in values]
        assert values == [*map(str, shown_order(len(texts), 0, unit.pk)), ""][:4]
        for field in (f"rating-${{key_{number}}}", f"answer-${{key_{number}}}-0"):
            offered = re.findall(rf'name="{re.escape(field)}"\s+value="([^"]*)"', template)
            expected = [f"${{answer{place}_value_{number}}}" for place in (1, 2, 3, 4)]
            assert offered == expected + ["cannot"] * field.startswith("rating")
        sizes.append(len(texts))
    assert sorted(sizes) == [3, 4]
    keys = [row[f"key_{number}"] for number in (1, 2)]
    columns = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.concord_hit"]
    columns += [f"Answer.{name}" for key in keys for name in (f"rating-{key}", f"answer-{key}-0")]
    cells = ["3H", "3A", "AONE", "Submitted", row["concord_hit"], *"1321"]
    batches.import_results(stage, ",".join(columns) + "\n" + ",".join(cells) + "\n", at=now())
    stored = {str(one.candidate_id): one for one in Rating.objects.all()}
    assert [(stored[key].value, stored[key].answers) for key in keys] == [
        (1, {"worst": 3}),
        (2, {"worst": 1}),
    ]


def test_a_platforms_test_of_sets_scores_the_best_and_the_worst(sandbox: Sandbox) -> None:
    protocol = replace(SETS, qualification=Qualification(candidates=1, pass_share=0.5))
    study = study_of(protocol, set_rows())
    item = KeyedSetInput("t", scenes.instance(50), ("one", "two", "three"), ("s", "t", "u"), 3, 1)
    add_check_sets(study, [item], "qualification")
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
        qualification_tests.start_request(context, "AONE", type_id)
        status = qualification_tests.qualification_status(context, "AONE", type_id)
        answers = {best.key: "3", worst.key: "2"}
        qualification_tests.submit_test(context, status, _selections(answers))
    score = scenes.requester(sandbox.url).get_qualification_score(
        QualificationTypeId=type_id, WorkerId="AONE"
    )
    assert score["Qualification"]["IntegerValue"] == 50
