"""A second look: other raters are asked about some candidates again."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.quality.services.gold import study_gold
from annotation.quality.services.rating_data import (
    collect_first_ratings,
    collect_ratings,
    gold_stages,
)
from annotation.rating.models import Hit, Rating
from annotation.rating.services import participation
from annotation.stages.services import opening
from annotation.stages.services.missing_ratings import candidates_missing_ratings
from annotation.stages.services.second_looks import request_second_look
from annotation.stages.services.stage_figures import stage_cost
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study
from concord.protocols import RatingRule
from core.audit.models import AuditEvent
from tests.annotation import people


@pytest.fixture
def rated(rosa: User) -> Study:
    """Two raters rated all twelve candidates, and the full stage is closed."""
    protocol = people.protocol(rating_rules=(RatingRule(2),))
    study = people.new_study(rosa, protocol, people.candidates(4, each=3))
    full = people.open_stage(study)
    for name in "ab":
        people.rate(full, people.join(study, name))
    opening.close_stage(full, at=now())
    return study


def request(study: Study, keys: list[str], ratings: int = 2) -> Stage:
    return request_second_look(study, keys, ratings, by=study.owner, at=now())


def test_other_raters_are_asked_about_the_chosen_candidates_only(rated: Study) -> None:
    stage = request(rated, ["c0-1", "c2-0"])
    assert (stage.kind, stage.status, stage.number) == ("second-look", "planned", 2)
    assert participation.is_over(rated)
    stage = people.open_stage(rated, "second-look")
    assert not participation.is_over(rated)
    assert people.rate(stage, people.join(rated, "a")) == []  # who rated them before
    for name in "cd":
        people.rate(stage, people.join(rated, name), {"c0-1": 5})
    ratings = Rating.objects.filter(assignment__hit__stage=stage)
    assert sorted(ratings.values_list("candidate__key", "value")) == (
        [("c0-1", 5)] * 2 + [("c2-0", 3)] * 2
    )
    assert people.rate(stage, people.join(rated, "e")) == []  # enough are there
    assert candidates_missing_ratings(stage) == []
    event = AuditEvent.objects.get(action="stage.second look requested")
    assert event.after == {"candidates": 2, "ratings": 2}


def test_its_ratings_are_apart_from_the_gold_score(rated: Study) -> None:
    request(rated, ["c0-1"])
    stage = people.open_stage(rated, "second-look")
    people.rate(stage, people.join(rated, "c"), {"c0-1": 1})
    assert gold_stages(rated) == ["full"]
    candidate = rated.candidates.get(key="c0-1")
    assert study_gold(rated, "mean").of(candidate).score == 3
    assert study_gold(rated, "mean", ["second-look"]).of(candidate).score == 1
    assert len(collect_ratings(rated, ["second-look"])) == 1
    assert len(collect_ratings(rated)) == 25 and len(collect_first_ratings(rated)) == 24


def test_more_candidates_are_added_while_it_is_open(rated: Study) -> None:
    request(rated, ["c0-1"])
    stage = people.open_stage(rated, "second-look")
    request(rated, ["c0-1", "c3-2"], ratings=3)
    assert Hit.objects.filter(stage=stage).count() == 2
    assert dict(stage.second_look.values_list("candidate__key", "ratings")) == {
        "c0-1": 2,
        "c3-2": 3,
    }
    opening.close_stage(stage, at=now())
    with pytest.raises(StudyError, match="was closed"):
        request(rated, ["c1-1"])
    people.open_stage(rated, "second-look")
    request(rated, ["c1-1"])
    assert Hit.objects.filter(stage=stage).count() == 3


def test_a_duplicate_is_rated_as_its_original(rosa: User) -> None:
    rows = people.candidates(2, each=2)
    rows[1] = people.CandidateInput("copy", rows[0].instance, rows[0].text, "other system")
    study = people.new_study(rosa, rows=rows)
    people.open_stage(study)
    stage = request(study, ["copy", "c0-0"])
    assert list(stage.second_look.values_list("candidate__key", flat=True)) == ["c0-0"]


@pytest.mark.parametrize(
    ("keys", "ratings", "message"),
    [
        (["c0-0", "none"], 2, "no candidates to rate with these keys: none"),
        ([], 2, "Choose one candidate"),
        (["c0-0"], 0, "1 to 100 ratings"),
        (["c0-0"], 101, "1 to 100 ratings"),
    ],
)
def test_wrong_requests_change_nothing(
    rated: Study, keys: list[str], ratings: int, message: str
) -> None:
    with pytest.raises(StudyError, match=message):
        request(rated, keys, ratings)
    assert not rated.stages.filter(kind="second-look").exists()


def test_it_comes_after_the_full_stage(rosa: User) -> None:
    study = people.new_study(rosa, rows=people.candidates(2))
    with pytest.raises(StudyError, match="never opened"):
        request(study, ["c0-0"])
    study.archived_at = now()
    study.save()
    with pytest.raises(StudyError, match="archived"):
        request(study, ["c0-0"])


def test_it_and_the_full_stage_are_not_open_at_once(rated: Study) -> None:
    full, stage = people.open_stage(rated), request(rated, ["c0-1"])
    with pytest.raises(StudyError, match="Close the full stage first"):
        people.open_stage(rated, "second-look")
    opening.close_stage(full, at=now())
    people.open_stage(rated, "second-look")
    with pytest.raises(StudyError, match="Close the second-look stage first"):
        people.open_stage(rated)
    opening.close_stage(stage, at=now())
    people.open_stage(rated)


def test_its_cost_follows_the_requests(rated: Study) -> None:
    stage = request(rated, ["c0-1"])
    assert stage_cost(stage).ratings == 2
    request(rated, ["c1-0", "c3-2"])
    assert stage_cost(stage).ratings == 6
