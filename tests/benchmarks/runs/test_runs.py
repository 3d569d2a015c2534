"""Metric runs: planned, claimed, completed; twice the same call works once."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from celery import current_app
from django.utils.timezone import now

import scorers
from benchmarks.runs import tasks
from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import carrying, runs, scheduling, scoring
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, importing
from concord.formats import ReadOptions, read_judgments
from core.jobs import leases
from tests.benchmarks.factories import (
    candidate_lines,
    make_set,
    request,
    score_here,
    write_lines,
)

pytestmark = pytest.mark.django_db
CHEAP = "token-f1,exact-match"


@pytest.fixture
def small_chunks(settings):
    settings.SCORING_CHUNK_SIZE = 5


def texts(judgment_set: JudgmentSet) -> list[scorers.Item]:
    return frames.items(judgment_set, range(judgment_set.n_items))


def test_a_runs_scores_are_those_of_the_metric_on_every_item(tmp_path, small_chunks):
    made = make_set(tmp_path, pairs=3)
    (run, _) = score_here(made, CHEAP)
    with scorers.Session() as session:
        wanted = session.score(scorers.parse_metrics("token-f1")[0], texts(made))
    assert run.status == MetricRun.Status.COMPLETE
    assert np.array_equal(run.score_array, wanted)
    assert not run.chunks.exists()


def test_the_items_are_candidates_then_the_members_of_pairs(tmp_path):
    made = make_set(tmp_path, pairs=2)
    shown = texts(made)
    assert [item.candidate for item in shown[-4:]] == [
        "the red",
        "no",
        "the green",
        "not the green one",
    ]
    assert shown[0].question == "What stood by the tall?"
    assert shown[0].passage == "The red 0 stood by the tall."


def test_asking_twice_gives_the_same_run(tmp_path):
    made = make_set(tmp_path)
    first, again = request(made, "token-f1"), request(made, "token-f1")
    assert [run.pk for run in first] == [run.pk for run in again]
    assert request(made, "token-f1", "joint")[0].pk != first[0].pk


def test_equal_texts_are_scored_once(tmp_path, small_chunks):
    lines = candidate_lines()
    twice = [line | {"id": line["id"] + "-again", "system": "copy"} for line in lines]
    judgments = read_judgments(
        [write_lines(tmp_path / "twice", lines + twice)], "concord", ReadOptions()
    )
    made = importing.import_judgments("twice", judgments, at=now())
    (run,) = score_here(made, "token-f1")
    assert (run.n_items, run.n_computed) == (24, 12)
    assert np.array_equal(run.score_array[:12], run.score_array[12:])


def test_what_an_earlier_run_of_the_signature_knows_is_not_computed_again(tmp_path):
    score_here(make_set(tmp_path), CHEAP)
    larger = make_set(tmp_path, instances=8)
    (run, _) = score_here(larger, CHEAP)
    assert (run.n_known, run.n_computed, run.n_items) == (12, 4, 16)
    with scorers.Session() as session:
        wanted = session.score(scorers.parse_metrics("token-f1")[0], texts(larger))
    assert np.array_equal(run.score_array, wanted)


def test_a_set_dependent_metric_is_computed_again_on_another_set(tmp_path):
    (first,) = score_here(make_set(tmp_path), "cider(tokens=mocha)")
    (second,) = score_here(make_set(tmp_path, instances=8), "cider(tokens=mocha)")
    assert first.signature != second.signature
    assert second.n_known == 0


def test_the_next_versions_runs_compute_only_what_is_new(tmp_path):
    made = make_set(tmp_path)
    score_here(made, CHEAP)
    added = [
        line | {"id": line["id"] + "+", "system": "new", "candidate": f"new {line['id']}"}
        for line in candidate_lines(systems=("a",))
    ]
    judgments = read_judgments([write_lines(tmp_path / "n", added)], "concord", ReadOptions())
    second = importing.add_systems("small", judgments, at=now())
    carried = carrying.carry_runs(second, at=now())
    assert [run.metric for run in carried] == ["token-f1", "exact-match"]
    assert [sum(c.n_items for c in run.chunks.all()) for run in carried] == [6, 6]


def test_the_next_version_takes_the_place_of_runs_under_way(tmp_path, small_chunks):
    made = make_set(tmp_path)
    first, _ = request(made, CHEAP)
    scoring.score_chunks(scheduling.claim_chunks(first, at=now()))
    added = [line | {"id": f"{line['id']}+", "system": "new"} for line in candidate_lines(2)]
    added = [line | {"candidate": f"new {line['id']}"} for line in added]
    judgments = read_judgments([write_lines(tmp_path / "n", added)], "concord", ReadOptions())
    second = importing.add_systems("small", judgments, at=now())
    carried = carrying.carry_runs(second, at=now())
    first.refresh_from_db()
    assert (first.status, first.reason) == ("cancelled", "Replaced by the run on small@2.")
    assert [run.n_known for run in carried] == [5, 0], "what was computed is not computed again"
    assert {chunk.run.judgment_set_id for chunk in claimed_all()} == {second.pk}


def claimed_all() -> list[RunChunk]:
    shown = []
    while chunks := scheduling.claim("light", at=now()):
        shown += chunks
    return shown


def test_a_chunk_is_claimed_by_one_worker_only(tmp_path):
    request(make_set(tmp_path), "token-f1")
    at = now()
    (first,) = scheduling.claim("light", at=at)
    assert first.attempt == 1
    assert scheduling.claim("light", at=at) == []
    later = at + timedelta(days=1)
    assert scheduling.lanes_to_wake(at=at) == []
    assert scheduling.lanes_to_wake(at=later) == ["light"]
    (second,) = scheduling.claim("light", at=later)
    assert (second.pk, second.attempt) == (first.pk, 2)


def test_a_chunk_whose_message_was_lost_is_sent_again(tmp_path):
    request(make_set(tmp_path), "token-f1")
    assert scheduling.lanes_to_wake(at=now()) == []
    later = now() + leases.MESSAGE_LOST_AFTER
    assert scheduling.lanes_to_wake(at=later) == ["light"]
    assert scheduling.lanes_to_wake(at=later) == []  # it was sent just now


def test_chunks_that_wait_their_turn_are_not_sent_again(tmp_path, small_chunks):
    request(make_set(tmp_path), "token-f1")
    later = now() + leases.MESSAGE_LOST_AFTER
    (chunk,) = scheduling.claim("light", at=later)
    scoring.score_chunks([chunk])
    assert scheduling.lanes_to_wake(at=later) == []  # the lane is at work


def test_a_late_finisher_cannot_overwrite_and_the_chunk_counts_once(tmp_path):
    (run,) = request(make_set(tmp_path), "token-f1")
    (late,) = scheduling.claim("light", at=now() - timedelta(days=1))
    (timely,) = scheduling.claim("light", at=now())
    assert not late.held.exists() and timely.held.exists()
    assert runs.complete_chunk(timely, np.full(12, 0.25), 1.0, "cpu")
    assert not runs.complete_chunk(late, np.full(12, 0.75), 1.0, "cpu")
    run.refresh_from_db()
    assert run.n_computed == 12
    scores = runs.assemble_scores(run)
    assert scores is not None and set(scores.tolist()) == {0.25}


def test_a_run_is_completed_once(tmp_path):
    (run,) = score_here(make_set(tmp_path), "token-f1")
    assert not runs.complete_run(run, run.score_array * 0, {}, at=now())
    run.refresh_from_db()
    assert run.score_array.any()


def test_a_task_delivered_again_after_completion_does_nothing(tmp_path):
    (run,) = request(make_set(tmp_path), "token-f1")
    assert scoring.score_chunks(scheduling.claim("light", at=now()))
    tasks.score_next("light")
    tasks.finish_run(run.pk)
    tasks.finish_run(run.pk)
    run.refresh_from_db()
    assert (run.status, run.n_computed) == (MetricRun.Status.COMPLETE, 12)


def test_one_message_is_enough_for_all_chunks(tmp_path, small_chunks, monkeypatch):
    monkeypatch.setitem(current_app.conf, "task_always_eager", True)
    (run,) = request(make_set(tmp_path), "token-f1")
    assert run.chunks.count() == 3
    tasks.score_next.delay("light")
    run.refresh_from_db()
    assert (run.status, run.n_computed) == (MetricRun.Status.COMPLETE, 12)


def test_a_long_run_needs_few_messages(tmp_path, settings):
    settings.SCORING_CHUNK_SIZE = 1
    run, other = request(make_set(tmp_path, instances=20), "token-f1,bertscore")
    assert Counter(scheduling.lanes_to_start([run, other])) == {"light": 32, "encoder": 32}


def test_a_metric_that_fails_shows_its_reason_and_keeps_what_is_done(
    tmp_path, small_chunks, monkeypatch
):
    (run,) = request(make_set(tmp_path), "token-f1")
    tasks.score_next("light")

    def fail(*_, **__):
        raise scorers.JavaError("the helper ended with 137")

    with monkeypatch.context() as patch:
        patch.setattr(scoring.session(), "score", fail)
        with pytest.raises(scorers.JavaError):
            tasks.score_next("light")
    run.refresh_from_db()
    assert run.status == MetricRun.Status.FAILED
    assert run.reason == "JavaError: the helper ended with 137"
    assert scheduling.claim("light", at=now()) == []  # the others are not tried
    (again,) = request(run.judgment_set, "token-f1")
    assert again.status == MetricRun.Status.QUEUED and again.reason == ""
    assert scheduling.lanes_to_start([again]) == ["light", "light"]  # the first keeps its scores


def test_a_chunk_whose_workers_died_three_times_fails_its_run(tmp_path):
    (run,) = request(make_set(tmp_path), "token-f1")
    for day in range(3):
        assert len(scheduling.claim("light", at=now() + timedelta(days=day))) == 1
    RunChunk.objects.update(lease_until=now() - timedelta(seconds=1))
    tasks.score_next("light")
    run.refresh_from_db()
    assert run.status == MetricRun.Status.FAILED
    assert run.reason == (
        "Its worker died 3 times while scoring items 0 to 11; see the worker's log."
    )


def test_a_cancelled_run_stops_and_resumes(tmp_path, small_chunks):
    (run,) = request(make_set(tmp_path), "token-f1")
    tasks.score_next("light")
    assert run.cancel(at=now())
    assert scheduling.claim("light", at=now()) == []
    (resumed,) = request(run.judgment_set, "token-f1")
    assert scheduling.lanes_to_start([resumed]) == ["light", "light"]
    claimed = [scheduling.claim("light", at=now())[0].index for _ in range(2)]
    assert claimed == [1, 2]


def test_the_scoring_of_a_run_that_is_stopped_ends_within_the_chunk(tmp_path, monkeypatch):
    (run,) = request(make_set(tmp_path), "token-f1")
    chunks = scheduling.claim("light", at=now())
    monkeypatch.setattr(scoring, "_CHECK_SECONDS", 0.0)
    run.cancel(at=now())
    assert not scoring.score_chunks(chunks)
    assert RunChunk.objects.get(pk=chunks[0].pk).scores is None


def test_a_run_whose_last_worker_died_before_finishing_is_found(tmp_path):
    (run,) = request(make_set(tmp_path), "token-f1")
    assert runs.runs_to_finish() == []
    scoring.score_chunks(scheduling.claim("light", at=now()))
    assert runs.runs_to_finish() == [run.pk]


def test_a_run_that_got_its_last_scores_while_it_was_stopped_is_finished_when_asked_for_again(
    tmp_path, monkeypatch
):
    sent: list[int] = []
    monkeypatch.setattr(tasks.finish_run, "delay", sent.append)
    made = make_set(tmp_path)
    (run,) = request(made, "token-f1")
    (chunk,) = scheduling.claim("light", at=now())
    run.cancel(at=now())
    assert runs.complete_chunk(chunk, np.ones(chunk.n_items), 1.0, "cpu")
    tasks.enqueue(request(made, "token-f1"))
    assert sent == [run.pk]


@pytest.mark.parametrize("block", [1, 2, 3, 5, 100])
def test_items_are_the_same_however_they_lie_in_blocks(tmp_path, monkeypatch, block):
    made = make_set(tmp_path, pairs=4)
    rows = made.candidates.with_instance()
    wanted = [scorers.Item(c.text, tuple(c.instance.references)) for c in rows]
    for pair in made.pairs.select_related("instance"):
        references = tuple(pair.instance.references)
        wanted += [scorers.Item(pair.candidate1, references)]
        wanted += [scorers.Item(pair.candidate2, references)]
    monkeypatch.setattr(frames, "BLOCK_ITEMS", block)
    assert frames.items(made, range(made.n_items), context=False) == wanted
    assert frames.items(made, [15, 3, 12], context=False) == [wanted[at] for at in (15, 3, 12)]
