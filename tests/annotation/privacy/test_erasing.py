"""A worker who asks to be forgotten: who they were goes, what they gave stays or goes too."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, CrowdCall, Payment, Publication
from annotation.crowds.providers.provider import CrowdSubmissionReport, State
from annotation.crowds.services import publishing, reviewing, syncing
from annotation.lifecycle.services.deletion import delete_study
from annotation.privacy.services import erasing
from annotation.quality.models import Adjudication, LedgerStep
from annotation.quality.services import adjudication, ledgers
from annotation.quality.services.gold import study_gold
from annotation.quality.services.rating_data import collect_ratings
from annotation.rating.models import Assignment, Message, Participation, Rating, Worker
from annotation.rating.services import correspondence, handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.rating.services.participation import earned_cents
from annotation.rating.services.tokens import token_for
from annotation.stages.services import opening
from benchmarks.freezing import services as freezing
from concord.filtering import ExcludeWorker
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.annotation import factories, people
from tests.annotation.crowds import scenes
from tests.annotation.people import Scene
from tests.annotation.privacy import needles
from tests.annotation.rating.invariants import assert_invariants
from tests.core.rest.people import caller

pytestmark = pytest.mark.django_db


def gold(scene: Scene) -> dict[int, float | None]:
    gold_scores = study_gold(scene.study, "mean").by_candidate
    return {key: one.score for key, one in gold_scores.items()}


def test_erasure_removes_identity_and_texts_but_keeps_figures(scene: Scene, rosa: User) -> None:
    worker = scene.workers[1]
    name = worker.worker.name
    Rating.objects.filter(worker=worker.worker).update(comment="I live in Bremen.")
    before, alpha = gold(scene), collect_ratings(scene.study).ratings.values
    erasure = erasing.erase(worker, by=rosa, at=now())
    assert (erasure.messages, erasure.ratings_removed) == (1, 0)
    assert erasure.comments == erasure.ratings_kept > 0
    assert not Worker.objects.filter(name=name).exists()
    assert not Worker.objects.known_as("link", "worker 1").exists()
    assert not Message.objects.filter(participation=worker).exists()
    assert not Rating.objects.filter(comment__contains="Bremen").exists()
    assert gold(scene) == before
    assert np.array_equal(collect_ratings(scene.study).ratings.values, alpha)
    assert_invariants(scene.study)


def test_ratings_are_erased_on_request_and_figures_change(scene: Scene, rosa: User) -> None:
    worker = scene.workers[3]  # who straight-lines
    others = Rating.objects.exclude(worker=worker.worker)
    earned, expected = earned_cents(worker), {}
    for rating in others.filter(candidate__use="rated"):
        expected.setdefault(rating.candidate_id, []).append(rating.value)
    for step in scene.study.ledger_steps.all():
        ledgers.undo_step(step, at=now())
    erasure = erasing.erase(worker, ratings=True, by=rosa, at=now())
    assert erasure.ratings_removed > 0 == erasure.ratings_kept
    after = gold(scene)
    assert after == {key: pytest.approx(np.mean(values)) for key, values in expected.items()}
    worker.refresh_from_db()
    assert earned_cents(worker) == earned > 0
    assert_invariants(scene.study)


def test_the_ledger_goes_on_with_the_anonymous_worker(scene: Scene, rosa: User) -> None:
    worker = scene.workers[3]
    ledgers.exclude_worker(worker, "lives next door to Anna", by=rosa, at=now())
    kept_count = ledgers.ledger_report(scene.study, collect_ratings(scene.study)).kept.sum()
    old = worker.worker.name
    erasure = erasing.erase(worker, by=rosa, at=now())
    assert ledgers.ledger_report(scene.study, collect_ratings(scene.study)).kept.sum() == kept_count
    steps = json.dumps(list(LedgerStep.objects.values_list("content", flat=True)))
    assert erasure.name in steps and old not in steps and "Anna" not in steps


def test_erasure_in_one_study_keeps_the_worker_of_another(scene: Scene, rosa: User) -> None:
    other = people.new_study(rosa, people.PROTOCOL, people.candidates(), slug="ships")
    there = people.join(other, "worker 0")
    assert there.worker != scene.workers[0].worker and there.worker.name.startswith("w-")
    erasing.erase(scene.workers[0], by=rosa, at=now())
    there.refresh_from_db()
    assert there.worker.is_known_as("worker 0")
    assert Worker.objects.known_as("link", "worker 0").get() == there.worker


def test_an_erased_worker_cannot_be_erased_again(scene: Scene, rosa: User) -> None:
    erasing.erase(scene.workers[0], by=rosa, at=now())
    with pytest.raises(RefusedError, match="already erased"):
        erasing.erase(scene.workers[0], by=rosa, at=now())


def test_sets_that_were_frozen_before_stay_and_are_named(scene: Scene, rosa: User) -> None:
    ledgers.exclude_worker(scene.workers[0], MARK, by=rosa, at=now())
    made = freezing.freeze(scene.study, "mean", by=rosa, at=now())
    ratings = list(made.candidates.values_list("ratings__value", flat=True).order_by("pk"))
    erasure = erasing.erase(scene.workers[0], ratings=True, by=rosa, at=now())
    assert erasure.frozen == (str(made),) and str(made) in erasure.sentence
    assert list(made.candidates.values_list("ratings__value", flat=True).order_by("pk")) == ratings
    assert found() == []


def test_the_audit_log_counts_removed_data_without_naming_the_worker(
    scene: Scene, rosa: User
) -> None:
    old = scene.workers[1].worker.name
    erasing.erase(scene.workers[1], by=rosa, at=now())
    event = AuditEvent.objects.get(action="worker.erased")
    assert event.actor == "rosa" and event.after["messages"] == 1
    assert old not in event.target_name and event.target_name.startswith("anonymous-")


@pytest.fixture
def panel(rosa: User):
    offer = scenes.Offer(**{**scenes.OFFER.to_json(), "tasks_each": 1})
    study = scenes.make_study(2, scenes.kpqa(), owner=rosa)
    return scenes.published(study, "panel", offer, provider="link")


def test_unpaid_work_prevents_erasure_unless_it_stays_unpaid(panel, rosa: User) -> None:
    crowd = arrived(panel)
    with pytest.raises(RefusedError, match="nobody could pay it"):
        erasing.erase(crowd.participation, by=rosa, at=now())
    erasure = erasing.erase(crowd.participation, unpaid=True, by=rosa, at=now())
    assert erasure.documents == 1 and not Payment.objects.exists()


def test_payments_stay_and_reports_do_not_restore_an_erased_worker(panel, rosa: User) -> None:
    crowd = arrived(panel)
    reviewing.approve(crowd, by=rosa, at=now())
    scenes.send(panel)
    erasing.erase(crowd.participation, by=rosa, at=now())
    assert Payment.objects.get().cents > 0
    report = CrowdSubmissionReport(
        "SESSION7", crowd.listing.provider_id, "PANELIST7", State.APPROVED, "again"
    )
    assert syncing.record_submission(crowd.listing, report, at=now()) is None
    assert CrowdAssignment.objects.get().answer is None
    assert not Worker.objects.known_as("link panel", "PANELIST7").exists()
    assert "SESSION7" not in str(list(CrowdAssignment.objects.values()))


MARK = "Lives in Bremen, house 7"


@pytest.fixture
def described(rosa: User) -> Participation:
    """A paid worker about whom and by whom the mark was written wherever it can be."""
    offer = scenes.Offer(**{**scenes.OFFER.to_json(), "tasks_each": 2})
    protocol = dataclasses.replace(scenes.small(ratings=2, cents=10), qualification=None)
    study = scenes.make_study(3, protocol, owner=rosa)
    panel = scenes.published(study, "panel", offer, provider="link")
    worker = arrived(panel).participation
    stage = study.stages.get(kind="full")
    for _ in range(2):
        assignment = handing_out.hand_out(worker.worker, stage, at=now())
        assert assignment is not None
        for pk in factories.members(assignment):
            handing_out.save_rating(assignment, pk, Answer(2, MARK), at=now())
            handing_out.save_rating(assignment, pk, Answer(3, MARK), at=now())
        handing_out.submit(assignment, at=now())
    unfinished = handing_out.hand_out(worker.worker, stage, at=now())
    assert unfinished is not None
    handing_out.save_rating(unfinished, factories.members(unfinished)[0], Answer(2, MARK), at=now())
    correspondence.answer(participation.write(worker, MARK, at=now()), MARK, at=now())
    crowd = CrowdAssignment.objects.get()
    CrowdAssignment.objects.update(problem=MARK)
    reviewing.bonus(crowd, 5, MARK, by=rosa, at=now())
    reviewing.reject(crowd, "not read", MARK, by=rosa, at=now())
    scenes.send(panel)
    crowd.refresh_from_db()
    reviewing.approve(crowd, feedback=f"{MARK}!", by=rosa, at=now())
    scenes.send(panel)
    CrowdCall.objects.exclude(crowd_assignment=None).update(error=MARK)
    rated = Rating.objects.filter(worker=worker.worker).select_related("candidate").order_by("pk")
    ledgers.drop_rating(study, rated[0].candidate.key, worker.worker.name, MARK, by=rosa, at=now())
    step = ExcludeWorker(worker.worker.name, "")
    ledgers.undo_step(ledgers.add_step(study, step, note=MARK, by=rosa, at=now()), at=now())
    ledgers.exclude_worker(worker, MARK, by=rosa, at=now())
    adjudication.adjudicate(rated[1].candidate, 3, MARK, by=rosa, at=now())
    assert drop_rating_again(rated[1], rosa).status_code == 201
    assert {"table annotation_adjudication", "table rest_idempotencykey"} <= set(found())
    assert len(found()) >= 9
    return worker


def drop_rating_again(rating: Rating, by: User) -> HttpResponse:
    """The answer to a request with one key, which is sent again by every call but the first."""
    step = {"kind": "drop-rating", "unit": rating.candidate.key, "note": MARK}
    step["worker"] = rating.worker.name
    path = f"/studies/{rating.candidate.study.slug}/ledger"
    return caller(by).post(path, step, Idempotency_Key="drop it")


def found(text: str = MARK) -> list[str]:
    """The tables that contain the text in any column."""
    return [table for table, rows in needles.database().items() if text.encode() in rows]


@pytest.mark.parametrize("ratings", [False, True])
def test_nothing_that_was_written_about_an_erased_worker_is_in_any_table(
    described: Participation, rosa: User, ratings: bool
) -> None:
    old_name = described.worker.name
    ratings_before = Rating.objects.select_related("candidate__study", "worker")
    rating = ratings_before.filter(worker=described.worker).order_by("pk")[1]
    erasing.erase(described, ratings=ratings, by=rosa, at=now())
    assert found() == []
    assert found(old_name) == ["table audit_auditevent"]
    assert Payment.objects.count() == 2 and CrowdCall.objects.filter(status="done").exists()
    assert_invariants(described.study)
    assert Adjudication.objects.get().value == 3
    steps = described.study.ledger_steps.count()
    again = drop_rating_again(rating, rosa)
    assert again.status_code == 410 and "is not repeated" in again.json()["detail"]
    assert described.study.ledger_steps.count() == steps


def test_nothing_that_was_written_about_workers_outlives_their_study(
    described: Participation, rosa: User
) -> None:
    publishing.end(Publication.objects.get(), at=now())
    scenes.send(Publication.objects.get())
    opening.close_stage(described.study.stages.get(kind="full"), at=now())
    Assignment.objects.filter(status="held").update(status="returned")
    delete_study(described.study, paid=True, by=rosa, at=now())
    assert found() == []


def arrived(panel) -> CrowdAssignment:
    """A panel's worker whose submission waits."""
    listing = panel.listings.get()
    report = CrowdSubmissionReport(
        "SESSION7", listing.provider_id, "PANELIST7", State.SUBMITTED, "the answer"
    )
    syncing.record_submission(listing, report, at=now())
    return CrowdAssignment.objects.select_related("participation", "listing").get()


def test_a_hit_in_progress_is_released(rosa: User) -> None:
    study = people.new_study(rosa, people.PROTOCOL, people.candidates())
    stage = people.open_stage(study)
    worker = people.join(study, "one")
    assert handing_out.hand_out(worker.worker, stage, at=now())
    erasing.erase(worker, by=rosa, at=now())
    assert not Assignment.objects.filter(status="held").exists()
    assert_invariants(study)


@pytest.mark.parametrize("ratings", [False, True])
def test_an_erased_worker_cannot_continue(rosa: User, ratings: bool) -> None:
    """A task whose time ran out could be submitted still, and the link is good for 60 days."""
    study = people.new_study(rosa, people.PROTOCOL, people.candidates())
    stage = people.open_stage(study)
    worker = people.join(study, "one")
    token = token_for(worker)
    lapsed = handing_out.hand_out(worker.worker, stage, at=now())
    assert lapsed is not None
    factories.rate_all(lapsed)
    factories.let_lapse(lapsed)
    handing_out.release_expired(stage, at=now())
    erasing.erase(worker, ratings=ratings, by=rosa, at=now())
    (candidate, *_) = factories.members(lapsed)
    with pytest.raises(RefusedError, match="returned"):
        handing_out.save_rating(lapsed, candidate, Answer(2, "I am Ann."), at=now())
    with pytest.raises(RefusedError, match="returned"):
        handing_out.submit(lapsed, at=now())
    assert handing_out.hand_out(worker.worker, stage, at=now()) is None
    page = Client().get(reverse("rating-home", args=[token]))
    assert page.status_code == 403 and "removed from this study" in page.content.decode()
    assert_invariants(study)


def test_the_page_requires_the_name_and_reports_what_was_removed(
    scene: Scene, owner: Client
) -> None:
    name = scene.workers[1].worker.name
    address = f"/studies/boats/workers/{name}/erase"
    assert owner.get(address).status_code == 200
    refused = owner.post(address, {"name": "somebody"})
    assert refused.status_code == 422 and "cannot be undone" in refused.content.decode()
    done = owner.post(address, {"name": name}, follow=True)
    assert "1 message," in done.content.decode()
    assert owner.get(address).status_code == 404


@pytest.mark.parametrize(
    ("person", "status"), [("visitor", 302), ("outsider", 404), ("superuser", 200)]
)
def test_erasing_is_for_owners(
    scene: Scene, everybody: dict[str, Client], person: str, status: int
) -> None:
    name = scene.workers[1].worker.name
    assert everybody[person].get(f"/studies/boats/workers/{name}/erase").status_code == status


def test_a_command_erases_a_worker_in_every_study(
    scene: Scene, rosa: User, capsys, monkeypatch
) -> None:
    other = people.new_study(rosa, people.PROTOCOL, people.candidates(), slug="ships")
    people.join(other, "worker 0")
    monkeypatch.setattr("getpass.getpass", lambda _: "worker 0")
    call_command("erase_worker", "--provider", "link")
    out = capsys.readouterr().out
    assert "boats:" in out and "ships:" in out and "worker 0" not in out
    assert not Worker.objects.known_as("link", "worker 0").exists()
    with pytest.raises(CommandError, match="no such worker"):
        call_command("erase_worker", "--provider", "link")
