"""Handing out, saving, submitting: one request after another. What runs at once: test_parallel."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation, Rating, RatingChange
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import RatingInput, RatingRefusedError
from annotation.setup.services.making import change_protocol
from annotation.stages.services import opening
from annotation.studies.intake import PairInput
from annotation.studies.models import StudyCandidate
from annotation.studies.services.candidates import add_candidates, add_pairs
from concord.protocols import QualityRules, RatingRule
from tests.annotation.services import scenes
from tests.annotation.services.invariants import assert_complete, assert_invariants

pytestmark = pytest.mark.django_db
Status = Assignment.Status


def hand_out(worker, stage):
    return handing_out.hand_out(worker, stage, at=now())


def test_a_worker_gets_a_hit_and_the_same_one_until_it_is_submitted():
    stage = scenes.open_study()
    worker = scenes.worker(stage.study, "ann")
    first = hand_out(worker, stage)
    assert hand_out(worker, stage) == first, "a second tab shows the same task"
    assert first.lease_until - first.started_at == timedelta(minutes=60)
    assert first.pay_cents == 30
    assert_invariants(stage.study)
    scenes.submitted(first)
    assert hand_out(worker, stage).hit_id != first.hit_id
    assert_invariants(stage.study)


def test_workers_rate_everything_as_often_as_asked_and_then_there_is_none_left():
    stage = scenes.open_study(passages=4, each=3)
    for worker in scenes.workers(stage.study, 3):
        while assignment := hand_out(worker, stage):
            scenes.submitted(assignment)
    assert_complete(stage.study)
    assert Rating.objects.count() == 4 * 3 * 2
    assert hand_out(scenes.worker(stage.study, "late"), stage) is None


def test_hits_that_lack_most_ratings_are_handed_out_first():
    stage = scenes.open_study(passages=3, each=1)
    a, b = scenes.workers(stage.study, 2)
    one = scenes.submitted(hand_out(a, stage))
    assert hand_out(b, stage).hit_id != one.hit_id


def test_nothing_for_who_did_not_join_or_while_the_stage_is_not_open():
    stage = scenes.open_study()
    elsewhere = scenes.worker(scenes.make_study(slug="other"), "ann")
    assert hand_out(elsewhere, stage) is None
    worker = scenes.worker(stage.study, "ben")
    held = hand_out(worker, stage)
    opening.close_stage(stage, at=now())
    stage.refresh_from_db()
    assert hand_out(worker, stage) is None
    assert scenes.submitted(held).status == Status.SUBMITTED, "what is held may be submitted"
    assert_invariants(stage.study)


def test_a_lapsed_hold_gives_its_hit_back_to_others():
    stage = scenes.open_study(scenes.plain(rating_rules=(RatingRule(1),)), passages=1)
    ann, ben = scenes.workers(stage.study, 2)
    lapsed = hand_out(ann, stage)
    assert hand_out(ben, stage) is None
    scenes.let_lapse(lapsed)
    assert handing_out.release_expired(stage, at=now()) == 1
    assert handing_out.release_expired(stage, at=now()) == 0
    assert_invariants(stage.study)
    assert hand_out(ben, stage).hit_id == lapsed.hit_id
    assert_invariants(stage.study)


def test_a_late_submission_counts_where_it_is_still_wanted():
    stage = scenes.open_study(passages=1)
    ann = scenes.worker(stage.study, "ann")
    late = hand_out(ann, stage)
    scenes.let_lapse(late)
    handing_out.release_expired(stage, at=now())
    assert scenes.submitted(late).status == Status.SUBMITTED
    assert_invariants(stage.study)


def test_a_late_submission_that_is_not_wanted_any_more_is_surplus_kept_and_paid():
    stage = scenes.open_study(scenes.plain(rating_rules=(RatingRule(1),)), passages=1)
    ann, ben = scenes.workers(stage.study, 2)
    late = hand_out(ann, stage)
    scenes.let_lapse(late)
    scenes.submitted(hand_out(ben, stage))
    assert scenes.submitted(late).status == Status.SURPLUS
    assert_complete(stage.study)
    assert Rating.objects.filter(worker=ann).count() == 3
    assert participation.earned_cents(scenes.join(stage.study, "w0")) == 30


def test_a_late_submission_while_another_holds_the_last_slot_is_surplus():
    stage = scenes.open_study(scenes.plain(rating_rules=(RatingRule(1),)), passages=1)
    ann, ben = scenes.workers(stage.study, 2)
    late = hand_out(ann, stage)
    scenes.let_lapse(late)
    held = hand_out(ben, stage)
    assert scenes.submitted(late).status == Status.SURPLUS
    assert scenes.submitted(held).status == Status.SUBMITTED
    assert_complete(stage.study)


def test_who_let_a_hold_lapse_has_it_again_with_what_they_rated():
    stage = scenes.open_study(passages=2)
    ann = scenes.worker(stage.study, "ann")
    lapsed = hand_out(ann, stage)
    some = scenes.members(lapsed)[0]
    handing_out.save_rating(lapsed, some, RatingInput(5), at=now())
    scenes.let_lapse(lapsed)
    again = hand_out(ann, stage)
    assert (again.pk, again.status) == (lapsed.pk, Status.HELD)
    assert again.lease_until > now()
    assert handing_out.unrated(again) == len(scenes.members(again)) - 1
    assert_invariants(stage.study)


def test_a_lone_rater_who_was_away_can_still_finish_the_study():
    """Were a lapsed HIT closed to its worker, a small team would leave it stranded."""
    stage = scenes.open_study(scenes.plain(rating_rules=(RatingRule(1),)), passages=3)
    ann = scenes.worker(stage.study, "ann")
    away = 0
    while assignment := hand_out(ann, stage):
        if away < 3:
            away += 1
            scenes.let_lapse(assignment)
        else:
            scenes.submitted(assignment)
    assert_complete(stage.study)


def test_a_returned_hit_goes_to_others_and_back_to_its_worker_only_when_nothing_else_is_left():
    stage = scenes.open_study(scenes.plain(rating_rules=(RatingRule(1),)), passages=2)
    ann = scenes.worker(stage.study, "ann")
    returned = hand_out(ann, stage)
    assert handing_out.give_back(returned)
    assert not handing_out.give_back(returned), "once"
    assert_invariants(stage.study)
    other = hand_out(ann, stage)
    assert other.hit_id != returned.hit_id
    scenes.submitted(other)
    assert hand_out(ann, stage).pk == returned.pk


def test_a_returned_task_takes_no_ratings_and_no_submission():
    stage = scenes.open_study()
    held = hand_out(scenes.worker(stage.study, "ann"), stage)
    scenes.rate_all(held)
    handing_out.give_back(held)
    with pytest.raises(RatingRefusedError, match="returned"):
        scenes.rate_all(held)
    with pytest.raises(RatingRefusedError, match="returned"):
        handing_out.submit(held, at=now())


def test_a_submission_with_ratings_missing_is_refused_and_says_how_many():
    stage = scenes.open_study()
    held = hand_out(scenes.worker(stage.study, "ann"), stage)
    handing_out.save_rating(held, scenes.members(held)[0], RatingInput(3), at=now())
    with pytest.raises(RatingRefusedError, match="2 of"):
        handing_out.submit(held, at=now())
    held.refresh_from_db()
    assert held.status == Status.HELD


def test_submitting_twice_is_submitting_once():
    stage = scenes.open_study()
    held = hand_out(scenes.worker(stage.study, "ann"), stage)
    first = scenes.submitted(held)
    again = handing_out.submit(held, at=now())
    assert (again.status, again.submitted_at) == (Status.SUBMITTED, first.submitted_at)
    assert not handing_out.give_back(held), "what is submitted cannot be returned"
    assert_invariants(stage.study)


def test_a_rating_can_change_until_submission_and_what_it_was_is_kept():
    stage = scenes.open_study()
    held = hand_out(scenes.worker(stage.study, "ann"), stage)
    pk = scenes.members(held)[0]
    begun = now()
    for at, value in enumerate((2, 2, 5, 4)):
        handing_out.save_rating(held, pk, RatingInput(value), at=begun + timedelta(seconds=at))
    rating = Rating.objects.get(candidate=pk)
    assert (rating.value, rating.created_at) == (4, begun)
    assert list(RatingChange.objects.values_list("value", flat=True)) == [2, 5]
    scenes.submitted(held, 4)
    with pytest.raises(RatingRefusedError, match="submitted"):
        handing_out.save_rating(held, pk, RatingInput(1), at=now())
    assert_invariants(stage.study)


def test_ratings_of_a_lapsed_hold_are_kept():
    stage = scenes.open_study()
    held = hand_out(scenes.worker(stage.study, "ann"), stage)
    scenes.let_lapse(held)
    handing_out.release_expired(stage, at=now())
    scenes.rate_all(held)
    assert Rating.objects.count() == len(scenes.members(held))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (RatingInput(0), "from 1 to 5"),
        (RatingInput(6), "from 1 to 5"),
        (RatingInput(None), "why you cannot judge"),
        (RatingInput(None, "  "), "why you cannot judge"),
        (RatingInput(3, "x" * 5_001), "5,000 characters"),
    ],
)
def test_ratings_that_cannot_be_taken_say_what_to_do(given, says):
    stage = scenes.open_study()
    held = hand_out(scenes.worker(stage.study, "ann"), stage)
    with pytest.raises(RatingRefusedError, match=says):
        handing_out.save_rating(held, scenes.members(held)[0], given, at=now())
    assert not Rating.objects.exists()


def test_cannot_judge_with_a_comment_is_a_rating_without_a_value():
    stage = scenes.open_study()
    held = hand_out(scenes.worker(stage.study, "ann"), stage)
    given = {pk: RatingInput(None, "no such passage") for pk in scenes.members(held)}
    handing_out.save_ratings(held, given, at=now())
    assert handing_out.submit(held, at=now()).status == Status.SUBMITTED
    assert set(Rating.objects.values_list("value", flat=True)) == {None}


def test_several_ratings_are_saved_all_or_none():
    stage = scenes.open_study()
    held = hand_out(scenes.worker(stage.study, "ann"), stage)
    first, second, *_ = scenes.members(held)
    with pytest.raises(RatingRefusedError):
        handing_out.save_ratings(held, {first: RatingInput(3), second: RatingInput(9)}, at=now())
    assert not Rating.objects.exists()


def test_a_candidate_of_another_task_is_refused():
    stage = scenes.open_study()
    a, b = (hand_out(worker, stage) for worker in scenes.workers(stage.study, 2))
    other = set(scenes.members(b)) - set(scenes.members(a))
    with pytest.raises(RatingRefusedError, match="not part"):
        handing_out.save_rating(a, other.pop(), RatingInput(3), at=now())


def test_nobody_sees_both_members_of_a_pair():
    study = scenes.make_study()
    pairs = [
        PairInput(f"p{at}", scenes.instance(at, "One passage."), "right", f"wrong {at}", "")
        for at in range(4)
    ]
    add_pairs(study, pairs)
    stage = scenes.open_stage(study)
    for worker in scenes.workers(study, 4):
        while assignment := hand_out(worker, stage):
            scenes.submitted(assignment)
    assert_complete(study)


def test_a_pair_of_the_same_name_in_another_study_is_another_pair():
    for slug in ("one", "two"):
        study = scenes.make_study(slug=slug)
        add_pairs(study, [PairInput("p1", scenes.instance(1), "right", "wrong", "negation")])
        stage = scenes.open_stage(study)
        assert scenes.submitted(hand_out(scenes.worker(study, "ann"), stage))


def test_what_was_rated_in_the_trial_is_not_given_to_that_worker_again():
    from concord.protocols import Trial

    study = scenes.make_study(scenes.plain(trial=Trial(4, 1)), scenes.candidates(3))
    trial = scenes.open_stage(study, "trial")
    ann, *others = scenes.workers(study, 4)
    while assignment := hand_out(ann, trial):
        scenes.submitted(assignment)
    assert Rating.objects.filter(worker=ann).count() == 4
    opening.close_stage(trial, at=now())
    full = scenes.open_stage(study)
    for worker in (ann, *others):
        while assignment := hand_out(worker, full):
            scenes.submitted(assignment)
    assert_complete(study)


def test_hidden_gold_is_in_as_many_hits_as_there_are_items_and_strands_none():
    protocol = scenes.plain(quality=QualityRules(gold_share=0.5))
    study = scenes.make_study(protocol, scenes.candidates(10))
    add_candidates(study, scenes.keyed(2), use=StudyCandidate.Use.GOLD)
    stage = scenes.open_stage(study)
    gold = study.candidates.filter(use="gold")
    assert [item.memberships.count() for item in gold] == [1, 1]
    for worker in scenes.workers(study, 2):
        while assignment := hand_out(worker, stage):
            scenes.submitted(assignment)
    assert_complete(study)


def test_exclusion_stops_hits_and_keeps_what_was_done_and_its_pay():
    stage = scenes.open_study()
    taking_part = scenes.join(stage.study, "ann")
    ann = taking_part.worker
    scenes.submitted(hand_out(ann, stage))
    held = hand_out(ann, stage)
    participation.exclude(taking_part, "straight lines", at=now())
    assert hand_out(ann, stage) is None
    assert scenes.submitted(held).status == Status.SUBMITTED
    assert participation.earned_cents(taking_part) == 60
    participation.exclude(taking_part, "another reason", at=now())
    taking_part.refresh_from_db()
    assert taking_part.exclusion_reason == "straight lines", "the first stands"
    participation.readmit(taking_part)
    assert hand_out(ann, stage) is not None
    assert_invariants(stage.study)


def test_a_worker_who_withdrew_gets_no_more():
    stage = scenes.open_study()
    taking_part = scenes.join(stage.study, "ann")
    participation.withdraw(taking_part, "", at=now())
    assert hand_out(taking_part.worker, stage) is None
    assert taking_part.messages.get().kind == "withdrawal"


def test_a_change_of_protocol_leaves_running_holds_under_their_own_version():
    stage = scenes.open_study()
    ann, ben = scenes.workers(stage.study, 2)
    before = hand_out(ann, stage)
    changed = scenes.plain(time_limit_minutes=5)
    version = change_protocol(stage.study, changed, at=now())
    assert version.version == 2
    after = hand_out(ben, stage)
    assert after.protocol_version == version
    assert after.lease_until - after.started_at == timedelta(minutes=5)
    before.refresh_from_db()
    assert before.protocol_version.version == 1


def test_a_simulated_workers_ratings_are_marked():
    stage = scenes.open_study()
    taking_part = participation.join(stage.study, "simulated", "s1", at=now(), simulated=True)
    scenes.submitted(hand_out(taking_part.worker, stage))
    assert set(Rating.objects.values_list("simulated", flat=True)) == {True}
    assert_invariants(stage.study)


def test_only_who_passed_the_test_gets_hits():
    study = scenes.make_study(scenes.TESTED, scenes.candidates(2))
    add_candidates(study, scenes.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    scenes.open_stage(study, "qualification")
    stage = scenes.open_stage(study)
    taking_part = scenes.join(study, "ann")
    assert hand_out(taking_part.worker, stage) is None
    Participation.objects.update(qualified="passed")
    assert hand_out(taking_part.worker, stage) is not None
