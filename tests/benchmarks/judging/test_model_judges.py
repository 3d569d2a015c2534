"""Models that the site asks to judge a set, against a real server of the protocol."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from benchmarks.judging import services as judging
from benchmarks.judging import tasks
from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services.asking import StoredBudget
from benchmarks.runs.models import MetricRun
from concord.judges.chat import BudgetSpentError, Template
from core.accounts.roles import Role
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.benchmarks.factories import add_member
from tests.benchmarks.judging.judges import KEY, kill_worker, make_judge, run
from tests.concord.judges.chat.chat_server import ChatServer
from tests.core.rest.people import caller
from tests.waiting import wait_for


def test_a_confirmed_judge_becomes_a_row_of_the_board(small, server, ed):
    judge = run(make_judge(small, server, ed))
    assert (judge.status, judge.reason) == ("complete", "")
    assert len(server.requests) == 12 and server.keys == {f"Bearer {KEY}"}
    submission = judge.submission
    assert (submission.owner, submission.is_public, submission.kind) == (ed, False, "judgments")
    scores = MetricRun.objects.defer(None).get(submission=submission).score_array[:12]
    assert np.isfinite(scores).all() and (scores >= 1).all() and (scores <= 5).all()
    assert "made-up-1 at 127.0.0.1" in submission.note
    assert judge.parsed_template.hash in submission.note
    assert judge.spent_tokens == server.tokens
    assert submission.answers.count() == 12 and judge.answered_model == "made-up-1"


def test_nothing_is_sent_before_the_owner_confirms(small, server, ed):
    judge = make_judge(small, server, ed)
    quote = judging.quote(judge)
    assert (quote.host, quote.requests) == ("127.0.0.1", 12)
    assert quote.fields == ["candidate", "passage", "question", "references"]
    judging.JUDGES.perform(judge.pk)
    assert ModelJudge.stale(at=now()) == []
    assert server.requests == []
    other = User.objects.create_user("other")
    add_member("small", other, Role.EDITOR)
    with pytest.raises(RefusedError, match="Only ed may do this"):
        judging.confirm(judge, by=other, at=now())
    run(judge)
    assert judge.spent_tokens <= quote.tokens
    (event,) = AuditEvent.objects.filter(action="judge.confirmed")
    assert event.after["host"] == "127.0.0.1" and event.after["fields"] == quote.fields
    assert KEY not in str(event.after)


def test_a_quote_is_stored_with_its_draft(small, server, ed, client, monkeypatch):
    rendered, render = [], Template.render

    def count(template, *args):
        rendered.append(args)
        return render(template, *args)

    monkeypatch.setattr(Template, "render", count)
    judge, other = make_judge(small, server, ed), make_judge(small, server, ed, repeats=3)
    assert len(rendered) == 24
    client.force_login(ed)
    for _ in range(2):
        assert "12 requests go to" in " ".join(
            client.get(judge.get_absolute_url()).content.decode().split()
        )
        for one, requests in ((judge, 12), (other, 36)):
            row = caller(ed).get(f"/sets/small/model-judges/{one.pk}").json()
            assert row["quote"]["requests"] == requests
    assert len(rendered) == 24
    first, thrice = judging.quote(judge), judging.quote(other)
    assert 3 * first.prompt_tokens == thrice.prompt_tokens
    ends = make_judge(small, server, ed, scale=(10, 500))
    assert judging.quote(ends).prompt_tokens > first.prompt_tokens


def test_a_quote_is_of_the_missing_answers(small, server, ed):
    judge = make_judge(small, server, ed, max_tokens=1500, threads=1)
    whole = judging.quote(judge)
    sent = run(judge).answers.count()
    rest = judging.quote(judge)
    assert 0 < sent < 12 and rest.requests == 12 - sent
    assert rest.completion_tokens == rest.requests * judge.max_completion
    prompts = [body["messages"][0]["content"] for body in server.requests]
    assert whole.prompt_tokens - rest.prompt_tokens == sum(
        len(prompt.encode()) + 64 for prompt in prompts
    )


def test_a_raters_name_and_rating_are_never_sent(small, server, ed):
    run(make_judge(small, server, ed))
    sent = str(server.requests)
    assert "w0" not in sent and "crowd" not in sent and "4.5" not in sent


def test_the_key_is_sealed_and_deleted_when_the_judge_is_complete(small, server, ed, client):
    judge = make_judge(small, server, ed)
    assert KEY not in judge.sealed_key and judge.sealed_key
    client.force_login(ed)
    page = client.get(judge.get_absolute_url()).content.decode()
    assert KEY not in page and judge.sealed_key not in page
    run(judge)
    assert judge.sealed_key == ""


def test_a_stopped_judge_goes_on_and_asks_nothing_twice(small, server, ed):
    """Somebody stops it while the fifth answer is on its way."""
    judge = make_judge(small, server, ed, threads=1)
    judging.confirm(judge, by=ed, at=now())
    answered, answer = [], server.body

    def body(asked, prompt):
        answered.append(prompt)
        if len(answered) == 5:
            judging.stop(ModelJudge.objects.get(pk=judge.pk), by=ed, at=now())
            connection.close()
        return answer(asked, prompt)

    server.body = body
    run(judge)
    assert judge.status == "cancelled" and judge.submission is None
    stored = judge.answers.count()
    assert stored == 5 and len(server.requests) == 5
    judging.resume(judge, max_tokens=judge.max_tokens, max_cost=None, by=ed, at=now())
    run(judge)
    assert judge.status == "complete" and len(server.requests) == 12


def test_a_spent_budget_stops_and_a_higher_one_goes_on(small, server, ed):
    judge = run(make_judge(small, server, ed, max_tokens=1500))
    assert judge.status == "failed" and "could exceed the budget" in judge.reason
    assert 0 < judge.answers.count() < 12 and judge.spent_tokens <= 1500
    with pytest.raises(RefusedError, match="tokens are spent already"):
        judging.resume(judge, max_tokens=1, max_cost=None, by=ed, at=now())
    judging.resume(judge, max_tokens=100_000, max_cost=None, by=ed, at=now())
    assert run(judge).status == "complete"


def test_a_budget_of_money_stops_in_time(small, server, ed):
    judge = run(
        make_judge(
            small, server, ed, max_cost=0.0025, prompt_price=2.0, completion_price=9.0, threads=1
        )
    )
    assert judge.status == "failed" and 0 < judge.cost <= 0.0025
    assert judge.cost_per_thousand > 0


@hypothesis_settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(
    limit=st.integers(100, 12_000),
    threads=st.sampled_from([1, 4, 16]),
    faults=st.lists(st.sampled_from([429, 500, 503, "cut", {"choices": []}]), max_size=12),
)
def test_the_budget_is_never_exceeded(small, server, ed, limit, threads, faults):
    """Whatever fails, with up to 16 requests at once; a lost answer stays charged."""
    server.faults, server.tokens = list(faults), 0
    judge = run(make_judge(small, server, ed, max_tokens=limit, threads=threads))
    assert server.tokens <= judge.spent_tokens <= limit
    if judge.submission is not None:
        judge.submission.delete()
    judge.delete()


def test_sixteen_workers_reserve_no_more_than_the_budget(small, server, ed):
    judge = make_judge(small, server, ed, max_tokens=1000)
    judging.confirm(judge, by=ed, at=now())
    claimed = ModelJudge.claim(judge.pk, at=now())
    budget = StoredBudget(claimed)

    def work(number: int) -> int:
        count = 0
        with closing(connection), suppress(BudgetSpentError):
            for _ in range(20):
                budget.reserve((30 + number, 5))
                count += 35 + number
        return count

    with ThreadPoolExecutor(16) as pool:
        reserved = sum(pool.map(work, range(16)))
    judge.refresh_from_db()
    assert reserved == judge.spent_tokens <= 1000
    budget.replace((30, 5), (0, 0))
    judge.refresh_from_db()
    assert judge.spent_tokens == reserved - 35
    with pytest.raises(IntegrityError), transaction.atomic():
        ModelJudge.objects.filter(pk=judge.pk).update(spent_prompt=1001)


def test_lost_answers_stay_charged_and_refused_requests_do_not(small, server, ed):
    server.faults = [429, 500]
    judge = run(make_judge(small, server, ed, threads=1))
    assert judge.status == "complete" and len(server.requests) == 14
    assert server.tokens < judge.spent_tokens < server.tokens + 2000


def test_an_answer_after_the_timeout_stays_charged(small, server, ed, settings):
    settings.JUDGE_TIMEOUT_SECONDS = 0.3
    server.faults = ["slow"]
    judge = run(make_judge(small, server, ed, threads=1))
    assert judge.status == "complete" and len(server.requests) == 13
    wait_for(lambda: len(server.answered) == 13)
    assert server.tokens < judge.spent_tokens


def test_a_killed_worker_pays_for_no_stored_answer_twice(small, server, ed):
    """SIGKILL while requests are open; another worker goes on when the lease has lapsed."""
    server.pause = 0.05
    judge = make_judge(small, server, ed, threads=2)
    judging.confirm(judge, by=ed, at=now())
    stored = kill_worker(judge, after=4)
    assert 4 <= len(stored) < 12
    judging.JUDGES.perform(judge.pk)  # it holds its lease
    assert judge.answers.count() == len(stored)
    ModelJudge.objects.filter(pk=judge.pk).update(lease_until=now())
    run(judge)
    assert judge.status == "complete" and judge.answers.count() == 12
    assert stored <= set(judge.answers.values_list("pk", flat=True))
    # At most the two that were open are asked again, and stay charged.
    assert len(server.requests) <= 14
    assert server.tokens <= judge.spent_tokens <= judge.max_tokens


def test_a_refusal_ends_the_judge(small, server, ed):
    server.faults = [401] * 3
    judge = run(make_judge(small, server, ed))
    assert (judge.status, judge.reason) == ("failed", "127.0.0.1 answered 401.")
    assert judge.spent_tokens == server.tokens


def test_an_invalid_answer_is_counted_and_has_no_score(small, server, ed):
    server.label = lambda prompt: "good" if "boat" in prompt else "4"
    server.logprobs = False
    judge = run(make_judge(small, server, ed))
    invalid = judge.answers.filter(score=None)
    assert judge.status == "complete" and 0 < invalid.count() < 12
    reason = 'no label: the answer is "good"; a number is expected'
    assert {answer.reason for answer in invalid} == {reason}
    scores = MetricRun.objects.defer(None).get(submission=judge.submission).score_array[:12]
    assert np.isnan(scores).sum() == invalid.count()


def test_without_a_valid_answer_there_is_no_row(small, server, ed):
    server.label = lambda prompt: "?"
    judge = run(make_judge(small, server, ed))
    assert judge.reason == "None of the 12 answers of my judge is valid."
    assert judge.submission is None


def test_another_version_of_the_model_ends_the_judge(small, server, ed):
    judge = make_judge(small, server, ed, threads=1)
    answer = server.body

    def body(asked, prompt):
        server.model = "made-up-1" if len(server.requests) < 4 else "made-up-2"
        return answer(asked, prompt)

    server.body = body
    run(judge)
    assert judge.status == "failed" and "now answers as made-up-2" in judge.reason
    assert set(judge.answers.values_list("model", flat=True)) == {"made-up-1"}


def test_counts_that_cannot_be_are_not_believed(small, server, ed):
    server.counts = lambda prompt: (10**6, 1)
    judge = run(make_judge(small, server, ed))
    assert judge.status == "failed" and "Its counts cannot be relied on." in judge.reason
    assert judge.spent_tokens <= judge.max_tokens


@pytest.mark.parametrize("count", [-5, math.inf])
def test_impossible_usage_is_asked_for_again(small, server, ed, count):
    usage = {"prompt_tokens": count, "completion_tokens": 1}
    server.faults = [{"choices": [{"message": {"content": "3"}}], "usage": usage}]
    judge = run(make_judge(small, server, ed, threads=1))
    assert (judge.status, len(server.requests)) == ("complete", 13)


def test_odd_answers_are_stored_as_far_as_they_can_be(small, server, ed):
    server.model, server.logprobs = "made-up\0-1", False
    labels = {"red 0": "4" * 5000, "green 1": "4" + " " * 60_000}
    server.label = lambda prompt: next((labels[key] for key in labels if key in prompt), "4")
    server.counts = lambda prompt: (1, 1)
    judge = run(make_judge(small, server, ed))
    assert (judge.status, judge.answered_model) == ("complete", "made-up-1"), judge.reason
    lengths = {len(answer.raw) for answer in judge.answers.all()}
    assert lengths == {1, 5000, 50_000}
    reasons = {answer.reason for answer in judge.answers.filter(score=None)}
    too_large = (
        f'no label: the answer is "{"4" * 57}...", which is too large; a finite number is expected'
    )
    assert reasons == {too_large, "the answer has more than 50,000 characters"}


def test_repeats_are_stored_as_repeats(small, server, ed):
    judge = run(make_judge(small, server, ed, repeats=3))
    assert len(server.requests) == 36
    assert set(judge.submission.answers.values_list("repeat", flat=True)) == {0, 1, 2}


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"endpoint": "http://10.0.0.1/v1"}, "endpoint", "must begin with https"),
        ({"endpoint": "https://10.0.0.1/v1"}, "endpoint", "not on the public internet"),
        ({"template": "own", "own_template": "{question}"}, "own_template", "no field {candidate}"),
        ({"template": "own", "own_template": "{candidate} {x}"}, "own_template", "unknown field"),
        ({"template": "/etc/passwd"}, "own_template", "passwd"),
        ({"scale": (5, 1)}, "low", "below its highest"),
        ({"max_cost": 1.0}, "max_cost", "needs the two prices"),
        ({"name": "<b>"}, "name", "Enter a valid value"),
        ({"key": f"{KEY}\nx"}, "key", "not printable ASCII"),
        ({"key": f"{KEY}é"}, "key", "not printable ASCII"),
    ],
)
def test_a_wrong_judge_is_refused(small, server, ed, fields, field, message):
    with pytest.raises(RefusedError, match=message) as caught:
        make_judge(small, server, ed, **fields)
    assert caught.value.field == field and KEY not in str(caught.value)
    assert not ModelJudge.objects.exists()


def form_values(server: ChatServer, **more: Any) -> dict[str, Any]:
    return {"name": "my judge", "endpoint": server.url, "model": "made-up", "key": KEY,
            "template": "rating", "temperature": "0", "repeats": "1", "threads": "2",
            "max_tokens": "100000", "prompt_price": "1", "completion_price": "2",
            "logprobs": "on"} | more  # fmt: skip


def test_the_pages_quote_confirm_and_show_the_result(small, server, ed, client, monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr(tasks.ask_model, "delay", sent.append)
    client.force_login(ed)
    url = reverse("model-judges", args=["small"])
    refused = client.post(url, form_values(server, max_tokens="0"))
    assert refused.status_code == 422 and not ModelJudge.objects.exists()
    refused = client.post(url, form_values(server, key=f"{KEY}\nx"))
    assert refused.status_code == 422 and KEY not in refused.content.decode()
    assert "The key has a character that is not printable ASCII" in refused.content.decode()
    page = client.post(url, form_values(server), follow=True).content.decode()
    text = " ".join(page.split())
    judge = ModelJudge.objects.get()
    assert "Nothing has been sent yet" in text and "12 requests go to" in text
    assert "candidate, passage, question, references" in text and KEY not in page
    change = reverse("change-model-judge", args=["small", judge.pk])
    client.post(change, {"do": "confirm"})
    assert sent == [judge.pk]
    judging.JUDGES.perform(judge.pk)
    done = " ".join(client.get(judge.get_absolute_url()).content.decode().split())
    assert "complete" in done and "what it may be used for" in done
    assert "my judge" in client.get(url).content.decode()
    again = client.post(change, {"do": "confirm"}, follow=True).content.decode()
    assert "is confirmed already" in again
    client.post(change, {"do": "delete"})
    assert not ModelJudge.objects.exists()
    assert MetricRun.objects.filter(metric="my judge").exists()


def test_the_api_quotes_and_confirms(small, server, ed, monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr(tasks.ask_model, "delay", sent.append)
    api, path = caller(ed), "/sets/small/model-judges"
    body = {"name": "my judge", "endpoint": server.url, "model": "m", "key": KEY,
            "max_tokens": 1500}  # fmt: skip
    refused = api.post(path, body | {"endpoint": "https://10.0.0.1/v1"})
    assert refused.status_code == 422 and refused.json()["errors"][0]["field"] == "endpoint"
    refused = api.post(path, body | {"key": f"{KEY}\nx"})
    assert refused.status_code == 422 and refused.json()["errors"][0]["field"] == "key"
    assert KEY not in refused.content.decode()
    made = api.post(path, body)
    assert made.status_code == 201 and KEY not in made.content.decode()
    document = made.json()
    assert document["confirmed_at"] is None and document["scale"] == [1, 5]
    assert document["quote"]["requests"] == 12 and document["quote"]["host"] == "127.0.0.1"
    one = f"{path}/{document['id']}"
    assert api.post(f"{one}/confirm", {}).status_code == 200 and sent == [document["id"]]
    judging.JUDGES.perform(document["id"])
    assert api.get(one).json()["status"] == "failed"


def test_a_draft_cannot_be_stopped_and_is_confirmed_afterwards(small, server, ed):
    judge = make_judge(small, server, ed)
    assert not judging.stop(judge, by=ed, at=now())
    assert run(judge).status == "complete"


def test_only_editors_see_the_pages(small, server, ed, client):
    judge = make_judge(small, server, ed)
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    for url in (reverse("model-judges", args=["small"]), judge.get_absolute_url()):
        assert client.get(url).status_code == 302
        assert stranger.get(url).status_code == 403
    change = reverse("change-model-judge", args=["small", judge.pk])
    assert stranger.post(change, {"do": "confirm"}).status_code == 403
    judge.refresh_from_db()
    assert judge.is_draft
