"""Drawn candidates without a usable rating: they are requested again, or wait for a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now
from pytest_django import DjangoAssertNumQueries

from annotation.quality.services import adjudication, ledgers
from annotation.rating.models import Participation
from annotation.rating.services import handing_out
from annotation.stages import tasks
from annotation.stages.models import StageSampling
from annotation.stages.services import (
    completing,
    continuing,
)
from annotation.studies.models import Study
from concord.filtering import MinimumSeconds, ZScoreFilter
from concord.protocols import RatingRule
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.stages.sampled import in_waves, rate_everything, sampled_study


def test_a_draw_that_a_rater_cannot_judge_is_requested_again(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    stage = people.open_stage(study)
    first = min(in_waves(study))
    people.join(study, "bob")
    rate_everything(study, {**worth, first: None})
    hits, design = stage.hits.count(), StageSampling.objects.get(stage=stage)
    assert [one.key for one in continuing.unjudged(design)] == [first]
    assert continuing.continue_sampling(stage, at=now())
    assert stage.hits.count() == hits + 1 and StageSampling.objects.get().looks == []
    assert not continuing.continue_sampling(stage, at=now()), "it is requested once"
    rate_everything(study, worth, "bob")
    assert not continuing.unjudged(design).exists()
    assert continuing.continue_sampling(stage, at=now())
    assert StageSampling.objects.get().looks[0]["waves"] == 1


def test_a_draw_that_nobody_can_judge_waits_for_a_person(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    people.open_stage(study)
    first = min(in_waves(study))
    for name in ("ann", "bob", "carl"):
        assert StageSampling.objects.get().problem == ""
        rate_everything(study, {**worth, first: None}, name)
        tasks.continue_sampling()
    design = StageSampling.objects.get()
    assert "could not judge 1 of the drawn candidates" in design.problem
    assert design.looks == [] and [one.key for one in continuing.unjudged(design)] == [first]
    with pytest.raises(RefusedError, match="Set a value for each"):
        continuing.continue_now(design, at=now())
    problems = AuditEvent.objects.of_study(study).filter(action="sampling.problem")
    tasks.continue_sampling()
    assert problems.count() == 1, "a problem is recorded once"
    candidate = study.candidates.get(key=first)
    adjudication.adjudicate(candidate, 3.0, "", by=rosa, at=now())
    tasks.continue_sampling()
    design.refresh_from_db()
    assert (design.problem, design.problem_at) == ("", None)
    assert design.looks[0]["waves"] == 1


def test_ratings_that_the_ledger_removed_are_not_requested_again(rosa: User) -> None:
    study, worth = sampled_study(rosa, rating_rules=(RatingRule(2),))
    stage = people.open_stage(study)
    first = min(in_waves(study))
    for name, value in (("ann", 1), ("bob", 5)):
        rate_everything(study, {**worth, first: value}, name)
    ledgers.add_step(study, ZScoreFilter(0.5), by=rosa, at=now())
    hits = stage.hits.count()
    tasks.continue_sampling()
    problem = StageSampling.objects.get().problem
    assert "filters of the ledger removed all ratings of 1 drawn candidates" in problem
    assert stage.hits.count() == hits


def test_ratings_that_a_filter_removes_are_requested_three_times(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    stage = people.open_stage(study)
    ledgers.add_step(study, MinimumSeconds(10.0), by=rosa, at=now())
    n_drawn = len(in_waves(study))
    for name in ("ann", "bob", "carl"):
        assert StageSampling.objects.get().problem == ""
        rate_everything(study, worth, name)
        tasks.continue_sampling()
    problem = StageSampling.objects.get().problem
    assert f"filters of the ledger removed all ratings of {n_drawn} drawn" in problem
    assert "could not judge" not in problem
    assert not stage.hits.filter(open_slots__gt=0).exists()


def cannot_be_judged(rosa: User, *names: str) -> tuple[Study, dict[str, int], str]:
    """(study, worth, candidate of the first wave that none of these raters could judge), with
    the sampling as it is after each of them."""
    study, worth = sampled_study(rosa)
    people.open_stage(study)
    first = min(in_waves(study))
    for name in names:
        people.join(study, name)
    for name in names:
        rate_everything(study, {**worth, first: None}, name)
        tasks.continue_sampling()
    return study, worth, first


def test_two_raters_who_cannot_judge_a_draw_do_not_block_it_silently(rosa: User) -> None:
    study, _, first = cannot_be_judged(rosa, "ann", "bob")
    stage = study.stages.get(kind="full")
    assert StageSampling.objects.get().problem == ""
    assert stage.hits.filter(open_slots__gt=0).count() == 1, "it is requested once more"
    tasks.continue_sampling()
    assert "No rater is left for 1 of the drawn" in StageSampling.objects.get().problem
    adjudication.adjudicate(study.candidates.get(key=first), 3.0, "", by=rosa, at=now())
    tasks.continue_sampling()
    design = StageSampling.objects.get()
    assert (design.problem, design.looks[0]["waves"]) == ("", 1)
    wave_2 = study.candidates.filter(draw__drawn=2)
    open_hits = stage.hits.filter(open_slots__gt=0)
    assert open_hits.exists() and not open_hits.exclude(candidates__in=wave_2).exists()


@pytest.mark.parametrize("change", [{"excluded_at": now()}, {"withdrawn_at": now()}])
def test_another_rater_goes_on_if_admitted(rosa: User, change: dict[str, object]) -> None:
    study, worth, _ = cannot_be_judged(rosa, "ann", "bob")
    carl = people.join(study, "carl")
    tasks.continue_sampling()
    assert StageSampling.objects.get().problem == "", "carl can rate it"
    Participation.objects.filter(pk=carl.pk).update(**change)
    tasks.continue_sampling()
    assert "No rater is left" in StageSampling.objects.get().problem
    rate_everything(study, worth, "dora")
    tasks.continue_sampling()
    design = StageSampling.objects.get()
    assert design.problem == "" and len(design.looks) == 1


def test_requests_that_a_removed_filter_made_needless_are_closed(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    stage = people.open_stage(study)
    step = ledgers.add_step(study, MinimumSeconds(10.0), by=rosa, at=now())
    rate_everything(study, worth)
    tasks.continue_sampling()
    requested = set(stage.hits.filter(open_slots__gt=0).values_list("pk", flat=True))
    assert requested
    ledgers.undo_step(step, at=now())
    tasks.continue_sampling()
    assert len(StageSampling.objects.get().looks) == 1
    assert not stage.hits.filter(pk__in=requested, open_slots__gt=0).exists()


def test_one_of_two_repeated_ratings_is_enough_where_no_rater_is_left(rosa: User) -> None:
    study, worth = sampled_study(rosa, rating_rules=(RatingRule(2),))
    people.open_stage(study)
    first = min(in_waves(study))
    for name in ("ann", "bob", "carl"):
        people.join(study, name)
    for name in ("ann", "bob"):
        rate_everything(study, {**worth, first: None}, name)
    tasks.continue_sampling()
    rate_everything(study, worth, "carl")
    tasks.continue_sampling()
    design = StageSampling.objects.get()
    assert design.problem == "" and len(design.looks) == 1


def test_a_rater_who_is_at_a_repeated_task_is_waited_for(rosa: User) -> None:
    study, worth = sampled_study(rosa, rating_rules=(RatingRule(2),))
    stage = people.open_stage(study)
    first = min(in_waves(study))
    for name in ("ann", "bob"):
        rate_everything(study, {**worth, first: None}, name)
    carl = people.join(study, "carl").worker
    tasks.continue_sampling()
    assert handing_out.hand_out(carl, stage, at=now()) is not None
    assert stage.hits.filter(open_slots=1).count() == 1, "the second rating that is requested"
    tasks.continue_sampling()
    assert StageSampling.objects.get().problem == ""
    assert stage.hits.filter(open_slots=1).count() == 1


def test_places_of_raters_who_have_not_come_yet_stay_open(rosa: User) -> None:
    study, worth = sampled_study(rosa, rating_rules=(RatingRule(2),))
    stage = people.open_stage(study)
    rate_everything(study, {**worth, min(in_waves(study)): None})
    places = stage.hits.filter(open_slots__gt=0).count()
    tasks.continue_sampling()
    assert StageSampling.objects.get().problem == ""
    assert stage.hits.filter(open_slots=1).count() == places == stage.hits.count()


def test_a_task_that_expired_is_open_again(rosa: User) -> None:
    study, _, first = cannot_be_judged(rosa, "ann")
    stage, later = study.stages.get(kind="full"), now() + timedelta(days=1)
    bob = people.join(study, "bob").worker
    assert handing_out.hand_out(bob, stage, at=now()) is not None
    adjudication.adjudicate(study.candidates.get(key=first), 3.0, "", by=rosa, at=now())
    assert not continuing.continue_sampling(stage, at=now()), "bob may still submit it"
    assert continuing.continue_sampling(stage, at=later)
    assert len(StageSampling.objects.get().looks) == 1


def test_open_hits_and_hits_in_progress_are_read_at_one_time(
    rosa: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    study, _ = sampled_study(rosa)
    stage = people.open_stage(study)
    handing_out.hand_out(people.join(study, "ann").worker, stage, at=now())
    stage.hits.update(open_slots=0)
    with django_assert_num_queries(1):
        assert not completing.is_complete(stage)


def test_a_value_of_another_question_settles_nothing(rosa: User) -> None:
    study, worth = sampled_study(rosa)
    people.open_stage(study)
    first = min(in_waves(study))
    rate_everything(study, {**worth, first: None})
    candidate = study.candidates.get(key=first)
    candidate.adjudications.create(criterion="fluency", value=1.0, made_by=rosa, made_at=now())
    design = StageSampling.objects.get()
    assert [one.key for one in continuing.unjudged(design)] == [first]
