"""Whose chunk is next: fair between sets and runs, the cheapest first, stopped runs passed over."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils.timezone import now

from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import scheduling
from tests.benchmarks.factories import make_set, request

pytestmark = pytest.mark.django_db


@pytest.fixture
def small_chunks(settings) -> None:
    settings.SCORING_CHUNK_SIZE = 5


def order(lane: str, count: int, start: datetime | None = None) -> list[str]:
    """The metric and the set of the next `count` chunks claimed, a second apart."""
    start = start or now()
    named = []
    for second in range(count):
        for chunk in scheduling.claim(lane, at=start + timedelta(seconds=second)):
            named.append(f"{chunk.run.metric} {chunk.run.judgment_set.name}")
    return named


@pytest.mark.usefixtures("small_chunks")
def test_runs_of_a_set_take_turns_and_the_cheapest_begins(tmp_path):
    request(make_set(tmp_path), "meteor,token-f1,ter")
    three = ["token-f1 small", "ter small", "meteor small"]
    assert order("light", 9) == three * 3


@pytest.mark.usefixtures("small_chunks")
def test_sets_take_turns_however_many_runs_each_has(tmp_path):
    request(make_set(tmp_path, "first"), "token-f1,ter,chrf")
    request(make_set(tmp_path, "second"), "token-f1")
    sets = [name.split()[1] for name in order("light", 6)]
    assert sets == ["first", "second"] * 3


@pytest.mark.usefixtures("small_chunks")
def test_a_run_that_is_asked_for_late_does_not_wait_for_an_earlier_one(tmp_path):
    request(make_set(tmp_path, "first"), "ter")
    start = now()
    assert order("light", 1, start) == ["ter first"]
    request(make_set(tmp_path, "second"), "token-f1")
    assert order("light", 1, start + timedelta(seconds=5)) == ["token-f1 second"]


@pytest.mark.usefixtures("small_chunks")
def test_a_stopped_run_gives_its_turn_up(tmp_path):
    first, _ = request(make_set(tmp_path), "token-f1,ter")
    first.cancel(at=now())
    assert order("light", 3) == ["ter small"] * 3


def test_a_claimed_chunk_brings_its_run_without_the_arrays_of_the_whole_set(tmp_path):
    request(make_set(tmp_path), "token-f1")
    (chunk,) = scheduling.claim("light", at=now())
    assert chunk.run.get_deferred_fields() == {"scores", "known_scores"}


def test_lanes_are_told_apart(tmp_path):
    request(make_set(tmp_path), "token-f1,sentence-similarity")
    assert order("encoder", 2) == ["sentence-similarity small"]
    assert order("light", 2) == ["token-f1 small"]


def test_slow_metrics_have_smaller_chunks(tmp_path):
    cheap, slow = request(make_set(tmp_path, instances=300), "token-f1,lerc")
    assert cheap.chunks.count() == 1
    assert slow.chunks.count() > 1
    assert sum(chunk.n_items for chunk in slow.chunks.all()) == 600


@pytest.mark.usefixtures("small_chunks")
def test_several_chunks_of_one_run_are_claimed_together(tmp_path):
    request(make_set(tmp_path), "token-f1,ter")
    chunks = scheduling.claim("light", at=now(), at_most=2)
    assert [(chunk.run.metric, chunk.index) for chunk in chunks] == [
        ("token-f1", 0),
        ("token-f1", 1),
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("small_chunks")
def test_workers_that_claim_at_once_get_different_chunks(tmp_path):
    request(make_set(tmp_path, instances=50), "token-f1,ter")
    claimed: list[int] = []

    def work() -> None:
        try:
            while chunks := scheduling.claim("light", at=now()):
                claimed.extend(chunk.pk for chunk in chunks)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(claimed) == len(set(claimed)) == RunChunk.objects.count() == 40
    assert set(MetricRun.objects.values_list("status", flat=True)) == {"running"}
