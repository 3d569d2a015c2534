"""Models on this machine as judges of the site."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.judging import services as judging
from benchmarks.judging import tasks
from benchmarks.judging.models import ModelAnswer, ModelJudge
from benchmarks.judging.services import JudgeSpec, JudgingRefusedError, asking
from benchmarks.runs.models import MetricRun
from benchmarks.sets.services import frames
from concord.judges.chat import FileBudget, JudgeRun, LocalClient, Template
from concord.judges.chat.runs import JudgedCandidate
from concord.judges.chat.store import AnswerStore
from core.jobs import queues
from core.jobs.tasks import route
from tests.benchmarks.factories import make_set
from tests.benchmarks.judging.judges import run
from tests.concord.judges.chat.tiny_model import make_tiny_model
from tests.core.rest.people import caller


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("tiny-model"))


@pytest.fixture(autouse=True)
def local_only(settings, tiny_model, monkeypatch):
    """The model is offered, and any call to a server is an error."""
    settings.LOCAL_JUDGES = [str(tiny_model)]
    settings.SCORING_DEVICE = "cpu"

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a server was called")

    monkeypatch.setattr(asking, "post", refuse)


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    """The prompts that the model answers."""
    prompts, ask = [], LocalClient.ask

    def count(client: LocalClient, prompt: str):
        prompts.append(prompt)
        return ask(client, prompt)

    monkeypatch.setattr(LocalClient, "ask", count)
    return prompts


def draft(judgment_set, owner, model, **more) -> ModelJudge:
    none = dict.fromkeys(("endpoint", "model", "key"), "")
    fields = none | {"name": "local judge", "local_model": str(model), "max_tokens": 10**6} | more
    return judging.draft(judgment_set, JudgeSpec(**fields), owner=owner, at=now())


def scores_of(judge: ModelJudge) -> np.ndarray:
    return MetricRun.objects.defer(None).get(submission=judge.submission).score_array[:12]


def test_it_scores_as_the_command_does(small, ed, tiny_model, tmp_path):
    judge = draft(small, ed, tiny_model)
    quote = judging.quote(judge)
    assert (quote.host, quote.requests, quote.cost) == ("this site", 12, 0)
    assert run(judge).status == "complete", judge.reason
    template, scale = Template.load("rating"), (1, 5)
    client = LocalClient.for_template(tiny_model, template, scale, max_completion=16)
    command = JudgeRun(
        "x", client, template, scale, FileBudget(), AnswerStore(tmp_path / "out.jsonl")
    )
    items = frames.items(small, list(range(12)))
    candidates = [JudgedCandidate(str(at), item) for at, item in enumerate(items)]
    command.ask_all(candidates, threads=1)
    assert scores_of(judge).tolist() == pytest.approx(list(command.verdicts(candidates).values()))
    assert len(set(scores_of(judge).tolist())) > 1
    assert (judge.cost, judge.sealed_key, judge.threads) == (0, "", 1)
    assert 0 < judge.spent_tokens <= quote.tokens
    assert judge.answered_model == client.model
    assert f"{client.model} on this site" in judge.submission.note


def test_answers_are_cached_by_content(small, ed, tiny_model, asked):
    first = run(draft(small, ed, tiny_model))
    assert len(asked) == 12
    again = run(draft(small, ed, tiny_model, name="again", repeats=2))
    assert len(asked) == 12 and again.spent_tokens == 0
    assert again.answers.count() == 24 and scores_of(again).tolist() == scores_of(first).tolist()
    assert judging.quote(again).requests == 0
    other = run(draft(small, ed, tiny_model, name="other", scale=(1, 7)))
    assert other.status == "complete" and len(asked) == 24


def test_the_budget_stops_it_and_it_goes_on(small, ed, tiny_model, asked):
    judge = run(draft(small, ed, tiny_model, max_tokens=1500))
    assert judge.status == "failed" and "could exceed the budget" in judge.reason
    assert 0 < len(asked) < 12 and judge.spent_tokens <= 1500
    judging.resume(judge, max_tokens=10**6, max_cost=None, by=ed, at=now())
    assert run(judge).status == "complete" and len(asked) == 12


def test_a_stopped_one_keeps_its_answers(small, ed, tiny_model, asked, monkeypatch):
    judge = draft(small, ed, tiny_model)
    ask = LocalClient.ask

    def ask_and_stop(client, prompt):
        answer = ask(client, prompt)
        if len(asked) == 5:
            judging.stop(ModelJudge.objects.get(pk=judge.pk), by=ed, at=now())
        return answer

    monkeypatch.setattr(LocalClient, "ask", ask_and_stop)
    assert run(judge).status == "cancelled" and judge.answers.count() == 5
    judging.resume(judge, max_tokens=10**6, max_cost=None, by=ed, at=now())
    assert run(judge).status == "complete" and len(asked) == 12


def test_a_prompt_that_is_too_long_is_refused_and_free(tiny_model, transactional_db, tmp_path):
    from django.contrib.auth.models import User

    ed = User.objects.create_user("ed")
    judge = draft(
        make_set(tmp_path), ed, tiny_model, template="own", own_template="{candidate}" + "x" * 3000
    )
    assert run(judge).status == "failed"
    assert re.search(r"A prompt has 3,0\d\d tokens; .* reads 2,048", judge.reason)
    assert judge.spent_tokens == 0


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"local_model": "/etc"}, "local_model", "does not offer the model “/etc”"),
        ({"key": "k"}, "key", "leave it empty"),
        ({"endpoint": "https://example.org/v1"}, "endpoint", "leave it empty"),
        ({"prompt_price": 1.0}, "prompt_price", "leave it empty"),
        ({"temperature": 1.0}, "temperature", "has temperature 0"),
        ({"json_schema": True}, "json_schema", "answers in text"),
        ({"local_model": ""}, "endpoint", "Enter the address of a server"),
    ],
)
def test_what_a_local_model_does_not_have_is_refused(small, ed, tiny_model, fields, field, message):
    with pytest.raises(JudgingRefusedError, match=re.escape(message)) as caught:
        draft(small, ed, tiny_model, **fields)
    assert caught.value.field == field and not ModelJudge.objects.exists()


def test_a_model_that_is_no_longer_offered_is_not_asked(small, ed, tiny_model, settings, asked):
    judge = draft(small, ed, tiny_model)
    settings.LOCAL_JUDGES = ["no/such-model"]
    assert run(judge).status == "failed" and "any more" in judge.reason
    missing = run(draft(small, ed, "no/such-model"))
    assert missing.reason == "The model no/such-model is not on this machine."
    assert not asked and not ModelAnswer.objects.exists()


def test_the_form_and_the_api_offer_it(small, ed, tiny_model, client, settings, monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr(tasks.ask_local_model, "delay", sent.append)
    client.force_login(ed)
    url = reverse("model-judges", args=["small"])
    values = {
        "name": "form", "local_model": str(tiny_model), "template": "rating", "temperature": 0,
        "repeats": 1, "threads": 1, "max_tokens": 10_000, "prompt_price": 0, "completion_price": 0,
    }  # fmt: skip
    page = client.post(url, values, follow=True).content.decode()
    judge = ModelJudge.objects.get()
    assert "12 requests are answered on <strong>this site</strong>" in " ".join(page.split())
    client.post(reverse("change-model-judge", args=["small", judge.pk]), {"do": "confirm"})
    assert sent == [judge.pk] and route(tasks.ask_local_model.name, ())["queue"] == queues.ENCODER
    run(judge)
    page = html.unescape(client.get(f"{url}?previous={judge.pk}").content.decode())
    assert f'<option value="{tiny_model}" selected>' in page
    api = caller(ed)
    body = {"name": "api", "local_model": str(tiny_model), "max_tokens": 10**5}
    made = api.post("/sets/small/model-judges", body)
    assert made.status_code == 201 and made.json()["endpoint"] == "", made.content
    api.post(f"/sets/small/model-judges/{made.json()['id']}/confirm", {})
    assert sent == [judge.pk, made.json()["id"]]
    stale = {"at": now(), "unclaimed_for": -now().resolution}
    assert ModelJudge.stale(**stale) == []
    assert ModelJudge.stale(**stale, is_local=True) == [made.json()["id"]]
    settings.LOCAL_JUDGES = []
    page = client.get(url).content.decode()
    assert "local_model" not in page
    refused = api.post("/sets/small/model-judges", body | {"name": "third"})
    assert refused.status_code == 422, refused.content
