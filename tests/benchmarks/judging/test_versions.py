"""A changed prompt is a new version of a judge, compared on candidates that nobody has read."""

from __future__ import annotations

import html
from contextlib import suppress

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from benchmarks.sets.models import JudgmentSet
from core.accounts.roles import Role
from core.refusals import RefusedError
from tests.benchmarks.factories import add_member, make_set, score_here
from tests.benchmarks.judging.judges import make_judge, run
from tests.concord.judges.chat.chat_server import ANSWER, ChatServer
from tests.core.rest.people import caller

BETTER = "Be strict. {question} <answer>{candidate}</answer> From {low} to {high}."


@pytest.fixture
def large(transactional_db, tmp_path) -> JudgmentSet:
    """60 candidates of 30 passages."""
    return make_set(tmp_path, "large", instances=30)


@pytest.fixture
def edith(large) -> User:
    user = User.objects.create_user("edith")
    add_member("large", user, Role.EDITOR)
    return user


def answers(server: ChatServer) -> None:
    """The better prompt tells right answers from wrong ones; the other one hardly does."""

    def label(prompt: str) -> str:
        answer = html.unescape(ANSWER.search(prompt)[1])
        if "Be strict" in prompt:
            return "5" if answer.startswith("the ") else "1"
        return str(1 + len(answer) % 5)

    server.label, server.logprobs = label, False


def versions(large: JudgmentSet, server: ChatServer, edith: User) -> tuple[ModelJudge, ModelJudge]:
    answers(server)
    options = {"logprobs": False, "threads": 8}
    old = run(make_judge(large, server, edith, name="first", **options))
    new = make_judge(
        large,
        server,
        edith,
        name="second",
        template="own",
        own_template=BETTER,
        previous=old,
        **options,
    )
    return old, new


def test_a_better_prompt_is_better_on_held_out_candidates(large, server, edith, client):
    old, new = versions(large, server, edith)
    new = run(new)
    row = new.comparison
    assert (row["seen"], row["items"], row["passages"]) == (0, 60, 30)
    assert row["verdict"] == "the new version is better" and row["difference"]["ci"][0] > 0
    assert row["new"]["value"] > 0.9 and row["error_difference"]["ci"][1] < 0
    client.force_login(edith)
    page = " ".join(client.get(new.get_absolute_url()).content.decode().split())
    assert "On held-out candidates the new version is better." in page
    document = caller(edith).get(f"/sets/large/model-judges/{new.pk}").json()
    assert document["comparison"] == row and document["previous"] == old.pk


def test_too_few_candidates_give_a_reason(small, server, ed, client):
    old = run(make_judge(small, server, ed, name="first"))
    new = run(make_judge(small, server, ed, name="second", previous=old))
    assert new.status == "complete" and "6 passages are left" in new.comparison["reason"]
    client.force_login(ed)
    assert "6 passages are left" in client.get(new.get_absolute_url()).content.decode()


def test_a_version_before_without_scores_gives_a_reason(small, server, ed):
    first = run(make_judge(small, server, ed, name="first"))
    second = make_judge(small, server, ed, name="second", previous=first)
    score_here(small, "token-f1")  # a run without a submission
    ModelJudge.objects.filter(pk=first.pk).update(submission=None)
    assert "scores of first were withdrawn" in run(second).comparison["reason"]


def test_a_failed_comparison_loses_no_answers(small, server, ed, monkeypatch):
    first = run(make_judge(small, server, ed, name="first"))
    second = make_judge(small, server, ed, name="second", previous=first)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(judging, "compare_with_previous", fail)
    with suppress(ZeroDivisionError):
        run(second)
    second.refresh_from_db()
    assert second.status == "complete" and second.submission.run.status == "complete"


def test_only_a_complete_version_has_a_next_one(small, server, ed):
    draft = make_judge(small, server, ed)
    with pytest.raises(RefusedError, match="is not complete"):
        make_judge(small, server, ed, name="second", previous=draft)


def test_the_page_drafts_the_next_version_with_the_old_prompt(small, server, ed, client):
    old = run(
        make_judge(small, server, ed, probes=["injection"], temperature=0.5, max_completion=9)
    )
    client.force_login(ed)
    page = client.get(old.get_absolute_url()).content.decode()
    assert f"model-judges/?previous={old.pk}#new" in page
    url = f"{reverse('model-judges', args=['small'])}?previous={old.pk}"
    page = client.get(url).content.decode()
    assert html.escape(old.template.splitlines()[0]) in page and "A new version" in page
    assert 'name="max_completion" value="9"' in page
    values = {
        "name": "second", "endpoint": server.url, "model": "m", "template": "own",
        "own_template": BETTER, "low": 1, "high": 5, "temperature": 0, "repeats": 1, "threads": 1,
        "max_tokens": 10**5, "prompt_price": 0, "completion_price": 0, "previous": old.pk,
    }  # fmt: skip
    client.post(reverse("model-judges", args=["small"]), values)
    assert ModelJudge.objects.get(name="second").previous == old
    values |= {"name": "third", "previous": 999}
    assert client.post(reverse("model-judges", args=["small"]), values).status_code == 404
