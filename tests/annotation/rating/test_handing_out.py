"""Handing out, saving, submitting: one request after another. What runs at once: test_parallel."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation, Rating, RatingChange
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.models import StudyCandidate
from annotation.studies.services.candidates import add_items
from concord.protocols import QualityRules, RatingRule
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_complete, assert_invariants

pytestmark = pytest.mark.django_db
Status = Assignment.Status


def hand_out(worker, stage):
    return handing_out.hand_out(worker, stage, at=now())


def test_a_worker_gets_a_hit_and_the_same_one_until_it_is_submitted():
    stage = factories.open_study()
    worker = factories.worker(stage.study, "ann")
    first = hand_out(worker, stage)
    assert hand_out(worker, stage) == first, "a second tab shows the same task"
    assert first.lease_until - first.started_at == timedelta(minutes=60)
    assert first.pay_cents == 30
    assert_invariants(stage.study)
    factories.submitted(first)
    assert hand_out(worker, stage).hit_id != first.hit_id
    assert_invariants(stage.study)


def test_workers_provide_all_required_ratings_and_then_no_task_is_left():
    stage = factories.open_study(passages=4, each=3)
    for worker in factories.workers(stage.study, 3):
        while assignment := hand_out(worker, stage):
            factories.submitted(assignment)
    assert_complete(stage.study)
    assert Rating.objects.count() == 4 * 3 * 2
    assert hand_out(factories.worker(stage.study, "late"), stage) is None


def test_hits_with_the_most_open_slots_are_assigned_first():
    stage = factories.open_study(passages=3, each=1)
    a, b = factories.workers(stage.study, 2)
    one = factories.submitted(hand_out(a, stage))
    assert hand_out(b, stage).hit_id != one.hit_id


def test_only_participants_of_an_open_stage_get_a_hit():
    stage = factories.open_study()
    elsewhere = factories.worker(factories.make_study(slug="other"), "ann")
    assert hand_out(elsewhere, stage) is None
    worker = factories.worker(stage.study, "ben")
    assignment = hand_out(worker, stage)
    opening.close_stage(stage, at=now())
    stage.refresh_from_db()
    assert hand_out(worker, stage) is None
    assert factories.submitted(assignment).status == Status.SUBMITTED, (
        "what is held may be submitted"
    )
    assert_invariants(stage.study)


def test_an_expired_assignment_releases_its_hit():
    stage = factories.open_study(factories.plain(rating_rules=(RatingRule(1),)), passages=1)
    ann, ben = factories.workers(stage.study, 2)
    lapsed = hand_out(ann, stage)
    assert hand_out(ben, stage) is None
    factories.let_lapse(lapsed)
    assert handing_out.release_expired(stage, at=now()) == 1
    assert handing_out.release_expired(stage, at=now()) == 0
    assert_invariants(stage.study)
    assert hand_out(ben, stage).hit_id == lapsed.hit_id
    assert_invariants(stage.study)


def test_a_late_submission_counts_while_its_hit_has_an_open_slot():
    stage = factories.open_study(passages=1)
    ann = factories.worker(stage.study, "ann")
    late = hand_out(ann, stage)
    factories.let_lapse(late)
    handing_out.release_expired(stage, at=now())
    assert factories.submitted(late).status == Status.SUBMITTED
    assert_invariants(stage.study)


def test_a_late_submission_of_a_complete_hit_is_paid_surplus():
    stage = factories.open_study(factories.plain(rating_rules=(RatingRule(1),)), passages=1)
    ann, ben = factories.workers(stage.study, 2)
    late = hand_out(ann, stage)
    factories.let_lapse(late)
    factories.submitted(hand_out(ben, stage))
    assert factories.submitted(late).status == Status.SURPLUS
    assert_complete(stage.study)
    assert Rating.objects.filter(worker=ann).count() == 3
    assert participation.earned_cents(factories.join(stage.study, "w0")) == 30


def test_a_late_submission_while_another_holds_the_last_slot_is_surplus():
    stage = factories.open_study(factories.plain(rating_rules=(RatingRule(1),)), passages=1)
    ann, ben = factories.workers(stage.study, 2)
    late = hand_out(ann, stage)
    factories.let_lapse(late)
    assignment = hand_out(ben, stage)
    assert factories.submitted(late).status == Status.SURPLUS
    assert factories.submitted(assignment).status == Status.SUBMITTED
    assert_complete(stage.study)


def test_a_worker_resumes_an_expired_assignment_with_its_ratings():
    stage = factories.open_study(passages=2)
    ann = factories.worker(stage.study, "ann")
    lapsed = hand_out(ann, stage)
    some = factories.members(lapsed)[0]
    handing_out.save_rating(lapsed, some, Answer(5), at=now())
    factories.let_lapse(lapsed)
    again = hand_out(ann, stage)
    assert (again.pk, again.status) == (lapsed.pk, Status.HELD)
    assert again.lease_until > now()
    assert handing_out.count_unrated(again) == len(factories.members(again)) - 1
    assert_invariants(stage.study)


def test_a_lone_rater_who_was_away_can_still_finish_the_study():
    """Were a lapsed HIT closed to its worker, a small team would leave it stranded."""
    stage = factories.open_study(factories.plain(rating_rules=(RatingRule(1),)), passages=3)
    ann = factories.worker(stage.study, "ann")
    away = 0
    while assignment := hand_out(ann, stage):
        if away < 3:
            away += 1
            factories.let_lapse(assignment)
        else:
            factories.submitted(assignment)
    assert_complete(stage.study)


def test_a_returned_hit_goes_to_others_and_back_to_its_worker_only_when_nothing_else_is_left():
    stage = factories.open_study(factories.plain(rating_rules=(RatingRule(1),)), passages=2)
    ann = factories.worker(stage.study, "ann")
    returned = hand_out(ann, stage)
    assert handing_out.return_hit(returned)
    assert not handing_out.return_hit(returned), "once"
    assert_invariants(stage.study)
    other = hand_out(ann, stage)
    assert other.hit_id != returned.hit_id
    factories.submitted(other)
    assert hand_out(ann, stage).pk == returned.pk


def test_a_returned_task_takes_no_ratings_and_no_submission():
    stage = factories.open_study()
    assignment = hand_out(factories.worker(stage.study, "ann"), stage)
    factories.rate_all(assignment)
    handing_out.return_hit(assignment)
    with pytest.raises(RefusedError, match="returned"):
        factories.rate_all(assignment)
    with pytest.raises(RefusedError, match="returned"):
        handing_out.submit(assignment, at=now())


def test_a_submission_with_ratings_missing_is_refused_and_says_how_many():
    stage = factories.open_study()
    assignment = hand_out(factories.worker(stage.study, "ann"), stage)
    handing_out.save_rating(assignment, factories.members(assignment)[0], Answer(3), at=now())
    with pytest.raises(RefusedError, match="2 answers of this task are not rated yet"):
        handing_out.submit(assignment, at=now())
    assignment.refresh_from_db()
    assert assignment.status == Status.HELD


def test_submitting_twice_is_submitting_once():
    stage = factories.open_study()
    assignment = hand_out(factories.worker(stage.study, "ann"), stage)
    first = factories.submitted(assignment)
    again = handing_out.submit(assignment, at=now())
    assert (again.status, again.submitted_at) == (Status.SUBMITTED, first.submitted_at)
    assert not handing_out.return_hit(assignment), "what is submitted cannot be returned"
    assert_invariants(stage.study)


def test_a_rating_can_change_until_submission_and_what_it_was_is_kept():
    stage = factories.open_study()
    assignment = hand_out(factories.worker(stage.study, "ann"), stage)
    pk = factories.members(assignment)[0]
    begun = now()
    for at, value in enumerate((2, 2, 5, 4)):
        handing_out.save_rating(assignment, pk, Answer(value), at=begun + timedelta(seconds=at))
    rating = Rating.objects.get(candidate=pk)
    assert (rating.value, rating.created_at) == (4, begun)
    assert list(RatingChange.objects.values_list("value", flat=True)) == [2, 5]
    factories.submitted(assignment, 4)
    with pytest.raises(RefusedError, match="submitted"):
        handing_out.save_rating(assignment, pk, Answer(1), at=now())
    assert_invariants(stage.study)


def test_ratings_of_an_expired_assignment_are_kept():
    stage = factories.open_study()
    assignment = hand_out(factories.worker(stage.study, "ann"), stage)
    factories.let_lapse(assignment)
    handing_out.release_expired(stage, at=now())
    factories.rate_all(assignment)
    assert Rating.objects.count() == len(factories.members(assignment))


@pytest.mark.parametrize(
    ("rating", "message"),
    [
        (Answer(0), "from 1 to 5"),
        (Answer(6), "from 1 to 5"),
        (Answer(None), "why you cannot judge"),
        (Answer(None, "  "), "why you cannot judge"),
        (Answer(3, "x" * 5_001), "5,000 characters"),
    ],
)
def test_refused_ratings_have_a_helpful_message(rating, message):
    stage = factories.open_study()
    assignment = hand_out(factories.worker(stage.study, "ann"), stage)
    with pytest.raises(RefusedError, match=message):
        handing_out.save_rating(assignment, factories.members(assignment)[0], rating, at=now())
    assert not Rating.objects.exists()


def test_cannot_judge_with_a_comment_is_a_rating_without_a_value():
    stage = factories.open_study()
    assignment = hand_out(factories.worker(stage.study, "ann"), stage)
    ratings = {pk: Answer(None, "no such passage") for pk in factories.members(assignment)}
    handing_out.save_ratings(assignment, ratings, at=now())
    assert handing_out.submit(assignment, at=now()).status == Status.SUBMITTED
    assert set(Rating.objects.values_list("value", flat=True)) == {None}


def test_several_ratings_are_saved_all_or_none():
    stage = factories.open_study()
    assignment = hand_out(factories.worker(stage.study, "ann"), stage)
    first, second, *_ = factories.members(assignment)
    with pytest.raises(RefusedError):
        handing_out.save_ratings(assignment, {first: Answer(3), second: Answer(9)}, at=now())
    assert not Rating.objects.exists()


def test_a_candidate_of_another_task_is_refused():
    stage = factories.open_study()
    a, b = (hand_out(worker, stage) for worker in factories.workers(stage.study, 2))
    other = set(factories.members(b)) - set(factories.members(a))
    with pytest.raises(RefusedError, match="not part"):
        handing_out.save_rating(a, other.pop(), Answer(3), at=now())


def test_nobody_sees_both_members_of_a_pair():
    study = factories.make_study()
    pairs = [
        Item.minimal_pair(
            f"p{at}", factories.instance(at, "One passage."), "right", f"wrong {at}", ""
        )
        for at in range(4)
    ]
    add_items(study, pairs, "pairs")
    stage = factories.open_stage(study)
    for worker in factories.workers(study, 4):
        while assignment := hand_out(worker, stage):
            factories.submitted(assignment)
    assert_complete(study)


def test_a_pair_of_the_same_name_in_another_study_is_another_pair():
    for slug in ("one", "two"):
        study = factories.make_study(slug=slug)
        add_items(
            study,
            [Item.minimal_pair("p1", factories.instance(1), "right", "wrong", "negation")],
            "pairs",
        )
        stage = factories.open_stage(study)
        assert factories.submitted(hand_out(factories.worker(study, "ann"), stage))


def test_a_worker_does_not_rate_a_candidate_of_the_trial_again():
    from concord.protocols import Trial

    study = factories.make_study(factories.plain(trial=Trial(4, 1)), factories.candidates(3))
    trial = factories.open_stage(study, "trial")
    ann, *others = factories.workers(study, 4)
    while assignment := hand_out(ann, trial):
        factories.submitted(assignment)
    assert Rating.objects.filter(worker=ann).count() == 4
    opening.close_stage(trial, at=now())
    full = factories.open_stage(study)
    for worker in (ann, *others):
        while assignment := hand_out(worker, full):
            factories.submitted(assignment)
    assert_complete(study)


def test_hidden_checks_are_in_as_many_hits_as_there_are_items():
    protocol = factories.plain(quality=QualityRules(gold_share=0.5))
    study = factories.make_study(protocol, factories.candidates(10))
    add_items(study, factories.keyed(2), use=StudyCandidate.Use.GOLD)
    stage = factories.open_stage(study)
    gold = study.candidates.filter(use="gold")
    assert [item.memberships.count() for item in gold] == [1, 1]
    for worker in factories.workers(study, 2):
        while assignment := hand_out(worker, stage):
            factories.submitted(assignment)
    assert_complete(study)


def test_exclusion_stops_hits_and_keeps_what_was_done_and_its_pay():
    stage = factories.open_study()
    participant = factories.join(stage.study, "ann")
    ann = participant.worker
    factories.submitted(hand_out(ann, stage))
    assignment = hand_out(ann, stage)
    participation.exclude(participant, "straight lines", at=now())
    assert hand_out(ann, stage) is None
    assert factories.submitted(assignment).status == Status.SUBMITTED
    assert participation.earned_cents(participant) == 60
    participation.exclude(participant, "another reason", at=now())
    participant.refresh_from_db()
    assert participant.exclusion_reason == "straight lines", "the first stands"
    participation.readmit(participant)
    assert hand_out(ann, stage) is not None
    assert_invariants(stage.study)


def test_a_worker_who_withdrew_gets_no_more():
    stage = factories.open_study()
    participant = factories.join(stage.study, "ann")
    participation.withdraw(participant, "", at=now())
    assert hand_out(participant.worker, stage) is None
    assert participant.messages.get().kind == "withdrawal"


def test_assignments_in_progress_keep_their_protocol_version():
    stage = factories.open_study()
    ann, ben = factories.workers(stage.study, 2)
    before = hand_out(ann, stage)
    changed = factories.plain(time_limit_minutes=5)
    version = change_protocol(stage.study, changed, at=now())
    assert version.version == 2
    after = hand_out(ben, stage)
    assert after.protocol_version == version
    assert after.lease_until - after.started_at == timedelta(minutes=5)
    before.refresh_from_db()
    assert before.protocol_version.version == 1


def test_a_simulated_workers_ratings_are_marked():
    stage = factories.open_study()
    participant = participation.join(stage.study, "simulated", "s1", at=now(), simulated=True)
    factories.submitted(hand_out(participant.worker, stage))
    assert set(Rating.objects.values_list("simulated", flat=True)) == {True}
    assert_invariants(stage.study)


def test_only_who_passed_the_test_gets_hits():
    study = factories.make_study(factories.TESTED, factories.candidates(2))
    add_items(study, factories.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    factories.open_stage(study, "qualification")
    stage = factories.open_stage(study)
    participant = factories.join(study, "ann")
    assert hand_out(participant.worker, stage) is None
    Participation.objects.update(qualified="passed")
    assert hand_out(participant.worker, stage) is not None
