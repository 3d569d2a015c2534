"""Model judges by the API: drafted, quoted, confirmed, followed, resumed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.judging import services as judging
from benchmarks.judging import tasks
from concord.client import Client, ProblemError
from tests.concord.judges.chat.chat_server import ChatServer


@pytest.fixture
def server(settings, monkeypatch) -> Iterator[ChatServer]:
    server = ChatServer()
    settings.OUTGOING_ALLOWED_HOSTS = [f"127.0.0.1:{server.http.server_port}"]
    monkeypatch.setattr(tasks.ask_model, "delay", judging.JUDGES.perform)
    yield server
    server.close()


@pytest.fixture
def name(client: Client) -> str:
    file = "concord/demo/judgments.jsonl"
    return client.import_set(file, format="concord", name="small").ref


def test_a_judge_is_quoted_and_confirmed(client: Client, server: ChatServer, name: str) -> None:
    path = f"/sets/{name}/model-judges"
    body = {"name": "mine", "endpoint": server.url, "model": "m", "max_tokens": 3000}
    draft = client.post(path, body | {"threads": 2}, creates=True)
    assert draft["confirmed_at"] is None and draft["quote"]["requests"] == 360
    assert not server.requests
    judge = f"{path}/{draft['id']}"
    client.post(f"{judge}/confirm")
    failed = client.wait(judge)
    assert failed["status"] == "failed" and 0 < failed["answers"] < 360
    assert failed["quote"]["requests"] == 360 - failed["answers"]
    with pytest.raises(ProblemError) as refused:
        client.post(path, body | {"endpoint": "https://10.0.0.1"}, creates=True)
    assert refused.value.faults[0].field == "endpoint"
