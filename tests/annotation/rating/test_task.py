"""A task as a plain form: shown, saved, submitted, late, given back, in two windows."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation, Rating
from annotation.rating.services import handing_out, participation, session_ends
from annotation.rating.services.tokens import token_for
from concord.protocols import HitRules
from concord.protocols.packing import presentation_order
from tests.annotation.rating.scenes import (
    OTHER,
    PASSAGE,
    Scene,
    candidates,
    form,
    instance,
    make_study,
    qualify,
    take,
)
from tests.html import readable

Status = Assignment.Status
ATTACK = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


@pytest.fixture
def assignment(qualified: Scene, rater: Client) -> Assignment:
    return take(rater, qualified.token)


def page_of(rater: Client, scene: Scene) -> str:
    return readable(rater.get(reverse("rating-task", args=[scene.token])))


def path_of(scene: Scene, assignment: Assignment) -> str:
    return reverse("rating-assignment", args=[scene.token, assignment.pk])


def test_get_assigns_no_task_and_post_assigns_one(qualified: Scene, rater: Client) -> None:
    path = reverse("rating-task", args=[qualified.token])
    assert rater.get(path)["Location"] == reverse("rating-home", args=[qualified.token])
    assert Assignment.objects.count() == 0
    for _ in range(2):
        assert rater.post(path)["Location"] == path
    assert Assignment.objects.count() == 1
    assert rater.get(path).status_code == 200


def test_a_task_shows_passage_question_reference_and_answer_in_the_workers_order(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    page = page_of(rater, qualified)
    assert page.count("Mira found the old kettle") == 1
    assert page.count("What did Mira boil water in?") == 3 + 2  # and in the examples, twice
    members = list(assignment.hit.candidates.order_by("memberships__position"))
    order = [members[at].pk for at in presentation_order(len(members), assignment.seed)]
    assert [int(pk) for pk in re.findall(r'data-candidate="(\d+)"', page)] == order
    for choice in qualified.study.current.protocol.scale:
        assert page.count(f'value="{choice.value}" data-key="{choice.value}"') == 3
    assert "$0.40" in page and "59 min" in page and "0</b> of <b" in page
    assert 'data-explained="cannot"' in page, "the script repeats no rule"


def test_a_rater_does_not_see_the_system_of_an_answer(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    page = page_of(rater, qualified)
    assert "made-up" not in page and "m1-" not in page and "expected" not in page


def test_candidates_are_shown_under_their_own_passage(db: None, rater: Client) -> None:
    rated = [
        *candidates(instance("m1"), ("one", "two")),
        *candidates(instance("m2", OTHER), ("three",)),
        *candidates(instance("m3", ""), ("four",)),
    ]
    scene = make_study(rated=rated, qualification=None, hit=HitRules(4, same_passage=False))
    qualify(scene)
    take(rater, scene.token)
    page = page_of(rater, scene)
    parts = page.split('class="passage-group"')[1:]
    assert len(parts) == 3
    for part in parts:
        about_mira, about_lamp = "old kettle" in part, "lamp on the hill" in part
        assert (">one<" in part) == (">two<" in part) == about_mira
        assert (">three<" in part) == about_lamp
        assert (">four<" in part) == (not about_mira and not about_lamp)


def test_the_form_saves_ratings_and_lists_missing_ones(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    first, second, third = assignment.hit.candidates.all()
    form_data = {
        f"value-{first.pk}": "4",
        f"value-{second.pk}": "cannot",
        f"comment-{third.pk}": "a thought",
    }
    response = rater.post(path_of(qualified, assignment), form_data | {"action": "submit"})
    page = readable(response)
    assert response.status_code == 422
    assert "2 answers need a rating" in page
    assert "Not rated yet." in page and "why you cannot judge" in page
    assert "a thought" in page  # written, not lost
    assert list(Rating.objects.values_list("candidate", "value")) == [(first.pk, 4)]
    assignment.refresh_from_db()
    assert assignment.status == Status.HELD


@pytest.mark.parametrize("value", ["6", "0", "-1", "x", "4.5", "9" * 5000, "٤x"])
def test_a_value_off_the_scale_is_refused_with_the_others_saved(
    value: str, qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    first = assignment.hit.candidates.first()
    assert first is not None
    form_data = form(assignment) | {f"value-{first.pk}": value, "action": "submit"}
    response = rater.post(path_of(qualified, assignment), form_data)
    assert response.status_code == 422 and "1 answer needs a rating or a correction" in readable(
        response
    )
    assert Rating.objects.count() == 2


def test_saving_for_later_keeps_the_task(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    first = assignment.hit.candidates.first()
    assert first is not None
    response = rater.post(
        path_of(qualified, assignment), {f"value-{first.pk}": 2, "action": "save"}
    )
    assert response.status_code == 200 and "2 answers left to rate" in readable(response)
    assert f'name="value-{first.pk}" value="2" data-key="2" checked' in page_of(rater, qualified)


def test_a_submission_counts_and_sent_twice_does_no_harm(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    for value, goes_on in ((4, "Pays $0.40"), (5, "Continue your task")):
        form_data = form(assignment, value, action="submit")
        response = rater.post(path_of(qualified, assignment), form_data, follow=True)
        page = readable(response)
        assert "Your ratings count" in page and "$0.40" in page and goes_on in page
    assert set(Rating.objects.values_list("value", flat=True)) == {4}
    assert participation.earned_cents(qualified.worker) == 40


def test_a_late_submission_counts_while_it_is_needed(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    lapse(assignment)
    assert "Time's up" in page_of(rater, qualified)
    page = rater.post(
        path_of(qualified, assignment), form(assignment, action="submit"), follow=True
    )
    assert "Your ratings count" in readable(page)


def test_a_late_submission_that_is_not_needed_is_stored_and_paid(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    lapse(assignment)
    for name in ("olga", "petra"):
        other = qualified.another(name)
        qualify(qualified, other)
        while (got := take(rater, token_for(other))).hit_id != assignment.hit_id:
            finish(rater, token_for(other), got)
        finish(rater, token_for(other), got)
    page = rater.post(
        path_of(qualified, assignment), form(assignment, action="submit"), follow=True
    )
    assert "stored but not counted" in readable(page) and "$0.40" in readable(page)
    assignment.refresh_from_db()
    assert assignment.status == Status.SURPLUS
    assert participation.earned_cents(qualified.worker) == 40


def test_a_returned_task_is_available_to_others(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    page = readable(rater.post(path_of(qualified, assignment), {"action": "return"}, follow=True))
    assert "Returned" in page
    assignment.refresh_from_db()
    assert assignment.status == Status.RETURNED
    rater.post(path_of(qualified, assignment), form(assignment, action="submit"))
    assert Rating.objects.count() == 0


def test_a_form_whose_ratings_were_saved_by_script_overwrites_nothing(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    for candidate in assignment.hit.candidates.all():
        handing_out.save_rating(assignment, candidate.pk, handing_out.Answer(5), at=now())
    stale = form(assignment, 1, action="submit", saved="1")
    rater.post(path_of(qualified, assignment), stale)
    assert set(Rating.objects.values_list("value", flat=True)) == {5}
    assignment.refresh_from_db()
    assert assignment.status == Status.SUBMITTED


def test_a_second_window_shows_what_the_first_saved(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    rater.post(path_of(qualified, assignment), form(assignment, 3, action="save"))
    assert readable(Client().get(path_of(qualified, assignment))).count(" checked") == 3 + 2


def test_after_leaving_a_task_cannot_be_rated(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    participation.withdraw(qualified.worker, "", at=now())
    response = rater.post(path_of(qualified, assignment), form(assignment, action="submit"))
    assert response.status_code == 409 and "left this study" in readable(response)
    assert Rating.objects.count() == 0
    assert "This task is closed" in readable(rater.get(path_of(qualified, assignment)))


@pytest.mark.parametrize("text", [ATTACK, "שלום עולם", "🫖🌧️", "x" * 5000, "a\nb"])
def test_an_answer_is_always_shown_as_text(text: str, db: None, rater: Client) -> None:
    shown = instance("m1", f"{text} {PASSAGE}", question=text, references=(text + "r",))
    scene = make_study("odd", candidates(shown, (text,)), qualification=None)
    qualify(scene)
    take(rater, scene.token)
    page = page_of(rater, scene)
    assert "<script>alert" not in page and "<img" not in page
    assert page.count('dir="auto"') > 5
    if len(text) > 1200:
        assert "show all 5000 characters" in page


def test_a_passage_of_200_000_characters_is_shown_whole(db: None, rater: Client) -> None:
    passage = ("word " * 40_000).strip()
    scene = make_study("long", candidates(instance("m1", passage), ("a",)), qualification=None)
    qualify(scene)
    take(rater, scene.token)
    assert passage in page_of(rater, scene)


def lapse(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(lease_until=now() - timedelta(minutes=1))
    handing_out.release_expired(assignment.hit.stage, at=now())


def finish(rater: Client, token: str, assignment: Assignment) -> None:
    path = reverse("rating-assignment", args=[token, assignment.pk])
    assert rater.post(path, form(assignment, action="submit")).status_code == 303


def test_the_next_task_opens_when_one_is_submitted(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    form_data = form(assignment, action="submit")
    response = rater.post(path_of(qualified, assignment), form_data, follow=True)
    held = Assignment.objects.get(status=Assignment.Status.HELD)
    assert held.hit_id != assignment.hit_id and f'data-assignment="{held.pk}"' in readable(response)
    assert "tasks submitted: 1" in readable(response)


def test_a_rater_submits_and_stops(qualified: Scene, rater: Client, assignment: Assignment) -> None:
    form_data = form(assignment, action="submit-and-stop")
    page = readable(rater.post(path_of(qualified, assignment), form_data, follow=True))
    assert "Next task" in page and "Stop for now" in page
    assert not Assignment.objects.filter(status=Assignment.Status.HELD).exists()


def test_the_last_task_opens_nothing(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    rater.post(path_of(qualified, assignment), form(assignment, action="submit"))
    last = Assignment.objects.get(status=Assignment.Status.HELD)
    assert "Submit and stop" not in page_of(rater, qualified)
    address = f"{path_of(qualified, last)}"
    page = readable(rater.post(address, form(last, action="submit"), follow=True))
    assert "Go to the overview" in page
    assert not Assignment.objects.filter(status=Assignment.Status.HELD).exists()


def test_no_task_opens_after_the_last_of_a_session(
    qualified: Scene, rater: Client, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:

    def record(participation: Participation, at: datetime) -> None:
        pass

    one_task = (record, lambda participation: 1, record)
    monkeypatch.setattr(session_ends, "_registered", [one_task])
    assert "Submit and stop" not in page_of(rater, qualified)
    rater.post(path_of(qualified, assignment), form(assignment, action="submit"))
    assert not Assignment.objects.filter(status=Assignment.Status.HELD).exists()
