"""The page Align: the versions of a judge on held-out passages, and its disagreements on train."""

from __future__ import annotations

import html

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services import alignment
from benchmarks.judging.services.versions import train_part
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden, importing
from concord.formats import read_judgments
from core.accounts.roles import Role
from tests.benchmarks.factories import add_member, candidate_lines, make_set, write_lines
from tests.benchmarks.judging.judges import make_judge, run
from tests.concord.judges.chat.chat_server import ANSWER, ChatServer

STRICT = "Be strict. {question} <answer>{candidate}</answer> From {low} to {high}."
EXAMPLES = "As they rated. {examples} <answer>{candidate}</answer> From {low} to {high}."


@pytest.fixture
def large(transactional_db, tmp_path) -> JudgmentSet:
    """60 candidates of 30 passages, of which 10 are in the train split."""
    return make_set(tmp_path, "large", instances=30)


@pytest.fixture
def first(large, server, client) -> ModelJudge:
    """A judge that hardly tells right answers from wrong ones; its owner is signed in."""
    edith = User.objects.create_user("edith")
    add_member("large", edith, Role.EDITOR)
    client.force_login(edith)
    answers(server)
    return run(make_judge(large, server, edith, name="first", logprobs=False, threads=4))


def answers(server: ChatServer) -> None:
    """With instructions that say so, right answers get 5 and wrong ones 1."""

    def label(prompt: str) -> str:
        answer = html.unescape(ANSWER.findall(prompt)[-1])
        if "Be strict" in prompt or "As they rated" in prompt:
            return "5" if answer.startswith("the ") else "1"
        return str(1 + len(answer) % 5)

    server.label, server.logprobs = label, False


def address(judge: ModelJudge) -> str:
    return reverse("align", args=["large", judge.pk])


def text_of(client: Client, judge: ModelJudge) -> str:
    answer = client.get(address(judge))
    assert answer.status_code == 200
    return html.unescape(" ".join(answer.content.decode().split()))


def next_version(client: Client, judge: ModelJudge, **more: object) -> ModelJudge:
    """What the page's form drafts, run."""
    values = {"name": "second", "own_template": STRICT, "key": "", "max_tokens": 10**6} | more
    answer = client.post(address(judge), values)
    assert answer.status_code == 302, answer.content.decode()
    return run(ModelJudge.objects.get(name=values["name"]))


def test_from_a_first_prompt_to_a_stated_agreement(large, first, client):
    page = text_of(client, first)
    assert "There is one version so far." in page and first.template.split("\n")[0] in page
    second = next_version(client, first)
    assert second.aligned and second.previous == first and second.endpoint == first.endpoint
    # What was read on the page is left out of the comparison on the judge's own page too.
    assert (second.comparison["seen"], second.comparison["passages"]) == (20, 20)
    page = text_of(client, second)
    choice = alignment.compare(large, alignment.versions_of(second))
    assert choice.chosen == second.pk and (choice.items, choice.passages) == (40, 20)
    assert "second agrees with people at r = " in page and ">Be strict</mark>" in page
    old, new = (choice.by_version[one.pk] for one in (first, second))
    assert old.test.value < 0.5 < 0.9 < new.test.value
    assert new.isotonic.value < new.own.value and new.line.value < old.line.value


def test_texts_and_labels_of_held_out_passages_are_not_shown(large, first, client):
    page = text_of(client, first)
    shown = set()
    for candidate in large.candidates.select_related("instance"):
        is_shown = f">{candidate.key}</a>" in page
        assert (f"{candidate.instance.passage}" in page) == is_shown
        shown |= {candidate.instance.split} if is_shown else set()
    assert shown == {"train"}


def test_a_version_with_examples_is_compared_but_not_chosen(large, first, client):
    with_examples = next_version(client, first, name="shown", own_template=EXAMPLES, shots=3)
    assert with_examples.shots == 3 and with_examples.train_split == "train"
    page = text_of(client, with_examples)
    assert "shown has examples of the split train and did not judge it" in page
    choice = alignment.compare(large, alignment.versions_of(first))
    assert choice.chosen == first.pk
    assert choice.by_version[with_examples.pk].test.value > 0.9
    assert choice.by_version[with_examples.pk].train.reason == "it did not judge the train part"


def test_hidden_labels_are_not_in_the_train_part(large):
    splits = frames.frame(large).labels["split"]
    assert set(splits[train_part(large)]) == {"train"}
    hidden.hide(large, "train", at=now())
    assert not train_part(large).any()


def test_without_a_train_split_half_of_the_passages_are_the_train_part(db, tmp_path):
    lines = [line | {"split": "test"} for line in candidate_lines(12)]
    file = write_lines(tmp_path / "plain.jsonl", lines)
    judgments = read_judgments([file], "concord")
    one_split = importing.import_judgments("plain", judgments, at=now())
    part, clusters = train_part(one_split), frames.frame(one_split).clusters
    assert len(np.unique(clusters[part])) == 6
    assert not np.isin(clusters[~part], clusters[part]).any()


def test_what_is_missing_is_said(small, server, ed, client):
    client.force_login(ed)
    judge = make_judge(small, server, ed)
    url = reverse("align", args=["small", judge.pk])
    assert "no version has scores yet" in client.get(url).content.decode()
    values = {"name": "second", "own_template": STRICT, "key": "", "max_tokens": 10**6}
    answer = client.post(url, values)
    assert answer.status_code == 422 and "is not complete" in answer.content.decode()
    run(judge)
    page = client.get(url).content.decode()
    assert "the train part has 2 passages" in page and "20 or more" in page
