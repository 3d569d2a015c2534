"""Model judges of tests: drafts, and the worker's work."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils.timezone import now

from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelAnswer, ModelJudge
from benchmarks.judging.services import JudgeSpec
from benchmarks.sets.models import JudgmentSet
from concord.judges.chat import asking
from tests.concord.judges.chat.chat_server import ChatServer
from tests.waiting import wait_for

KEY = "sk-very-secret"


def allowed_server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A server of the chat protocol that the site may call, for a fixture."""
    server = ChatServer()
    settings.OUTGOING_ALLOWED_HOSTS = [f"127.0.0.1:{server.http.server_port}"]
    monkeypatch.setattr(asking, "retry_pause", lambda *_: 0.001)
    yield server
    server.close()


def make_judge(small: JudgmentSet, server: ChatServer, owner: User, **more: Any) -> ModelJudge:
    fields = {"name": "my judge", "endpoint": server.url, "model": "made-up", "key": KEY,
              "max_tokens": 1_000_000, "threads": 3} | more  # fmt: skip
    return judging.draft(small, JudgeSpec(**fields), owner=owner, at=now())


def kill_worker(judge: ModelJudge, *, after: int) -> set[int]:
    """SIGKILL a worker of a confirmed judge after so many answers, while requests are open. Returns
    the primary keys of the stored answers. The lease is left as it is."""
    connection.close()  # each process has its own
    worker = os.fork()
    if not worker:
        judging.JUDGES.perform(judge.pk)
        os._exit(0)
    wait_for(lambda: ModelAnswer.objects.filter(judge=judge).count() >= after)
    os.kill(worker, signal.SIGKILL)
    _, status = os.waitpid(worker, 0)
    assert os.WIFSIGNALED(status)
    judge.refresh_from_db()
    assert judge.status == "running"
    return set(judge.answers.values_list("pk", flat=True))


def run(judge: ModelJudge) -> ModelJudge:
    """Confirm it if it is a draft, and do the worker's work."""
    if judge.is_draft:
        judging.confirm(judge, by=judge.owner, at=now())
    judging.JUDGES.perform(judge.pk)
    judge.refresh_from_db()
    return judge
