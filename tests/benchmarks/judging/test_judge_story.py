"""A judge on the site's pages from the first prompt to drift, and through a SIGKILL."""

from __future__ import annotations

import html
from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services import drift
from core.accounts.roles import Role
from core.webhooks.models import Delivery, Webhook
from tests.benchmarks.factories import add_member, make_set
from tests.benchmarks.judging.judges import KEY, kill_worker, run
from tests.concord.judges.chat.chat_server import ANSWER, ChatServer

STRICT = "Be strict. {question} <answer>{candidate}</answer> From {low} to {high}."


def answers(server: ChatServer, *, has_drifted: bool) -> None:
    """With strict instructions, the model tells right answers from wrong ones, until it drifts."""

    def label(prompt: str) -> str:
        answer = html.unescape(ANSWER.findall(prompt)[-1])
        if "Be strict" not in prompt:
            return str(1 + len(answer) % 5)
        return "5" if answer.startswith("the ") != has_drifted else "2"

    server.label, server.logprobs = label, False


def text_of(content: bytes) -> str:
    return html.unescape(" ".join(content.decode().split()))


def submit(client: Client, url: str, values: dict[str, object]) -> str:
    """Send a form that is accepted; the page that follows."""
    page = client.post(url, values, follow=True)
    assert page.redirect_chain, page.content.decode()
    return text_of(page.content)


def change(client: Client, judge: ModelJudge, do: str) -> str:
    return submit(client, reverse("change-model-judge", args=["large", judge.pk]), {"do": do})


def killed(judge: ModelJudge, server: ChatServer, *, after: int) -> ModelJudge:
    """The judge after a worker died and another one went on; what was stored is not asked again."""
    server.pause = 0.05
    stored = kill_worker(judge, after=after)
    server.pause = 0.0
    ModelJudge.objects.filter(pk=judge.pk).update(lease_until=now())
    assert judge.pk in ModelJudge.stale(at=now())
    run(judge)
    assert judge.status == "complete" and stored <= set(judge.answers.values_list("pk", flat=True))
    return judge


def test_a_judge_is_built_aligned_and_found_drifting(transactional_db, tmp_path, server, client):
    make_set(tmp_path, "large", instances=30)
    edith = User.objects.create_user("edith")
    add_member("large", edith, Role.EDITOR)
    client.force_login(edith)
    Webhook.objects.create(
        owner=edith, kind="set", key="large", url="https://hooks.example.org/",
        events=["drift.found"], sealed_secret="", created_at=now(),
    )  # fmt: skip
    answers(server, has_drifted=False)
    # Built: nothing is sent before its owner confirms. A worker is killed in the middle.
    values = {
        "name": "first", "endpoint": server.url, "model": "made-up", "key": KEY,
        "template": "rating", "temperature": 0, "repeats": 1, "threads": 2,
        "max_tokens": 10**6, "prompt_price": 0, "completion_price": 0,
    }  # fmt: skip
    page = submit(client, reverse("model-judges", args=["large"]), values)
    assert "60 requests go to" in page and server.requests == []
    first = ModelJudge.objects.get()
    change(client, first, "confirm")
    killed(first, server, after=10)
    assert len(server.requests) <= 62
    # Aligned, with the disagreements in view.
    align = reverse("align", args=["large", first.pk])
    assert "first agrees with people at r = " in text_of(client.get(align).content)
    changed = {"name": "second", "own_template": STRICT, "key": KEY, "max_tokens": 10**6}
    submit(client, align, changed)
    second = ModelJudge.objects.get(name="second")
    change(client, second, "confirm")
    run(second)
    page = text_of(client.get(reverse("align", args=["large", second.pk])).content)
    assert "second agrees with people at r = " in page
    # Found drifting, by a look whose worker is killed too.
    plan = {"every": "day", "looks": 30, "candidates": 40, "key": KEY, "max_tokens": 10**6}
    submit(client, reverse("plan-looks", args=["large", second.pk]), plan)
    (look,) = drift.start_due(at=now())
    assert run(look).drift["judges"]["second"]["verdict"] == "no fall is seen"
    answers(server, has_drifted=True)
    (look,) = drift.start_due(at=now() + timedelta(days=1))
    n_asked, n_positions = len(server.requests), len(look.schedule.positions)
    killed(look, server, after=10)
    assert len(server.requests) - n_asked <= n_positions + 2
    assert look.drift["judges"]["second"]["verdict"] == "agreement fell"
    assert Delivery.objects.get().event == "drift.found"
    page = text_of(client.get(second.get_absolute_url()).content)
    assert ">Agreement fell</strong>" in page
