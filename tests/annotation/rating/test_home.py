"""The overview says where a worker stands, whatever has happened, and what comes next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.rating.models import Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.rating.services.tokens import token_for
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services import opening
from annotation.studies.models import Stage
from concord.protocols import ScalePoint
from tests.annotation.rating.scenes import (
    Scene,
    candidates,
    consent,
    form,
    instance,
    make_study,
    qualify,
    take,
)
from tests.html import readable

Qualified = Participation.Qualified


def home(rater: Client, worker: Participation) -> str:
    response = rater.get(reverse("rating-home", args=[token_for(worker)]))
    assert response.status_code == 200
    return readable(response)


def pass_before_the_next_stage(scene: Scene) -> None:
    qualify(scene)
    Stage.objects.filter(kind=Stage.Kind.FULL).update(status=Stage.Status.PLANNED)


def come_after_the_test_closed(scene: Scene) -> None:
    consent(scene)
    opening.close_stage(scene.stage("qualification"), at=now())


def see_the_end(scene: Scene) -> None:
    qualify(scene)
    opening.close_stage(scene.stage("full"), at=now())


def fail(scene: Scene) -> None:
    consent(scene)
    Participation.objects.update(qualified=Qualified.FAILED, tries=2)


def exclude(scene: Scene) -> None:
    qualify(scene)
    participation.exclude(scene.worker, "Ratings without reading", at=now())


def rate_everything(scene: Scene) -> None:
    qualify(scene)
    worker = scene.worker.worker
    while assignment := handing_out.hand_out(worker, scene.stage("full"), at=now()):
        ratings = {c.pk: Answer(3) for c in assignment.hit.candidates.all()}
        handing_out.save_ratings(assignment, ratings, at=now())
        handing_out.submit(assignment, at=now())


def hold(scene: Scene) -> None:
    qualify(scene)
    handing_out.hand_out(scene.worker.worker, scene.stage("full"), at=now())


STATUSES: dict[str, tuple[Callable[[Scene], None], str]] = {
    "new": (lambda scene: None, "I agree"),
    "consented": (consent, "Start the test"),
    "failed": (fail, "have no tries left"),
    "passed": (qualify, "2 tasks available"),
    "holding": (hold, "You have a task in progress"),
    "passed, nothing open": (
        pass_before_the_next_stage,
        "The next stage is not open yet",
    ),
    "test closed": (
        come_after_the_test_closed,
        "has not opened this study for you yet",
    ),
    "over": (
        see_the_end,
        "The study is over",
    ),
    "all rated": (rate_everything, "nothing for you to rate now"),
    "excluded": (exclude, "appeal to the researcher"),
    "withdrawn": (
        lambda scene: participation.withdraw(scene.worker, "", at=now()),
        "You have left this study",
    ),
}


@pytest.mark.parametrize("name", STATUSES)
def test_each_status_of_a_worker_is_explained(name: str, scene: Scene, rater: Client) -> None:
    happens, sentence = STATUSES[name]
    happens(scene)
    assert sentence in home(rater, scene.worker)


@pytest.mark.parametrize("name", [n for n in STATUSES if n not in ("consented", "passed")])
def test_a_worker_without_available_tasks_gets_an_explanation(
    name: str, scene: Scene, rater: Client
) -> None:
    happens, sentence = STATUSES[name]
    happens(scene)
    before = scene.worker.worker.assignments.count()
    response = rater.post(reverse("rating-task", args=[scene.token]), follow=True)
    assert scene.worker.worker.assignments.count() == before
    if name != "holding":
        assert sentence in readable(response)


def test_consent_is_recorded_once(scene: Scene, rater: Client) -> None:
    path = reverse("rating-home", args=[scene.token])
    assert rater.post(path).status_code == 303
    scene.worker.refresh_from_db()
    first = scene.worker.consented_at
    rater.post(path)
    scene.worker.refresh_from_db()
    assert first is not None and scene.worker.consented_at == first


def test_a_study_without_a_consent_text_asks_for_none(db: None, rater: Client) -> None:
    scene = make_study(consent="", qualification=None)
    assert "I agree" not in home(rater, scene.worker)
    assert take(rater, scene.token).worker == scene.worker.worker


def test_an_excluded_worker_may_finish_what_they_hold_and_is_paid(
    qualified: Scene, rater: Client
) -> None:
    assignment = take(rater, qualified.token)
    participation.exclude(qualified.worker, "", at=now())
    page = home(rater, qualified.worker)
    assert "Everything you submitted is paid" in page and "finish your current task" in page
    path = reverse("rating-assignment", args=[qualified.token, assignment.pk])
    assert rater.post(path, form(assignment, action="submit")).status_code == 303
    assert "$0.40" in home(rater, qualified.worker)


def test_pay_and_the_code_follow_a_submission(qualified: Scene, rater: Client) -> None:
    done = reverse("rating-done", args=[qualified.token])
    assert "No code yet" in readable(rater.get(done))
    assignment = take(rater, qualified.token)
    rater.post(
        reverse("rating-assignment", args=[qualified.token, assignment.pk]),
        form(assignment, action="submit"),
    )
    first = readable(rater.get(done))
    assert "$0.40" in first and '<p class="code">' in first
    other = qualified.another("olga")
    assert "$0.00" in home(rater, other) or "I agree" in home(rater, other)


def test_researchers_texts_are_markdown_and_never_html(db: None, rater: Client) -> None:
    scene = make_study(
        instructions="# Read **all**\n<script>alert(1)</script>\n\n[more](javascript:alert(1))",
        scale=tuple(ScalePoint(n, f"{n} " + "w" * 78) for n in range(1, 4)),
        qualification=None,
    )
    page = home(rater, scene.worker)
    assert "<h3>Read <strong>all</strong></h3>" in page
    assert "<script>alert" not in page and "&lt;script&gt;" in page
    assert 'href="javascript' not in page
    assert "w" * 78 in page


def test_a_changed_protocol_does_not_change_a_task_in_progress(
    qualified: Scene, rater: Client
) -> None:
    take(rater, qualified.token)
    old = qualified.study.current.protocol
    change_protocol(qualified.study, replace(old, question="Is it good?"), at=now())
    page = readable(rater.get(reverse("rating-task", args=[qualified.token])))
    assert old.question in page and "Is it good?" not in page
    assert "Is it good?" in home(rater, qualified.worker)


def test_the_page_states_a_task_of_one_answer_and_flat_pay(db: None, rater: Client) -> None:
    rated = candidates(instance("m1"), ("a pot",))
    scene = make_study(rated=rated, qualification=None)
    qualify(scene)
    assert "1 task available" in home(rater, scene.worker)
