"""Joining, consent, the qualification test and its tries, messages, pay."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation
from annotation.rating.services import handing_out, participation
from annotation.studies.models import StudyCandidate
from annotation.studies.services.candidates import add_items
from concord.protocols import Qualification
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_invariants

pytestmark = pytest.mark.django_db
KEYS = (1, 2, 3, 4, 5)


def open_test(tolerance: int = 0, tries: int = 2, pass_share: float = 0.8):
    rules = Qualification(5, pass_share, tolerance, tries)
    protocol = dataclasses.replace(factories.PLAIN, qualification=rules)
    study = factories.make_study(protocol, factories.candidates(2))
    add_items(study, factories.keyed(5, KEYS), use=StudyCandidate.Use.QUALIFICATION)
    return factories.open_stage(study, "qualification")


def take(stage, name: str, answers=KEYS):
    """A worker's submitted test with these answers, in the order of the keys."""
    participant = factories.join(stage.study, name)
    assignment = handing_out.hand_out(participant.worker, stage, at=now())
    return answer(assignment, answers)


def answer(assignment, answers=KEYS):
    keys = StudyCandidate.objects.filter(use="qualification").order_by("position")
    factories.rate_as(
        assignment, dict(zip(keys.values_list("pk", flat=True), answers, strict=True))
    )
    return handing_out.submit(assignment, at=now())


def fresh(stage, name: str) -> Participation:
    return factories.join(stage.study, name)


def test_joining_twice_is_joining_once_and_names_no_person():
    study = factories.make_study()
    first = factories.join(study, "ann@example.org")
    assert factories.join(study, "ann@example.org") == first
    assert first.worker.name.startswith("w-") and "ann" not in first.worker.name
    assert factories.join(study, "ben@example.org").worker != first.worker
    other = factories.join(factories.make_study(slug="other"), "ann@example.org")
    assert other.worker.name != first.worker.name, "who is in two studies cannot be told from names"


def test_consent_is_recorded_once():
    participant = factories.join(factories.make_study(), "ann")
    at = now()
    participation.consent(participant, at=at)
    participation.consent(participant, at=at + timedelta(days=1))
    participant.refresh_from_db()
    assert participant.consented_at == at


@pytest.mark.parametrize(
    ("tolerance", "answers", "right", "passed"),
    [
        (0, (1, 2, 3, 4, 5), 5, True),
        (0, (1, 2, 3, 4, 4), 4, True),
        (0, (1, 2, 3, 5, 4), 3, False),
        (1, (2, 3, 4, 5, 4), 5, True),
        (1, (2, 3, 4, 5, 3), 4, True),
        (1, (3, 4, 3, 4, 5), 3, False),
    ],
)
def test_answers_pass_within_the_tolerance_of_their_keys(tolerance, answers, right, passed):
    stage = open_test(tolerance)
    result = participation.grade_test(take(stage, "ann", answers))
    assert (result.correct, result.passed) == (right, passed)
    assert fresh(stage, "ann").qualified == ("passed" if passed else "not yet")
    assert result.tries_left == 1
    wrong = [a for a in result.answers if not a.passed]
    assert all(abs(a.value - a.graded[0].key) > tolerance for a in wrong), "feedback names both"


def test_grading_twice_is_one_attempt():
    stage = open_test()
    taken = take(stage, "ann", (5, 5, 5, 5, 5))
    for _ in range(3):
        result = participation.grade_test(taken)
        assert (result.passed, result.tries_left) == (False, 1)
    assert fresh(stage, "ann").tries == 1


def test_a_test_that_is_not_submitted_is_no_attempt():
    stage = open_test()
    participant = fresh(stage, "ann")
    assignment = handing_out.hand_out(participant.worker, stage, at=now())
    assert not participation.grade_test(assignment).passed
    assert fresh(stage, "ann").tries == 0


def test_cannot_judge_is_no_right_answer():
    stage = open_test(pass_share=1.0)
    participant = fresh(stage, "ann")
    assignment = handing_out.hand_out(participant.worker, stage, at=now())
    ratings = {pk: handing_out.Answer(None, "why") for pk in factories.members(assignment)}
    handing_out.save_ratings(assignment, ratings, at=now())
    result = participation.grade_test(handing_out.submit(assignment, at=now()))
    assert (result.correct, result.passed) == (0, False)


def test_a_failed_test_can_be_repeated_in_the_same_assignment():
    stage = open_test(tries=2)
    taken = take(stage, "ann", (5, 5, 5, 5, 5))
    participation.grade_test(taken)
    again = participation.retry_test(fresh(stage, "ann"), at=now())
    assert (again.pk, again.status) == (taken.pk, "held")
    assert participation.retry_test(fresh(stage, "ann"), at=now()) is None, "it is held already"
    assert handing_out.hand_out(again.worker, stage, at=now()) == again
    assert_invariants(stage.study)
    result = participation.grade_test(answer(again, (5, 5, 5, 5, 5)))
    assert (result.passed, result.tries_left) == (False, 0)
    assert fresh(stage, "ann").qualified == "failed"
    assert participation.retry_test(fresh(stage, "ann"), at=now()) is None
    assert_invariants(stage.study)


def test_the_second_attempt_may_pass():
    stage = open_test()
    participation.grade_test(take(stage, "ann", (5, 5, 5, 5, 5)))
    again = participation.retry_test(fresh(stage, "ann"), at=now())
    assert participation.grade_test(answer(again)).passed
    assert fresh(stage, "ann").qualified == "passed"
    assert participation.retry_test(fresh(stage, "ann"), at=now()) is None
    assert handing_out.hand_out(again.worker, stage, at=now()) is None, "the test is behind them"


def test_an_outdated_tab_gets_no_further_attempt():
    stage = open_test(tries=1)
    stale = fresh(stage, "ann")
    participation.grade_test(take(stage, "ann", (5, 5, 5, 5, 5)))
    assert stale.qualified == "not yet"
    assert participation.retry_test(stale, at=now()) is None


def test_a_test_that_went_ungraded_is_graded_before_a_retry():
    """As when the site went down between the submission and its grading."""
    stage = open_test(tries=1)
    take(stage, "ann", (5, 5, 5, 5, 5))
    assert participation.retry_test(fresh(stage, "ann"), at=now()) is None
    assert fresh(stage, "ann").qualified == "failed"


def test_an_expired_test_can_still_be_taken():
    stage = open_test()
    participant = fresh(stage, "ann")
    factories.let_lapse(handing_out.hand_out(participant.worker, stage, at=now()))
    assert participation.grade_test(take(stage, "ann")).passed
    assert_invariants(stage.study)


def test_an_expired_retry_can_be_resumed_and_stays_paid():
    stage = open_test()
    participation.grade_test(take(stage, "ann", (5, 5, 5, 5, 5)))
    paid = participation.earned_cents(fresh(stage, "ann"))
    assert paid == 50
    factories.let_lapse(participation.retry_test(fresh(stage, "ann"), at=now()))
    handing_out.release_expired(stage, at=now())
    assert participation.earned_cents(fresh(stage, "ann")) == paid
    assert participation.grade_test(take(stage, "ann")).passed
    assert participation.earned_cents(fresh(stage, "ann")) == paid, "the first try"
    assert_invariants(stage.study)


def test_the_stage_for_a_worker_is_the_test_then_the_latest_open_one():
    stage = open_test()
    protocol = stage.study.current.protocol
    participant = fresh(stage, "ann")
    assert participation.open_stage_for(participant, protocol) == stage
    full = factories.open_stage(stage.study)
    assert participation.open_stage_for(participant, protocol) == stage
    participation.grade_test(take(stage, "ann"))
    assert participation.open_stage_for(fresh(stage, "ann"), protocol) == full
    Participation.objects.update(qualified="failed")
    assert participation.open_stage_for(fresh(stage, "ann"), protocol) is None


def test_messages_are_kept_and_empty_or_endless_ones_refused():
    participant = factories.join(factories.make_study(), "ann")
    message = participation.write(participant, "  Is 3 the middle? ", at=now())
    assert (message.text, message.kind) == ("Is 3 the middle?", "question")
    for text in ("", "  ", "x" * 10_001):
        with pytest.raises(ValueError):
            participation.write(participant, text, at=now())


def test_only_submitted_work_is_paid():
    stage = factories.open_study()
    participant = factories.join(stage.study, "ann")
    assignment = handing_out.hand_out(participant.worker, stage, at=now())
    factories.rate_all(assignment)
    assert participation.earned_cents(participant) == 0
    handing_out.submit(assignment, at=now())
    assert participation.earned_cents(participant) == 30
    assert Assignment.objects.get().pay_cents == 30
