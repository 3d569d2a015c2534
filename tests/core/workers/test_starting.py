"""Check whether a worker is alive."""

from __future__ import annotations

import time

import pytest

from core.workers.starting import is_worker_alive
from tests.conftest import Worker
from tests.waiting import wait_for


@pytest.mark.django_db(transaction=True)
def test_waiting_for_a_worker_ends_with_its_first_answer(worker: Worker) -> None:
    assert not is_worker_alive(timeout=0.5)
    worker.start("--queues", "light")
    wait_for(is_worker_alive)
    began = time.monotonic()
    assert is_worker_alive(timeout=600)
    assert time.monotonic() - began < 300
