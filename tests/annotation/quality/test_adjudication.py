"""Adjudication of pairs and criteria: what is listed, what is set, and what it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.quality.services import adjudication, choices
from annotation.quality.services.adjudication import Measure
from annotation.quality.services.criteria import criteria_gold
from annotation.quality.services.rating_data import gold_stages
from annotation.rating.models import Rating
from annotation.rating.services import handing_out
from annotation.rating.services.handing_out import Answer
from annotation.studies.intake import Item
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.protocols import Criterion, HitRules, RatingRule, ScalePoint, preset
from core.refusals import RefusedError
from tests.annotation import factories

pytestmark = pytest.mark.django_db

CRITERIA = (
    Criterion("share", "How much?", "slider", (ScalePoint(0, "none"), ScalePoint(100, "all"))),
    Criterion("clear", "Is it clear?", "yes-no"),
    Criterion("tone", "Which tone?", "choice", options=("dry", "warm")),
)
PAIRS = replace(
    preset("mt-bench-2023"),
    consent="",
    rating_rules=(RatingRule(4),),
    hit=HitRules(max_candidates=6, same_passage=False),
)


def collect(stage: Stage, rows: list[dict[str, tuple[int, dict[str, Any]]]]) -> None:
    """Let a worker rate for each row: by the key of a candidate, the value and the answers."""
    for number, row in enumerate(rows):
        assignment = handing_out.hand_out(
            factories.worker(stage.study, f"w{number}"), stage, at=now()
        )
        assert assignment is not None
        for pk in factories.members(assignment):
            value, answers = row[StudyCandidate.objects.get(pk=pk).key]
            handing_out.save_rating(assignment, pk, Answer(value, answers=answers), at=now())
        handing_out.submit(assignment, at=now())


@pytest.fixture
def criteria_study() -> Study:
    protocol = factories.plain(criteria=CRITERIA, rating_rules=(RatingRule(3),))
    stage = factories.open_stage(factories.make_study(protocol, factories.candidates(1, 2)))
    rows = [
        {
            "c0-0": (3, {"share": share, "clear": clear, "tone": tone}),
            "c0-1": (3, {"share": 50, "clear": True, "tone": "dry"}),
        }
        for share, clear, tone in ((10, True, "dry"), (40, True, "warm"), (90, False, "dry"))
    ]
    collect(stage, rows)
    return stage.study


@pytest.fixture
def pair_study() -> Study:
    rows = [
        Item.single(f"q{n}-{name}", factories.instance(n), f"{name} {n}", name)
        for n in range(2)
        for name in "abc"
    ]
    stage = factories.open_stage(factories.make_study(PAIRS, rows))
    first, *others = stage.study.candidates.filter(use="rated").values_list("key", flat=True)
    votes = [
        {first: (value, {}), **{key: (1 + (number + at) % 2, {}) for at, key in enumerate(others)}}
        for number, value in enumerate((1, 2, 2, 0))
    ]
    collect(stage, votes)
    return stage.study


def listed(study: Study, name: str, by: Measure | None = None) -> list[adjudication.Spread]:
    question = adjudication.question_of(study.current.protocol, name)
    data = adjudication.kept_values(study, question)
    return adjudication.disagreements(study, question, data, by)


def test_each_question_has_its_own_measure(criteria_study: Study) -> None:
    assert listed(criteria_study, "") == []  # all rated 3
    (share,) = listed(criteria_study, "share")
    assert share.range == 80 and share.sd == pytest.approx(33.0, abs=0.1)
    (clear,) = listed(criteria_study, "clear")
    assert clear.minority == pytest.approx(1 / 3)
    names = [one.name for one in adjudication.questions_of(criteria_study.current.protocol)]
    assert names == ["", "share", "clear"]  # options have no gold score
    with pytest.raises(RefusedError, match="cannot be adjudicated"):
        listed(criteria_study, "tone")


def test_a_value_of_a_criterion_replaces_its_gold_score_only(
    criteria_study: Study,
) -> None:
    candidate = criteria_study.candidates.get(key="c0-0")
    by = criteria_study.owner
    for value, name, message in ((101, "share", "from 0 to 100"), (0.5, "clear", "one of the")):
        with pytest.raises(RefusedError, match=message):
            adjudication.adjudicate(candidate, value, "", name, by=by, at=now())
    adjudication.adjudicate(candidate, 77.0, "seen", "share", by=by, at=now())
    adjudication.adjudicate(candidate, 0.0, "", "clear", by=by, at=now())
    gold = criteria_gold(criteria_study, "mean", gold_stages(criteria_study))
    scores = {one.name: one.score for one in gold[candidate.pk]}
    assert scores == {"share": 77, "clear": 0, "tone": None}
    assert listed(criteria_study, "share") == []
    adjudication.remove_adjudication(candidate, "share")
    (row,) = listed(criteria_study, "share")
    assert row.candidate == candidate.pk
    assert listed(criteria_study, "clear") == []


def test_an_adjudicated_pair_counts_once_and_agreement_has_the_raters_choices(
    pair_study: Study,
) -> None:
    first = pair_study.candidates.filter(use="rated").first()
    assert first is not None
    rows = {row.candidate: row.minority for row in listed(pair_study, "")}
    assert rows[first.pk] == pytest.approx(0.5) and len(rows) == 6
    before = choices.ranking(pair_study)
    adjudication.adjudicate(first, 1, "", by=pair_study.owner, at=now())
    after = choices.ranking(pair_study)
    assert before is not None and after is not None
    wins = [{row.system: (row.wins, row.ties) for row in one.systems} for one in (before, after)]
    # The pair was a against b: one choice for a, two for b, a tie; now one choice for a.
    assert wins[1]["a"] == (wins[0]["a"][0], wins[0]["a"][1] - 1)
    assert wins[1]["b"] == (wins[0]["b"][0] - 2, wins[0]["b"][1] - 1)
    assert after.alpha == before.alpha and after.choices == before.choices
    assert len(listed(pair_study, "")) == 5


def test_a_pair_that_nobody_could_judge_is_not_adjudicated(pair_study: Study) -> None:
    first = pair_study.candidates.filter(use="rated").first()
    assert first is not None
    Rating.objects.filter(candidate=first).update(value=None)
    with pytest.raises(RefusedError, match="nothing to decide"):
        adjudication.adjudicate(first, 1, "", by=pair_study.owner, at=now())


def test_the_page_adjudicates_criteria(criteria_study: Study) -> None:
    client = Client()
    client.force_login(criteria_study.owner)
    address = reverse("study-adjudication", args=[criteria_study.slug])
    page = client.get(address, {"criterion": "clear"}).content.decode()
    assert "33% differ from the most" in " ".join(page.split()) and "Is it clear?" in page
    assert client.get(address, {"criterion": "tone"}).status_code == 404
    candidate = criteria_study.candidates.get(key="c0-0")
    settle = reverse("study-settle", args=[criteria_study.slug, candidate.pk])
    assert client.post(settle, {"criterion": "clear", "value": "2"}).status_code == 422
    answer = client.post(settle, {"criterion": "clear", "value": "1"})
    assert answer["Location"] == f"{address}?criterion=clear"
