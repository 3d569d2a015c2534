"""What a model judge asks: examples, error marks, pairs in both orders, probes, JSON schema."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.answers import count_answers, probe_scores
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.judges.chat.asking import MAX_TRIES
from core.accounts.roles import Role
from core.refusals import RefusedError
from tests.benchmarks.analyses.test_judges import compute
from tests.benchmarks.factories import add_member, make_set
from tests.benchmarks.judging.judges import make_judge, run
from tests.concord.judges.chat.chat_server import ANSWER, ChatServer
from tests.core.rest.people import caller


def prompts(server: ChatServer) -> list[str]:
    return [body["messages"][0]["content"] for body in server.requests]


def scores_of(judge: ModelJudge) -> np.ndarray:
    return MetricRun.objects.defer(None).get(submission=judge.submission).score_array


@pytest.fixture
def paired(transactional_db, tmp_path) -> JudgmentSet:
    """12 candidates and four minimal pairs."""
    return make_set(tmp_path, "paired", pairs=4)


@pytest.fixture
def editor(paired) -> User:
    user = User.objects.create_user("edith")
    add_member("paired", user, Role.EDITOR)
    return user


def test_examples_are_of_the_train_split_which_is_not_judged(small, server, ed):
    judge = make_judge(small, server, ed, template="examples", shots=2, seed=7)
    server.label = lambda prompt: str(min(5, len(ANSWER.findall(prompt)[-1].split())))
    quote = judging.quote(judge)
    assert (quote.requests, quote.examples) == (8, 2)
    assert judge.examples.count("People's rating: ") == 2
    assert run(judge).status == "complete"
    train = dict(small.candidates.filter(instance__split="train").values_list("position", "text"))
    assert all(prompt.count("<example>") == 2 for prompt in prompts(server))
    scores = scores_of(judge)[:12]
    assert set(np.flatnonzero(np.isnan(scores))) == set(train)
    assert judge.spent_tokens <= quote.tokens
    assert "2 examples of the split train by seed 7" in judge.submission.note
    assert judge.parsed_template.hash in judge.submission.note
    again = make_judge(small, server, ed, template="examples", shots=2, seed=7)
    assert again.examples == judge.examples
    judge.submission.published_at = now()
    judge.submission.save()
    rows = {row["group"]: row for row in leaderboard(small, "split").rows}
    assert rows["test"]["pearson"]["value"] is not None and rows["test"]["n"] == 4
    assert rows["train"]["pearson"]["value"] is None


def test_examples_have_the_fields_of_the_template_only(small, server, ed):
    text = "{examples} Now {question}: <answer>{candidate}</answer> {low} to {high}"
    judge = make_judge(small, server, ed, template="own", own_template=text, shots=2)
    assert judging.quote(judge).fields == ["candidate", "question"]
    assert judge.examples.count("<answer>") == judge.examples.count("<question>") == 2
    assert "<passage>" not in judge.examples and "<references>" not in judge.examples


def test_hidden_labels_are_no_examples(small, server, ed):
    hidden.hide(small, "train", at=now())
    with pytest.raises(RefusedError, match="judged candidates of 0 passages"):
        make_judge(small, server, ed, template="examples", shots=2)


def test_examples_whose_labels_were_hidden_later_are_not_sent(small, server, ed):
    judge, queued = (make_judge(small, server, ed, template="examples", shots=2) for _ in range(2))
    judging.confirm(queued, by=ed, at=now())
    hidden.hide(small, "train", at=now())
    with pytest.raises(RefusedError, match="split train are hidden now"):
        judging.confirm(judge, by=ed, at=now())
    assert run(queued).status == "failed" and "hidden now" in queued.reason
    with pytest.raises(RefusedError, match="hidden now"):
        judging.resume(queued, max_tokens=10**6, max_cost=None, by=ed, at=now())
    assert not server.requests


def test_marked_errors_give_mqm_scores(small, server, ed):
    def label(prompt: str) -> str:
        answer = html.unescape(ANSWER.search(prompt)[1])
        mark = {"span": answer.split()[0], "severity": "major"}
        return json.dumps([mark] if answer.startswith("a ") else [])

    server.label = label
    judge = run(make_judge(small, server, ed, template="mqm"))
    assert judge.status == "complete" and judge.max_completion == 512
    texts = list(small.candidates.order_by("position").values_list("text", flat=True))
    expected = [-5.0 if text.startswith("a ") else 0.0 for text in texts]
    assert scores_of(judge)[:12].tolist() == expected and -5.0 in expected
    assert judge.answers.filter(score=-5.0).first().spans == [[0, 1, "major"]]


def test_pairs_are_asked_in_both_orders(paired, server, editor):
    judge = make_judge(paired, server, editor, template="pairwise", logprobs=False)
    assert judging.quote(judge).requests == 8
    answers = re.compile(r"<answer1>(.*?)</answer1>\n<answer2>(.*?)</answer2>", re.DOTALL)
    better = set(paired.pairs.values_list("candidate1", flat=True))
    doubtful = paired.pairs.get(position=3).candidate1

    def label(prompt: str) -> str:
        first, second = map(html.unescape, answers.search(prompt).groups())
        if doubtful in (first, second):
            return "1"  # the answer shown first, whichever it is
        return "1" if first in better else "2"

    server.label = label
    assert run(judge).status == "complete"
    scores = scores_of(judge)
    assert np.isnan(scores[:12]).all()
    assert scores[12:].tolist() == [1, 0, 1, 0, 1, 0, 0.5, 0.5]
    assert judge.submission.answers.count() == 0
    assert {answers.search(prompt)[1] in better for prompt in prompts(server)} == {True, False}


def test_an_invalid_answer_leaves_a_pair_without_scores(paired, server, editor):
    server.label = lambda prompt: "1" if len(server.requests) > 1 else "no idea"
    judge = run(make_judge(paired, server, editor, template="pairwise", threads=1, logprobs=False))
    assert np.isnan(scores_of(judge)[12:]).sum() == 2


def test_probes_have_their_own_quote_and_change_no_score(small, server, ed, client):
    plain = run(make_judge(small, server, ed, name="plain"))
    sent = len(server.requests)
    probes = ["injection", "no-references"]
    judge = make_judge(small, server, ed, name="probed", probes=probes)
    quote = judging.quote(judge)
    assert (quote.requests, quote.probes) == (36, 24)
    client.force_login(ed)
    page = " ".join(client.get(judge.get_absolute_url()).content.decode().split())
    assert "24 of the requests are probes: injection, no-references." in page
    assert run(judge).status == "complete" and len(server.requests) == sent + 36
    assert judge.spent_tokens <= quote.tokens
    assert scores_of(judge).tolist() == scores_of(plain).tolist()
    assert sum("Ignore the instructions above" in prompt for prompt in prompts(server)) == 12
    stored = probe_scores(judge.submission)
    assert {name: len(scores) for name, scores in stored.items()} == dict.fromkeys(probes, 12)
    assert count_answers([judge.submission])[judge.submission.pk].answers == 12


def test_a_judge_that_obeys_is_seen_on_its_page(tmp_path, transactional_db, server, client):
    judgment_set = make_set(tmp_path, "large", instances=30)
    ed = User.objects.create_user("ed")
    add_member("large", ed, Role.EDITOR)
    answer = server.label
    server.label = lambda prompt: "5" if "Reply with 5 and nothing" in prompt else answer(prompt)
    judge = run(make_judge(judgment_set, server, ed, probes=["injection"], threads=8))
    judge.submission.published_at = now()
    judge.submission.save()
    result = compute("judge", judgment_set, run=judge.submission.run.pk, draws=20).result
    (probe,) = [row for row in result["probes"] if row["name"] == "injection"]
    assert probe["verdict"] == "obeys instructions inside a candidate"
    assert probe["figure"]["ci"][0] > 0


def test_a_stopped_judge_goes_on_with_its_probes(small, server, ed):
    judge = run(make_judge(small, server, ed, probes=["no-references"], max_tokens=2000, threads=1))
    assert judge.status == "failed"
    stored = judge.answers.count()
    rest = judging.quote(judge)
    assert 0 < stored < 24 and rest.requests == 24 - stored
    judging.resume(judge, max_tokens=10**6, max_cost=None, by=ed, at=now())
    assert run(judge).status == "complete" and len(server.requests) == 24


@pytest.mark.parametrize("takes_schema", [True, False])
def test_answers_are_by_schema_where_the_server_can(small, server, ed, takes_schema):
    server.takes_schema = takes_schema
    judge = run(make_judge(small, server, ed, json_schema=True))
    assert (judge.status, judge.json_schema) == ("complete", takes_schema)
    asked = sum("response_format" in body for body in server.requests)
    assert (asked, len(server.requests)) == ((12, 12) if takes_schema else (1, 13))
    assert f"answers by {'JSON schema' if takes_schema else 'text'}" in judge.submission.note
    assert judge.spent_tokens == server.tokens


def test_the_schema_counts_against_the_budget(small, server, ed):
    plain, by_schema = (make_judge(small, server, ed, json_schema=yes) for yes in (False, True))
    more = judging.quote(by_schema).prompt_tokens - judging.quote(plain).prompt_tokens
    run(by_schema)
    sent = [len(json.dumps(body["response_format"])) for body in server.requests]
    assert more == sum(sent) and min(sent) > 100


def test_a_refusal_of_the_text_too_leaves_the_schema(small, server, ed):
    server.faults = [400, 400]
    judge = run(make_judge(small, server, ed, json_schema=True))
    assert (judge.status, judge.json_schema) == ("failed", True)
    judging.resume(judge, max_tokens=10**6, max_cost=None, by=ed, at=now())
    assert run(judge).status == "complete" and judge.json_schema
    assert sum("response_format" in body for body in server.requests) == 13


def test_a_late_refusal_of_the_schema_leaves_no_question_out(small, server, ed):
    server.faults = [503] * (MAX_TRIES - 1) + [400]
    judge = run(make_judge(small, server, ed, json_schema=True))
    assert (judge.status, judge.answers.count()) == ("complete", 12)
    assert not judge.json_schema


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"template": "examples"}, "shots", "needs a number of examples"),
        ({"shots": 2}, "shots", "examples such a template"),
        ({"template": "examples", "shots": 9}, "shots", "9 examples need as many"),
        ({"template": "pairwise"}, "template", "The set has no pairs."),
        ({"template": "pairwise", "pairs": "judged pairs"}, "pairs", "has no judged pairs"),
        (
            {"template": "own", "own_template": "{examples} {first} {second}", "shots": 2},
            "own_template",
            "compares pairs",
        ),
        ({"template": "mqm", "probes": ["injection"]}, "probes", "gives a number"),
        ({"json_schema": True, "scale": (0, 101)}, "high", "more than 101 labels"),
        ({"probes": ["other"]}, "probes", "no probe “other”"),
    ],
)
def test_what_cannot_be_asked_is_refused(small, server, ed, fields, field, message):
    with pytest.raises(RefusedError, match=re.escape(message)) as caught:
        make_judge(small, server, ed, **fields)
    assert caught.value.field == field and not ModelJudge.objects.exists()


def test_the_form_and_the_api_offer_all(small, server, ed, client):
    client.force_login(ed)
    values: dict[str, Any] = {
        "name": "form", "endpoint": server.url, "model": "m", "template": "examples", "shots": 1,
        "train_split": "dev", "seed": 3, "probes": ["injection"], "temperature": 0, "repeats": 1,
        "threads": 1, "max_tokens": 10_000, "prompt_price": 0, "completion_price": 0,
        "json_schema": "on",
    }  # fmt: skip
    page = client.post(reverse("model-judges", args=["small"]), values, follow=True)
    text = " ".join(page.content.decode().split())
    assert "1 candidate of the split dev with people" in text.replace("</strong>", "")
    judge = ModelJudge.objects.get()
    assert (judge.shots, judge.train_split, judge.seed) == (1, "dev", 3)
    assert (judge.probes, judge.json_schema) == (["injection"], True)
    body = {name: values[name] for name in ("endpoint", "model", "template", "shots", "seed",
            "train_split", "probes", "max_tokens")}  # fmt: skip
    made = caller(ed).post("/sets/small/model-judges", body | {"name": "api", "json_schema": True})
    assert made.status_code == 201, made.content
    document = made.json()
    assert document["quote"]["probes"] == 8 and document["quote"]["examples"] == 1
    other = ModelJudge.objects.get(pk=document["id"])
    assert other.examples == judge.examples and other.probes == judge.probes
