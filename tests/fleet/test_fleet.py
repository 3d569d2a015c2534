"""Concord on nine machines while any of them is killed or cut off, and the database fails over.

64 raters rate meanwhile, and thirty metrics score a set. No confirmed rating is lost, none is
doubled, every run completes, and the board is that of a run that nothing disturbed.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scorers
from annotation.rating.models import Assignment, Rating
from annotation.rating.simulation.answers import AnswerModel
from annotation.studies.models import Stage
from bench.rating_pages import join_path
from benchmarks.runs import tasks
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.protocols import HitRules, RatingRule
from concord.simulation import Crowd
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_complete, assert_invariants
from tests.benchmarks.factories import candidate_lines, make_set, request, write_lines
from tests.fleet.databases import on_database
from tests.fleet.fleet import WEB_PORT, running_fleet
from tests.fleet.mishaps import Mishaps
from tests.fleet.raters import FleetBrowser, RememberingWorker
from tests.slow.careless_workers import CarelessClient
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
SEED = 16
CLIENTS, WORKERS_A_CLIENT = 64, 2
HITS, RATINGS, SIZE = 300, 4, 2
THINKING_SECONDS = 5.0
MISHAPS = 0.1  # the share of tasks that raters walk away from, return or submit twice
INSTANCES = 60
CHUNK_SIZE = 5
LONGEST_SECONDS = 2400
SET = "fleet"
N_METRICS = 30


@dataclass
class ScoredMetric:
    """What a run of a metric came to: its lane, its scores, and its row of the board."""

    lane: str
    scores: np.ndarray[Any, Any]
    row: dict[str, Any]


@pytest.mark.timeout(LONGEST_SECONDS)
@pytest.mark.usefixtures("usual_draws")  # the fleet's processes have them
def test_nothing_is_lost_or_doubled_when_any_machine_fails(
    worker, manage, settings, tmp_path
) -> None:
    settings.SCORING_CHUNK_SIZE = CHUNK_SIZE
    metrics = ",".join([*scorers.ready_names(), "aev(alpha=0.3,n=2)"])
    undisturbed = score_undisturbed(worker, manage, metrics, tmp_path)
    with running_fleet(tmp_path) as fleet:
        with on_database(fleet.primary.url):
            protocol = factories.plain(rating_rules=(RatingRule(RATINGS),), hit=HitRules(SIZE))
            stage = factories.open_study(protocol, passages=HITS, each=SIZE)
            clients = rater_clients(stage, [web.machine.address for web in fleet.web])
        lines = write_lines(tmp_path / "fleet.jsonl", candidate_lines(INSTANCES))
        fleet.manage("import_judgments", str(lines), "--format", "concord", "--name", SET)
        done = threading.Event()
        threads = [threading.Thread(target=client.work, args=(done,)) for client in clients]
        for thread in threads:
            thread.start()
        fleet.manage("score", SET, "--metrics", metrics)
        mishaps = Mishaps(fleet, SEED)
        try:
            mishaps.run()
            with on_database(fleet.primary.url):
                print(f"{time.strftime('%X')} all mishaps are over: {progress(stage)}", flush=True)
                assert_invariants(stage.study)
                while not is_rated(stage, clients):  # the test's own limit ends a hang
                    time.sleep(1)
                print(f"{time.strftime('%X')} all is rated: {progress(stage)}", flush=True)
                wait_for(are_runs_over, pause=0.5)
                print(f"{time.strftime('%X')} all is scored: {progress(stage)}", flush=True)
        finally:
            done.set()
            for thread in threads:
                thread.join()
        with on_database(fleet.primary.url):
            assert [problem for client in clients for problem in client.problems] == []
            assert_complete(stage.study)
            counted = compare_ratings(stage, clients)
            disturbed = scored_metrics(fleet.manage)
    compare_scores(undisturbed, disturbed)
    print(f"{dict(mishaps.happened)}; {counted}; {len(disturbed)} runs complete")


def score_undisturbed(
    worker: Any, manage: Any, metrics: str, folder: Path
) -> dict[str, ScoredMetric]:
    """What a worker that lives makes of the set, on the embedded servers."""
    made = make_set(folder, SET, instances=INSTANCES, public=False)
    requested = request(made, metrics)
    worker.start("--queues", "light,encoder")
    tasks.enqueue(requested)
    wait_for(are_runs_over, pause=0.5)
    worker.stop()
    return scored_metrics(lambda *words: manage(*words).stdout)


def are_runs_over() -> bool:
    return not MetricRun.objects.filter(status__in=MetricRun.ACTIVE).exists()


def scored_metrics(manage: Callable[..., str]) -> dict[str, ScoredMetric]:
    """Each metric with its scores and its row of the board; every run must be complete."""
    runs = MetricRun.objects.filter(judgment_set=JudgmentSet.objects.named(SET))
    assert {run.metric: run.reason for run in runs if run.status != "complete"} == {}
    board = json.loads(manage("leaderboard", SET, "--format", "json"))
    rows = {row["metric"]: row for row in board["rows"]}
    for row in rows.values():
        del row["items_per_second"]
    return {run.metric: ScoredMetric(run.lane, run.score_array, rows[run.metric]) for run in runs}


def compare_scores(
    undisturbed: dict[str, ScoredMetric], disturbed: dict[str, ScoredMetric]
) -> None:
    """Equal to the bit; networks within what rounding of float32 may change."""
    assert len(undisturbed) == N_METRICS and set(disturbed) == set(undisturbed)
    for metric, one in undisturbed.items():
        other = disturbed[metric]
        if one.lane == "light":
            np.testing.assert_array_equal(one.scores, other.scores, err_msg=metric)
            assert one.row == other.row
        else:
            np.testing.assert_allclose(one.scores, other.scores, atol=1e-5, err_msg=metric)
            for figure in ("pearson", "spearman", "kendall"):
                value = pytest.approx(one.row[figure]["value"], abs=1e-3)
                assert other.row[figure]["value"] == value, (metric, figure)


def rater_clients(stage: Stage, hosts: list[str]) -> list[CarelessClient]:
    raters = Crowd().raters(CLIENTS * WORKERS_A_CLIENT, seed=SEED)
    answer_model = AnswerModel(stage.study, SEED)
    order = random.Random(SEED)
    workers = [
        RememberingWorker(
            FleetBrowser(order.sample(hosts, len(hosts)), WEB_PORT),
            join_path(stage.study, SEED, at),
            rater,
            answer_model,
            THINKING_SECONDS,
        )
        for at, rater in enumerate(raters)
    ]
    return [
        CarelessClient(workers[number::CLIENTS], seed=number, mishaps=MISHAPS)
        for number in range(CLIENTS)
    ]


def is_rated(stage: Stage, clients: list[CarelessClient]) -> bool:
    problems = [problem for client in clients for problem in client.problems]
    assert not problems, problems[:5]
    ours = Assignment.objects.filter(hit__stage=stage, status="submitted")
    return ours.count() == HITS * RATINGS


def progress(stage: Stage) -> dict[str, Any]:
    return {
        "assignments": dict(
            Counter(Assignment.objects.filter(hit__stage=stage).values_list("status", flat=True))
        ),
        "runs": dict(Counter(MetricRun.objects.values_list("status", flat=True))),
    }


def compare_ratings(stage: Stage, clients: list[CarelessClient]) -> dict[str, int]:
    """What raters were told is what the database has, rating by rating; returns the counts."""
    workers = [worker for client in clients for worker in client.workers]
    saved = {key: value for worker in workers for key, value in worker.saved.items()}
    submitted = {pk for worker in workers for pk in worker.browser.submitted}
    rows = Rating.objects.filter(assignment__hit__stage=stage, assignment__status="submitted")
    stored = {
        (assignment, candidate): value
        for assignment, candidate, value in rows.values_list(
            "assignment_id", "candidate_id", "value"
        )
    }
    assert len(stored) == rows.count() == HITS * RATINGS * SIZE, "a rating was doubled"
    lost = {key: value for key, value in saved.items() if stored.get(key, value) != value}
    assert not lost, f"confirmed ratings were lost: {lost}"
    assert set(stored) <= set(saved), "a rating was stored that nobody made"
    ended = Assignment.objects.filter(pk__in=submitted).exclude(status__in=("submitted", "surplus"))
    assert not ended.exists(), "a confirmed submission was lost"
    return {"ratings confirmed": len(saved), "ratings stored": len(stored)}
