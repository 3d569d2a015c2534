"""Looks at a judge on a schedule: the same candidates again, drift, failures and the budget."""

from __future__ import annotations

import html
import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.judging import services as judging
from benchmarks.judging import tasks
from benchmarks.judging.models import DriftSchedule, ModelJudge
from benchmarks.judging.services import JudgingRefusedError, drift
from benchmarks.judging.services.drift import DriftPlan
from benchmarks.sets.models import JudgmentSet, SetMember
from core.accounts.roles import Role
from core.webhooks.models import Delivery, Webhook
from tests.benchmarks.factories import add_member, make_set
from tests.benchmarks.judging.judges import KEY, make_judge, run, start_due
from tests.concord.judges.chat.chat_server import ANSWER, ChatServer
from tests.core.rest.people import caller

DAY = timedelta(days=1)


@pytest.fixture
def large(transactional_db, tmp_path) -> JudgmentSet:
    """24 candidates of 12 passages."""
    return make_set(tmp_path, "large", instances=12)


@pytest.fixture
def edith(large) -> User:
    user = User.objects.create_user("edith")
    add_member("large", user, Role.EDITOR)
    return user


@pytest.fixture
def judge(large, server, edith) -> ModelJudge:
    """A judge that is near to people."""
    answer(server, right="5", wrong="2")
    return run(make_judge(large, server, edith, logprobs=False, threads=4))


def answer(server: ChatServer, *, right: str, wrong: str) -> None:
    def label(prompt: str) -> str:
        text = html.unescape(ANSWER.search(prompt)[1])
        return right if text.startswith("the ") else wrong

    server.label, server.logprobs = label, False


def plan(judge: ModelJudge, **more: Any) -> DriftSchedule:
    fields = {"key": KEY, "max_tokens": 10**6, "looks": 5, "candidates": 20} | more
    return drift.start(judge, DriftPlan(**fields), by=judge.owner, at=now())


def look(at=None) -> ModelJudge:
    """Start the look that is due, and do the worker's work."""
    (started,) = start_due(at=at or now())
    return run(started)


def row(one: ModelJudge) -> dict[str, Any]:
    (found,) = one.drift["judges"].values()
    return found


def events(owner: User) -> Webhook:
    return Webhook.objects.create(
        owner=owner, kind="set", key="large", url="https://hooks.example.org/",
        events=["drift.found", "drift.ended"], sealed_secret="", created_at=now(),
    )  # fmt: skip


def sent() -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in Delivery.objects.order_by("created_at", "pk")]


def test_a_look_asks_the_same_candidates_again(judge, server, edith, client):
    schedule = plan(judge)
    assert 20 <= len(schedule.positions) < 24 and KEY not in schedule.sealed_key
    most = judge.tokens_per_candidate * len(schedule.positions)
    assert schedule.look_tokens == pytest.approx(most, rel=0.05)
    n_asked = len(server.requests)
    first, second = look(), look(now() + DAY)
    assert (first.status, first.reason, first.submission) == ("complete", "", None)
    assert len(server.requests) - n_asked == 2 * len(schedule.positions)
    assert server.keys == {f"Bearer {KEY}"}
    asked = set(first.answers.values_list("position", flat=True))
    assert asked == set(second.answers.values_list("position", flat=True))
    assert row(first)["verdict"] == "no fall is seen" and row(first)["changed"]["value"] == 0
    assert first.drift["looks"] == 5 and first.drift["level"] == pytest.approx(0.01)
    client.force_login(edith)
    page = " ".join(client.get(judge.get_absolute_url()).content.decode().split())
    assert "A look every day, 5 at most" in page and "No fall is seen" in page
    assert KEY not in page and schedule.sealed_key not in page
    assert "my judge" in page and client.get(first.get_absolute_url()).status_code == 200
    listed = caller(edith).get("/sets/large/model-judges").json()["results"]
    assert [one["id"] for one in listed] == [judge.pk]
    list_page = client.get(reverse("model-judges", args=["large"])).content.decode()
    assert list_page.count("my judge</a>") == 1


def test_a_webhook_gets_a_fall_once(judge, server, edith):
    events(edith)
    plan(judge)
    look()
    answer(server, right="2", wrong="5")
    server.model = "made-up-2"
    second, third = look(now() + DAY), look(now() + 2 * DAY)
    assert row(second)["verdict"] == row(third)["verdict"] == "agreement fell"
    assert second.answered_model == "made-up-2"
    (event,) = sent()
    assert event["type"] == "drift.found" and event["data"]["looks"] == 2
    assert event["data"]["fall"]["value"] > 1 and event["data"]["path"] == judge.get_absolute_url()


def test_a_model_that_cannot_be_reached_is_a_failed_look(judge, server, edith, client):
    events(edith)
    schedule = plan(judge)
    server.close()
    failed = look()
    assert failed.status == "failed" and failed.drift is None and failed.reason
    schedule.refresh_from_db()
    assert schedule.ended_at is None and sent() == []
    client.force_login(edith)
    page = html.unescape(client.get(judge.get_absolute_url()).content.decode())
    assert failed.reason in page and "Agreement fell<" not in page
    assert start_due(at=now()) == []
    assert len(start_due(at=now() + DAY)) == 1


def test_the_looks_end_with_the_budget(judge, edith, client):
    events(edith)
    most = plan(judge).look_tokens
    assert drift.stop(judge, by=edith, at=now())
    schedule = plan(judge, max_tokens=most + 10)
    look()
    schedule.refresh_from_db()
    assert schedule.ended_at and "does not cover another look" in schedule.reason
    assert schedule.sealed_key == "" and 0 < schedule.spent_tokens <= most
    assert [one["type"] for one in sent()] == ["drift.ended"] * 2
    assert start_due(at=now() + DAY) == []
    client.force_login(edith)
    assert "does not cover another look" in client.get(judge.get_absolute_url()).content.decode()
    with pytest.raises(JudgingRefusedError, match="does not cover"):
        plan(judge, max_tokens=most - 1)


def test_a_budget_in_money_ends_the_looks_too(large, server, edith):
    answer(server, right="5", wrong="2")
    judge = run(make_judge(large, server, edith, logprobs=False, prompt_price=10))
    most = plan(judge)
    cost = judge.prices.cost(most.look_prompt, most.look_completion)
    drift.stop(judge, by=edith, at=now())
    schedule = plan(judge, max_cost=cost)
    assert look().max_cost == pytest.approx(cost)
    schedule.refresh_from_db()
    assert "it may cost" in schedule.reason


def test_the_planned_looks_are_all_there_are(judge):
    schedule = plan(judge, looks=2, every="week")
    at = now()
    look(at)
    assert start_due(at=at + 6 * DAY) == []
    look(at + 7 * DAY)
    schedule.refresh_from_db()
    assert schedule.reason.startswith("All of the 2 planned looks are done.")
    assert start_due(at=at + 14 * DAY) == []


def test_a_look_starts_once_and_missed_ones_are_not_made_up_for(judge):
    schedule = plan(judge)
    at = schedule.next_at
    assert len(start_due(at=at)) == 1 and start_due(at=at) == []
    # One look at a time: the next one waits for the end of this one.
    assert start_due(at=at + 3 * DAY) == []
    run(ModelJudge.objects.get(schedule=schedule))
    assert len(start_due(at=at + 3.5 * DAY)) == 1
    schedule.refresh_from_db()
    assert schedule.next_at == at + 4 * DAY


def test_stopping_ends_a_look_that_runs(judge, edith, client):
    schedule = plan(judge)
    (started,) = start_due(at=now())
    client.force_login(edith)
    with pytest.raises(JudgingRefusedError, match="stop them first"):
        judging.discard(judge, by=edith)
    url = reverse("change-model-judge", args=["large", judge.pk])
    client.post(url, {"do": "stop-looks"})
    schedule.refresh_from_db()
    started.refresh_from_db()
    assert (schedule.reason, started.status) == ("Stopped by hand.", "cancelled")
    judging.discard(judge, by=edith)
    assert not ModelJudge.objects.exists() and not DriftSchedule.objects.exists()


def test_an_owner_without_the_set_asks_nothing_more(judge, server):
    schedule = plan(judge)
    SetMember.objects.all().delete()
    n_asked = len(server.requests)
    assert start_due(at=now()) == [] and len(server.requests) == n_asked
    schedule.refresh_from_db()
    assert schedule.reason == "edith may not edit the set any more."


def test_answers_on_another_scale_are_graded_by_the_first_ones(large, server, edith):
    answer(server, right="1", wrong="0")
    judge = run(make_judge(large, server, edith, template="correct", logprobs=False))
    plan(judge)
    assert row(look())["fall"]["value"] == 0
    answer(server, right="0", wrong="1")
    found = row(look(now() + DAY))
    assert found["verdict"] == "agreement fell" and found["base"]["value"] < 0.5


def test_the_form_plans_looks_within_its_bounds(judge, edith, client, small, server):
    client.force_login(edith)
    url = reverse("plan-looks", args=["large", judge.pk])
    values = {"every": "week", "looks": 0, "candidates": 20, "key": KEY, "max_tokens": 10**6}
    answer_page = client.post(url, values)
    assert answer_page.status_code == 422 and "looks_error" in answer_page.content.decode()
    assert client.post(url, values | {"looks": 4}).status_code == 302
    schedule = judge.schedules.get()
    assert (schedule.every, schedule.n_looks, schedule.max_tokens) == ("week", 4, 10**6)
    again = client.post(url, values | {"looks": 4})
    assert again.status_code == 422 and "stop them first" in again.content.decode()
    add_member("small", edith, Role.EDITOR)
    few = run(make_judge(small, server, edith, logprobs=False))
    with pytest.raises(JudgingRefusedError, match="6 passages; 10 or more"):
        plan(few)
    other = User.objects.create_user("other")
    with pytest.raises(judging.NotOwnerError):
        drift.start(judge, DriftPlan(10**6), by=other, at=now())


def test_every_minute_the_workers_get_the_looks_that_are_due(judge, monkeypatch):
    plan(judge)
    due: list[int] = []
    taken: list[int] = []
    monkeypatch.setattr(tasks.start_look, "delay", due.append)
    monkeypatch.setattr(tasks.ask_model, "delay", taken.append)
    tasks.start_looks()
    tasks.start_looks()
    assert len(due) == 2 and not ModelJudge.objects.filter(schedule__isnull=False).exists()
    for schedule in due:
        tasks.start_look(schedule)
    assert taken == [ModelJudge.objects.get(schedule__isnull=False).pk]
