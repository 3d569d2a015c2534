"""People, and a small set with everything on it: scored, failed and waiting runs, pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from benchmarks.models import JudgmentSet, MetricRun
from benchmarks.services import runs, scoring
from tests.benchmarks.factories import make_set, request, score_here


@dataclass
class Scene:
    """`run` is complete; `constant` is complete but undefined; `failed` and `queued` are not."""

    judgment_set: JudgmentSet
    run: MetricRun
    constant: MetricRun
    failed: MetricRun
    queued: MetricRun

    @property
    def ref(self) -> str:
        return str(self.judgment_set)


@pytest.fixture
def scene(db: None, tmp_path: Path) -> Scene:
    judgment_set = make_set(tmp_path, "small", pairs=4, instances=8, systems=("a", "b", "c"))
    run = score_here(judgment_set, "token-f1,rouge-l")[0]
    constant = score_here(judgment_set, "exact-match")[0]
    zeros = np.zeros(judgment_set.n_items)
    constant.scores = zeros.tobytes()
    constant.statistics = scoring.statistics_of(constant, zeros)
    constant.save()
    failed, queued = request(judgment_set, "bleu-1,ter")
    runs.fail_run(failed.pk, "JavaError: the helper would not start", at=now())
    return Scene(judgment_set, run, constant, failed, queued)


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.fixture
def member(db: None) -> Client:
    """Signed in, but not staff."""
    return _signed_in(User.objects.create_user("vera"))


@pytest.fixture
def staff(db: None) -> Client:
    return _signed_in(User.objects.create_user("sam", is_staff=True))


@pytest.fixture
def people(visitor: Client, member: Client, staff: Client) -> dict[str, Client]:
    return {"visitor": visitor, "member": member, "staff": staff}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Primary keys of the runs whose work was sent; nothing reaches a broker."""
    found: list[int] = []
    monkeypatch.setattr(
        "benchmarks.tasks.enqueue", lambda asked: found.extend(run.pk for run in asked)
    )
    return found


@pytest.fixture
def no_ping(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Say whether a worker is alive instead of asking the broker."""

    def answer(alive: bool) -> None:
        monkeypatch.setattr("benchmarks.views.runs.is_worker_alive", lambda timeout: alive)

    answer(True)
    return answer


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
