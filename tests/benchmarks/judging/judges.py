"""Model judges of tests: drafts, and the worker's work."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.utils.timezone import now

from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services import JudgeSpec
from benchmarks.sets.models import JudgmentSet
from tests.concord.judges.chat.chat_server import ChatServer

KEY = "sk-very-secret"


def make_judge(small: JudgmentSet, server: ChatServer, owner: User, **more: Any) -> ModelJudge:
    fields = {"name": "my judge", "endpoint": server.url, "model": "made-up", "key": KEY,
              "max_tokens": 1_000_000, "threads": 3} | more  # fmt: skip
    return judging.draft(small, JudgeSpec(**fields), owner=owner, at=now())


def run(judge: ModelJudge) -> ModelJudge:
    """Confirm it if it is a draft, and do the worker's work."""
    if judge.is_draft:
        judging.confirm(judge, by=judge.owner, at=now())
    judging.perform(judge.pk)
    judge.refresh_from_db()
    return judge
