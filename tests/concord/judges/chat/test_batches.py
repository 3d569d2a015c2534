"""Judges by batch endpoints, and answers that are copied, against a real server of the protocol."""

from __future__ import annotations

import json

import pytest

from concord.cli import main
from concord.judges.chat import (
    BatchServer,
    BudgetSpentError,
    ChatClient,
    ChatError,
    FileBudget,
    HttpTransport,
    JudgeRun,
    Template,
)
from concord.judges.chat.store import AnswerStore
from tests.concord.judges.chat.chat_server import ChatServer
from tests.concord.judges.chat.test_judging import candidates


@pytest.fixture
def server():
    server = ChatServer()
    yield server
    server.close()


def make_run(server, path, *, budget=None, name="judge", reuse=(), **client):
    return JudgeRun(
        name,
        ChatClient(HttpTransport(server.url), "made-up", **client),
        Template.load("rating"),
        (1, 5),
        budget or FileBudget(),
        AnswerStore(path, reuse),
    )


def ask(server, path, items, **options):
    run = make_run(server, path, **options)
    run.ask_all(items, batches=BatchServer(server.url), poll_seconds=0.01)
    return run


def test_a_batch_gives_the_answers_of_single_requests(server, tmp_path):
    items, budget, single = candidates(12), FileBudget(), FileBudget()
    server.open_batches = 2
    run = ask(server, tmp_path / "batch.jsonl", items, budget=budget)
    one = make_run(server, tmp_path / "one.jsonl", budget=single)
    one.ask_all(items)
    assert run.verdicts(items) == one.verdicts(items) and run.signature == one.signature
    assert budget.tokens == single.tokens and len(server.batches) == 1
    assert not (tmp_path / "batch.jsonl.batch").exists()
    ask(server, tmp_path / "batch.jsonl", items)
    assert len(server.batches) == 1, "nothing is asked twice"


class StoppedServer(BatchServer):
    """Its user stops the command while it waits."""

    def read(self, name):
        raise KeyboardInterrupt


@pytest.mark.parametrize("lost", [0, 1])
def test_a_stopped_run_finds_its_batch(server, tmp_path, lost):
    """Stopped while it waits, or before it knows that the batch was made."""
    items, out, budget = candidates(6), tmp_path / "out.jsonl", FileBudget()
    server.lost_batches, server.open_batches = lost, 1
    with pytest.raises((KeyboardInterrupt, ChatError)):
        make_run(server, out).ask_all(items, batches=StoppedServer(server.url))
    again = ask(server, out, items, budget=budget)
    assert len(server.batches) == 1 and len(again.verdicts(items)) == 6
    asked = [request["messages"][0]["content"] for request in server.requests]
    assert budget.tokens == sum(sum(server.counts(prompt)) for prompt in asked)


def test_failed_requests_of_a_batch_are_free_and_asked_again(server, tmp_path):
    items, out, budget = candidates(5), tmp_path / "out.jsonl", FileBudget()
    server.batch_faults = [500, 200, 400]
    with pytest.raises(ChatError, match="2 requests of the batch have no answer"):
        ask(server, out, items, budget=budget)
    used = budget.tokens
    later = FileBudget()
    assert len(ask(server, out, items, budget=later).verdicts(items)) == 5
    assert later.tokens > used and len(server.requests) == 7


def test_a_budget_ends_a_batch_and_what_it_pays_for_is_asked(server, tmp_path):
    items, out = candidates(6), tmp_path / "out.jsonl"
    most = sum(make_run(server, out)._client.reservation("x" * 700))
    with pytest.raises(BudgetSpentError):
        ask(server, out, items, budget=FileBudget(max_tokens=2 * most))
    run = make_run(server, out)
    assert 0 < len(run.verdicts(items)) < 6


def test_an_open_batch_of_other_questions_is_not_given_up(server, tmp_path):
    out = tmp_path / "out.jsonl"
    state = {"tag": "t", "batch": "b", "keys": ["other"]}
    (tmp_path / "out.jsonl.batch").write_text(json.dumps(state))
    with pytest.raises(ValueError, match="an open batch with 1 requests that this command"):
        ask(server, out, candidates(2))


def test_equal_requests_are_copied_from_other_runs(server, tmp_path):
    items, first = candidates(4), tmp_path / "first.jsonl"
    make_run(server, first).ask_all(items)
    run = make_run(server, tmp_path / "second.jsonl", name="other", reuse=[first])
    assert run.quote(items).requests == 0
    run.ask_all(items)
    assert len(server.requests) == 4
    assert run.verdicts(items) == make_run(server, first).verdicts(items)
    # Answers at random are drawn anew, and so are those of another model's settings.
    for client in ({"temperature": 1.0}, {"max_completion": 8}):
        other = make_run(server, tmp_path / "third.jsonl", reuse=[first], **client)
        assert other.quote(items).requests == 4


def test_the_command_asks_by_batch(server, tmp_path, capsys):
    rows = [
        {"id": f"c{k}", "references": ["r"], "candidate": "a b"[: 2 * k + 1], "scale": [1, 5]}
        for k in range(2)
    ]
    file, out = tmp_path / "answers.jsonl", tmp_path / "out.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    command = ["judge", str(file), "--endpoint", server.url, "--model", "m", "--out", str(out)]
    assert main([*command, "--batch", "--poll", "0.01", "--yes"]) == 0
    assert "2 of 2 candidates judged" in capsys.readouterr().out and len(server.batches) == 1
    reuse = [*command[:-1], str(tmp_path / "new.jsonl"), "--reuse", str(out), "--name", "x"]
    assert main([*reuse, "--yes"]) == 0 and len(server.requests) == 2
