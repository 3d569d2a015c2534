"""Studies with several criteria: saving by page and form, changes, exports, agreement, crowds."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now
from sklearn.metrics import cohen_kappa_score

from annotation.crowds.services.submitted_ratings import form_fields, parse_ratings
from annotation.lifecycle.services.copying import copy_study
from annotation.privacy.services import erasing
from annotation.quality.services import criteria
from annotation.quality.services.agreement_reports import RatingsFigures
from annotation.quality.services.criteria import criteria_agreement
from annotation.quality.services.ledgers import add_step, exclude_worker
from annotation.quality.services.rating_files import csv_lines, json_lines, rating_rows
from annotation.rating.models import Assignment, Rating, RatingChange
from annotation.rating.services import handing_out
from annotation.rating.services.handing_out import Answer
from annotation.rating.services.tokens import token_for
from annotation.studies.models import Stage
from benchmarks.freezing.services.preparing import prepare
from concord.filtering import ZScoreFilter
from concord.protocols import Condition, Criterion, RatingRule, ScalePoint
from concord.reliability import Ratings, alpha
from core.refusals import RefusedError
from tests.annotation import factories

pytestmark = pytest.mark.django_db

CRITERIA = (
    Criterion("fluency", "How fluent?", points=(ScalePoint(1, "bad"), ScalePoint(2, "good"))),
    Criterion(
        "share",
        "How much is right?",
        "slider",
        (ScalePoint(0, "nothing"), ScalePoint(100, "all")),
        required=False,
    ),
    Criterion("tone", "Which tone?", "choice", options=("dry", "warm", "a <b> & “c”")),
    Criterion(
        "errors",
        "What is wrong?",
        "choices",
        options=("name", "number"),
        condition=Condition("3", relation="below"),
    ),
    Criterion("clear", "Is it clear?", "yes-no"),
    Criterion("why", "Why not?", "text", condition=Condition("no", "clear")),
)
ANSWERS: dict[str, Any] = {
    "fluency": 2,
    "share": 40,
    "tone": "a <b> & “c”",
    "errors": ["number"],
    "clear": False,
    "why": "I do not know\nthe place.",
}
PROTOCOL = factories.plain(criteria=CRITERIA)


@pytest.fixture
def stage() -> Stage:
    return factories.open_study(PROTOCOL)


@pytest.fixture
def assignment(stage: Stage) -> Assignment:
    assignment = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    assert assignment is not None
    return assignment


def path_of(assignment: Assignment, name: str) -> str:
    participation = assignment.worker.participations.get()
    return reverse(name, args=[token_for(participation), assignment.pk])


def form_of(pk: int, value: str = "2") -> dict[str, str]:
    return {
        f"value-{pk}": value,
        f"answer-{pk}-0": "2",
        f"answer-{pk}-1": "40",
        f"answer-{pk}-2": "a <b> & “c”",
        f"answer-{pk}-3-1": "number",
        f"answer-{pk}-4": "no",
        f"answer-{pk}-5": "I do not know\r\nthe place.",
    }


def test_answers_are_saved_changed_and_kept_as_changes(assignment: Assignment) -> None:
    pk = factories.members(assignment)[0]
    for answers, value in ((ANSWERS, 2), (ANSWERS | {"fluency": 1}, 2), (ANSWERS, 2)):
        rating = Answer(value, answers=answers)
        handing_out.save_rating(assignment, pk, rating, at=now())
    assert Rating.objects.get().answers == ANSWERS
    assert list(RatingChange.objects.values_list("answers__fluency", flat=True)) == [2, 1]
    handing_out.save_rating(assignment, pk, Answer(2, answers=ANSWERS), at=now())
    assert RatingChange.objects.count() == 2, "the same answers are no change"


@pytest.mark.parametrize(
    ("value", "answers", "problem"),
    [
        (2, {}, "How fluent? Answer this question."),
        (2, ANSWERS | {"fluency": 3}, "How fluent? Choose a value from 1 to 2."),
        (2, ANSWERS | {"tone": "cold"}, "Which tone? Choose one of the values."),
        (4, ANSWERS, "What is wrong? This question does not follow"),
        (2, ANSWERS | {"why": "x" * 5_001}, "at most 5,000 characters"),
        (2, ANSWERS | {"mood": 1}, "does not ask “mood”"),
    ],
)
def test_invalid_answers_are_refused_in_words(
    assignment: Assignment, value: int, answers: dict[str, Any], problem: str
) -> None:
    pk = factories.members(assignment)[0]
    with pytest.raises(RefusedError) as error:
        handing_out.save_rating(assignment, pk, Answer(value, answers=answers), at=now())
    assert problem in str(error.value)
    assert not Rating.objects.exists()


def test_the_page_saves_answers_as_they_are_made(assignment: Assignment, client: Client) -> None:
    first, second = factories.members(assignment)[:2]
    path = path_of(assignment, "rating-ratings")
    ratings = [
        {"candidate": first, "value": 2, "answers": ANSWERS},
        {"candidate": second, "value": 2, "answers": {"fluency": 1}},
    ]
    response = client.post(path, json.dumps({"ratings": ratings}), content_type="application/json")
    assert response.status_code == 422
    state = response.json()
    assert state["ratings"][str(first)]["answers"] == ANSWERS
    assert "Which tone?" in state["refused"][str(second)]
    bad = {"ratings": [{"candidate": first, "value": 2, "answers": [1]}]}
    response = client.post(path, json.dumps(bad), content_type="application/json")
    assert response.status_code == 400
    assert Rating.objects.get().answers == ANSWERS


def test_the_form_without_script_saves_the_same(assignment: Assignment, client: Client) -> None:
    keys = factories.members(assignment)
    path = path_of(assignment, "rating-assignment")
    values = {name: text for pk in keys for name, text in form_of(pk).items()}
    del values[f"answer-{keys[1]}-2"]
    values[f"value-{keys[2]}"] = "4"  # then nobody asks what is wrong
    page = client.post(path, values | {"action": "submit"})
    assert page.status_code == 422
    text = page.content.decode()
    assert "Which tone? Answer this question." in text
    assert "I do not know\nthe place." in text, "what was entered is still there"
    assert "Only if your answer to “How right is the answer?” is below 3." in text
    assert Rating.objects.get(candidate=keys[0]).answers == ANSWERS
    assert "errors" not in Rating.objects.get(candidate=keys[2]).answers
    client.post(path, values | form_of(keys[1]) | {"action": "submit"})
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.SUBMITTED
    assert Rating.objects.count() == 3


def test_cannot_judge_needs_no_answers(assignment: Assignment) -> None:
    pk = factories.members(assignment)[0]
    handing_out.save_rating(assignment, pk, Answer(None, "no passage"), at=now())
    assert (Rating.objects.get().value, Rating.objects.get().answers) == (None, {})


def rate(stage: Stage, name: str, fluency: list[int], clear: bool = True) -> Assignment:
    assignment = handing_out.hand_out(factories.worker(stage.study, name), stage, at=now())
    assert assignment is not None
    for pk, value in zip(sorted(factories.members(assignment)), fluency, strict=True):
        answers = {"fluency": value, "tone": "dry", "clear": clear}
        if not clear:
            answers["why"] = f"My name is {name}."
        handing_out.save_rating(assignment, pk, Answer(4, answers=answers), at=now())
    return handing_out.submit(assignment, at=now())


def rated() -> Stage:
    stage = factories.open_study(replace(PROTOCOL, rating_rules=(RatingRule(3),)), passages=1)
    rate(stage, "ann", [1, 2, 1])
    rate(stage, "bob", [1, 2, 2], clear=False)
    rate(stage, "cy", [2, 1, 2])
    return stage


def test_agreement_is_per_criterion_at_its_level_before_and_after_the_ledger() -> None:
    study = rated().study
    rows = {row.name: row for row in criteria_agreement(study)}
    assert {name: row.level for name, row in rows.items()} == {
        "fluency": "ordinal",
        "share": "interval",
        "tone": "nominal",
        "clear": "nominal",
    }
    values = {"ann": (1, 2, 1), "bob": (1, 2, 2), "cy": (2, 1, 2)}

    def expected(*names: str) -> float | None:
        cells = [(at, name, v) for name in names for at, v in enumerate(values[name])]
        return alpha(Ratings.from_rows(cells), "ordinal").value

    assert rows["fluency"].alpha["alpha"] == pytest.approx(expected("ann", "bob", "cy"))
    assert rows["fluency"].after["alpha"] == rows["fluency"].alpha["alpha"]
    assert rows["share"].ratings == 0 and rows["share"].alpha["alpha"] is None
    assert rows["tone"].beside.ac2 is None
    worker = study.participations.get(worker__name=study.workers.order_by("pk")[2].name)
    exclude_worker(worker, "guesses", by=factories.owner(), at=now())
    row = next(row for row in criteria_agreement(study) if row.name == "fluency")
    assert row.after["alpha"] == pytest.approx(expected("ann", "bob"))
    assert row.alpha["alpha"] == pytest.approx(expected("ann", "bob", "cy"))
    assert (row.ratings, row.kept) == (9, 6)


def test_other_stages_give_other_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    study = rated().study
    assert criteria_agreement(study)[0].ratings
    monkeypatch.setattr(criteria, "gold_stages", lambda _: ["trial"])
    assert not criteria_agreement(study)[0].ratings


def test_icc_and_kappa_of_each_criterion(client: Client) -> None:
    study = rated().study
    rows = {row.name: row for row in criteria_agreement(study)}
    values = np.array([[1, 1, 2], [2, 2, 1], [1, 2, 2]])  # candidates by raters
    pairs = [(values[:, i], values[:, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    kappas = [cohen_kappa_score(*pair, weights="quadratic") for pair in pairs]
    assert rows["fluency"].beside.kappa.value == pytest.approx(np.mean(kappas))
    between = 3 * values.mean(axis=1).var(ddof=1)
    within = values.var(axis=1, ddof=1).mean()
    icc = (between - within) / (between + 2 * within)
    assert rows["fluency"].beside.icc.value == pytest.approx(icc)
    assert rows["tone"].beside.icc is None and rows["tone"].beside.kappa.value is None
    # “clear” is no for bob only.
    nominal = [cohen_kappa_score([a] * 3, [b] * 3) for a, b in ((1, 0), (0, 1))]
    assert rows["clear"].beside.kappa.value == pytest.approx(np.mean(nominal)) == 0

    client.force_login(factories.owner())
    answer = client.get(reverse("api-agreement", args=[study.slug])).json()
    assert answer["criteria"][0]["icc"]["value"] == pytest.approx(icc)
    assert answer["criteria"][0]["kappa"]["value"] == pytest.approx(np.mean(kappas))
    page = client.get(reverse("study-quality", args=[study.slug])).content.decode()
    (table,) = re.findall(r'aria-label="Agreement by criterion".*?</table>', page, re.DOTALL)
    assert "ICC(1)" in table and "AC2, ordinal" in table
    assert "Values of 9 ratings: “no” (3), “yes” (6)." in page
    (clear_row,) = [row for row in answer["criteria"] if row["name"] == "clear"]
    assert clear_row["values"][0] == {"value": "no", "ratings": 3}
    assert answer["criteria"][0]["notes"] == rows["fluency"].notes


def test_names_have_kappa_without_weights_and_no_icc_or_ac2() -> None:
    values = {"ann": [0, 1, 2, 2, 1], "bob": [0, 2, 2, 1, 0]}
    rows = [(at, name, v) for name, of in values.items() for at, v in enumerate(of)]
    ratings = Ratings.from_rows(rows)
    nominal = RatingsFigures.of(ratings, "nominal", seed=0)
    assert nominal.beside.icc is None and nominal.beside.ac2 is None
    assert nominal.beside.kappa.value == pytest.approx(cohen_kappa_score(*values.values()))
    ordinal = RatingsFigures.of(ratings, "ordinal", seed=0)
    assert ordinal.beside.icc is not None and ordinal.beside.ac2 is not None
    assert ordinal.beside.ac2.value is not None
    assert ordinal.beside.kappa.value == pytest.approx(
        cohen_kappa_score(*values.values(), weights="quadratic")
    )


def test_a_zscore_filter_looks_at_each_scale_and_skips_names() -> None:
    study = rated().study
    add_step(study, ZScoreFilter(1.2), by=factories.owner(), at=now())
    rows = {row.name: row for row in criteria_agreement(study)}
    assert rows["fluency"].kept < rows["fluency"].ratings
    assert rows["clear"].kept == rows["clear"].ratings == 9


def test_the_quality_page_and_the_api_show_each_criterion(client: Client) -> None:
    study = rated().study
    client.force_login(factories.owner())
    page = client.get(reverse("study-quality", args=[study.slug])).content.decode()
    assert "By criterion" in page and "fluency" in page
    answer = client.get(reverse("api-agreement", args=[study.slug])).json()
    assert [row["name"] for row in answer["criteria"]] == ["fluency", "share", "tone", "clear"]
    assert answer["criteria"][0]["alpha"]["value"] == answer["criteria"][0]["after_ledger"]["value"]
    data = client.get(reverse("study-data", args=[study.slug])).content.decode()
    assert "My name is bob." in data


def test_freezing_judges_scales_and_yes_no_from_what_the_ledger_keeps() -> None:
    study = rated().study
    worker = study.participations.order_by("pk")[2]
    exclude_worker(worker, "guesses", by=factories.owner(), at=now())
    records = prepare(study, "mean").candidates
    by_name = [{one.name: one for one in record.criteria} for record in records]
    assert [set(one) for one in by_name] == [{"fluency", "clear", "tone"}] * 3
    assert {one["tone"].score for one in by_name} == {None}, "words without an order have no mean"
    assert [one["fluency"].score for one in by_name] == [1.0, 2.0, 1.5]
    assert {one["fluency"].scale for one in by_name} == {(1.0, 2.0)}
    assert [(one["clear"].score, one["clear"].scale) for one in by_name] == [(0.5, (0, 1))] * 3
    assert [rating.value for rating in by_name[2]["fluency"].ratings] == [1.0, 2.0]


def test_the_downloads_have_the_answers() -> None:
    study = rated().study
    lines = [json.loads(line) for line in json_lines(rating_rows(study))]
    first = {"fluency": 1, "tone": "dry", "clear": True}
    assert lines[0]["answers"] == first
    rows = list(csv.DictReader(io.StringIO("".join(csv_lines(rating_rows(study))))))
    assert json.loads(rows[0]["answers"]) == first


def test_an_erasure_deletes_free_texts_and_keeps_the_other_answers() -> None:
    study = rated().study
    bob = study.participations.order_by("pk")[1]
    rating = Rating.objects.filter(worker=bob.worker).order_by("pk")[0]
    RatingChange.objects.create(rating=rating, value=1, answers=ANSWERS, at=now())
    erasing.erase(bob, unpaid=True, by=factories.owner(), at=now())
    assert "why" not in RatingChange.objects.get().answers
    assert RatingChange.objects.get().answers["errors"] == ["number"]
    for answers in Rating.objects.filter(worker=bob.worker).values_list("answers", flat=True):
        assert set(answers) == {"fluency", "tone", "clear"}


def test_a_crowd_platform_copies_and_returns_every_answer(assignment: Assignment) -> None:
    for pk in factories.members(assignment):
        rating = Answer(2, "fine", answers=ANSWERS)
        handing_out.save_rating(assignment, pk, rating, at=now())
    fields = form_fields(assignment)
    returned = parse_ratings(PROTOCOL, fields)
    assert {pk: one.answers for pk, one in returned.items()} == dict.fromkeys(
        factories.members(assignment), ANSWERS
    )


def test_a_copy_asks_the_same(stage: Stage) -> None:
    copy = copy_study(stage.study, "other", "Other", owner=factories.owner(), at=now())
    assert copy.current.protocol.criteria == CRITERIA


@pytest.mark.django_db(transaction=True)
def test_simulated_raters_answer_every_criterion() -> None:
    study = factories.open_study(PROTOCOL).study
    call_command("simulate_crowd", "study", workers=3, ability=1.0, stdout=io.StringIO())
    assert Rating.objects.count() == 24
    for rating in Rating.objects.all():
        assert {"fluency", "share", "tone", "clear"} <= set(rating.answers)
        assert ("errors" in rating.answers) == (rating.value is not None and rating.value < 3)
        assert ("why" in rating.answers) == (rating.answers["clear"] is False)
    (tone,) = [row for row in criteria_agreement(study) if row.name == "tone"]
    assert tone.beside.percent.value == 1.0, "able raters choose the true option"
