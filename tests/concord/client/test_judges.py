"""Model judges and second looks by the client: drafted, quoted, confirmed, followed, resumed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.timezone import now

from benchmarks.judging import services as judging
from benchmarks.judging import tasks
from concord.client import Client, ProblemError
from tests.benchmarks.factories import write_lines
from tests.concord.judges.chat.chat_server import ChatServer


@pytest.fixture
def server(settings, monkeypatch) -> Iterator[ChatServer]:
    server = ChatServer()
    settings.OUTGOING_ALLOWED_HOSTS = [f"127.0.0.1:{server.http.server_port}"]
    monkeypatch.setattr(tasks.ask_model, "delay", judging.perform)
    yield server
    server.close()


@pytest.fixture
def name(client: Client) -> str:
    file = "concord/demo/judgments.jsonl"
    return client.import_set(file, format="concord", name="small").ref


def test_a_judge_is_quoted_confirmed_and_resumed(
    client: Client, server: ChatServer, name: str
) -> None:
    draft = client.draft_judge(
        name, name="mine", endpoint=server.url, model="m", max_tokens=3000, threads=2
    )
    assert draft.is_draft and draft.quote["requests"] == 360 and not server.requests
    assert client.wait(draft) == draft  # nothing to wait for
    failed = client.wait(client.confirm_judge(draft))
    assert failed.status == "failed" and 0 < failed.answers < 360
    assert failed.quote["requests"] == 360 - failed.answers
    done = client.wait(client.resume_judge(failed, max_tokens=10**6))
    assert (done.status, done.answers, done.quote) == ("complete", 360, None)
    assert done.submission is not None and done.spent_tokens <= 10**6
    assert client.model_judge(name, done.id) == done
    again = client.draft_judge(
        name, name="second", endpoint=server.url, model="m", max_tokens=10, previous=done
    )
    assert again.previous == done.id
    assert [one.name for one in client.model_judges(name)] == ["second", "mine"]
    client.delete_judge(again)
    assert len(list(client.model_judges(name))) == 1
    with pytest.raises(ProblemError) as refused:
        client.draft_judge(name, name="x", endpoint="https://10.0.0.1", model="m", max_tokens=1)
    assert refused.value.faults[0].field == "endpoint"


def test_looks_are_planned_read_and_stopped(client: Client, server: ChatServer, name: str) -> None:
    draft = client.draft_judge(name, name="mine", endpoint=server.url, model="m", max_tokens=10**6)
    done = client.wait(client.confirm_judge(draft))
    planned = client.plan_looks(done, max_tokens=10**6, looks=3, candidates=20, every="week")
    assert (planned.every, planned.n_looks, planned.results) == ("week", 3, [])
    for schedule in judging.drift.due(at=now()):
        tasks.start_look(schedule)
    (looks,) = client.looks(done)
    (result,) = looks.results
    assert result["status"] == "complete" and 0 < looks.spent_tokens <= planned.look_tokens
    assert result["drift"]["judges"]["mine"]["items"] == planned.candidates
    assert client.stop_looks(done).reason == "Stopped by hand."
    with pytest.raises(ProblemError, match="does not cover another look"):
        client.plan_looks(done, max_tokens=1)


def test_an_imported_set_has_no_second_look(client: Client, name: str, tmp_path: Path) -> None:
    rows = [
        {"id": one.id, "score": number % 5} for number, one in enumerate(client.candidates(name))
    ]
    file = write_lines(tmp_path / "scores.jsonl", rows)
    client.submit_scores(name, file, name="mine")
    (run,) = client.runs(name)
    with pytest.raises(ProblemError, match="not frozen from a study"):
        client.start_second_look(run, ["x"])
    with pytest.raises(ProblemError, match="has no second look"):
        client.second_look(run)
