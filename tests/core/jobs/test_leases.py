"""The heartbeat that renews several leases of a worker."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils.timezone import now

from benchmarks.runs.models import RunChunk
from benchmarks.runs.services import scheduling
from core.jobs.leases import heartbeat
from tests.benchmarks.factories import make_set, request
from tests.waiting import wait_for


@pytest.mark.django_db(transaction=True)
def test_one_thread_renews_all_leases_but_those_taken_over(
    transactional_db: None, tmp_path: Path, settings: Any
) -> None:
    settings.SCORING_LEASE_SECONDS = 0.3
    for _ in request(make_set(tmp_path), "token-f1,ter"):
        scheduling.claim("light", at=now())
    own, others = RunChunk.objects.filter(status=RunChunk.HELD).order_by("pk")[:2]
    RunChunk.objects.filter(pk=others.pk).update(attempt=others.attempt + 1)
    long_ago = now() - timedelta(days=1)
    RunChunk.objects.update(lease_until=long_ago)
    before = threading.active_count()
    with heartbeat(own, others):
        assert threading.active_count() == before + 1
        for _ in range(2):  # it goes on after one is lost
            RunChunk.objects.filter(pk=own.pk).update(lease_until=long_ago)
            wait_for(lambda: RunChunk.objects.get(pk=own.pk).lease_until > now(), pause=0.01)
    assert RunChunk.objects.get(pk=others.pk).lease_until == long_ago
