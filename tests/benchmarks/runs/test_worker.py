"""Metric runs by a real Celery worker, a real Redis and a real PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import psutil
import pytest

import scorers
from benchmarks.runs import tasks
from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from tests.benchmarks.factories import candidate_lines, make_set, request, write_lines
from tests.processes import living
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def statuses(requested: list[MetricRun]) -> list[str]:
    return list(
        MetricRun.objects.filter(pk__in=[r.pk for r in requested]).values_list("status", flat=True)
    )


def expected(made: JudgmentSet, metric: str):
    items = frames.items(made, range(made.n_items))
    with scorers.Session() as session:
        return session.score(scorers.parse_metrics(metric)[0], items)


@pytest.mark.slow
def test_a_worker_killed_in_mid_run_costs_only_its_chunk(worker, tmp_path, settings):
    settings.SCORING_CHUNK_SIZE = 4
    made = make_set(tmp_path, instances=90)
    (run,) = requested = request(made, "meteor")
    worker.start()
    tasks.enqueue(requested)
    chunks = RunChunk.objects.filter(run=run)
    wait_for(lambda: chunks.filter(status="done").count() >= 3, pause=0.001)
    children = psutil.Process(worker.process.pid).children(recursive=True)
    worker.kill()
    assert statuses(requested) == ["running"], "the worker was done before it was killed"
    done = set(chunks.filter(status="done").values_list("pk", flat=True))
    held = chunks.filter(status="running").count()
    assert children, "METEOR's JVM should have run"
    wait_for(lambda: not list(living(children)))
    again = {pk: attempt for pk, attempt in chunks.values_list("pk", "attempt") if pk in done}
    assert set(again.values()) == {1}

    worker.start()
    wait_for(lambda: statuses(requested) == ["complete"])
    run = MetricRun.objects.get(pk=run.pk)
    assert run.n_computed == run.n_items - run.n_known == 180, "a chunk was counted twice"
    assert held <= 4
    assert np.array_equal(run.score_array, expected(made, "meteor"))


def test_a_failing_metric_stops_no_other(worker, tmp_path, monkeypatch):
    made = make_set(tmp_path, instances=30)
    requested = request(made, "token-f1,bleu-1(tokens=mocha),rouge-l(tokens=mocha)")
    # A metric that this worker does not know: renamed after it was asked for.
    MetricRun.objects.filter(pk=requested[1].pk).update(metric="bleu-1(tokens=martian)")
    worker.start("--queues", "light")
    tasks.enqueue(requested)
    wait_for(lambda: not {"queued", "running"} & set(statuses(requested)))
    assert statuses(requested) == ["complete", "failed", "complete"]
    failed = MetricRun.objects.get(pk=requested[1].pk)
    assert "martian" in failed.reason


@pytest.mark.slow
def test_all_metrics_at_once_in_one_workers_threads(worker, tmp_path):
    made = make_set(tmp_path, instances=10, pairs=4)
    requested = request(made, ",".join(scorers.ready_names()))
    worker.start()
    tasks.enqueue(requested)
    wait_for(lambda: not {"queued", "running"} & set(statuses(requested)))
    reasons = list(MetricRun.objects.exclude(reason="").values_list("metric", "reason"))
    assert reasons == []


def test_the_commands_take_a_file_to_a_leaderboard(manage, worker, tmp_path):
    path = write_lines(tmp_path / "j.jsonl", candidate_lines())
    done = manage("import_judgments", str(path), "--format", "concord", "--name", "small")
    assert done.returncode == 0, done.stderr
    assert "Imported as small@1." in done.stdout.splitlines()
    assert "manage.py publish_set small@1" in done.stdout.splitlines()[-1]
    scored = manage("score", "small", "--metrics", "token-f1,rouge-l", "--wait")
    assert scored.returncode == 0, scored.stderr
    assert "2 of 2 metric runs on small@1 complete." in scored.stdout
    board = json.loads(manage("leaderboard", "small", "--format", "json").stdout)
    assert {row["metric"] for row in board["rows"]} == {"token-f1", "rouge-l"}
    assert (board["judgment_set"], board["version"], board["n"]) == ("small", 1, 12)
    table = manage("leaderboard", "small", "--by", "system").stdout
    assert "token-f1" in table and "small@1: 12 candidates" in table
    csv = manage("leaderboard", "small", "--format", "csv").stdout.splitlines()
    assert len(csv) == 3 and csv[0].startswith("judgment_set,version")
    out = tmp_path / "scores.jsonl"
    assert manage("export_scores", "small", str(out), "--metrics", "token-f1").returncode == 0
    first = json.loads(out.read_text().splitlines()[0])
    assert set(first) == {"id", "system", "score", "scores"} and set(first["scores"]) == {
        "token-f1"
    }
    exported = tmp_path / "set.jsonl"
    assert manage("export_judgments", "small", str(exported)).returncode == 0
    again = manage("import_judgments", str(exported), "--format", "concord", "--name", "again")
    assert again.returncode == 0
    first_set, second = JudgmentSet.objects.named("small"), JudgmentSet.objects.named("again")
    assert first_set.content_hash == second.content_hash


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "nothing", "--metrics", "bleu-1"), "There is no judgment set 'nothing'"),
        (("leaderboard", "nothing"), "There is no judgment set 'nothing'"),
        (("export_scores", "nothing", "out"), "There is no judgment set 'nothing'"),
    ],
)
def test_a_command_that_cannot_be_done_says_why_in_a_line(manage, arguments, message):
    done = manage(*arguments)
    assert done.returncode == 1
    assert message in done.stderr and "Traceback" not in done.stderr


def test_bad_files_are_answered_with_file_line_and_field(manage, tmp_path):
    lines = candidate_lines()
    lines[2]["score"] = "four"
    path = write_lines(tmp_path / "bad.jsonl", lines)
    done = manage("import_judgments", str(path), "--format", "concord", "--name", "bad")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"{path}:3: score" in done.stderr
    assert not JudgmentSet.objects.exists()
    missing = manage("import_judgments", str(tmp_path / "no"), "--format", "kpqa", "--name", "bad")
    assert missing.returncode == 1 and "Traceback" not in missing.stderr


TABLE_3 = {  # KPQA (Lee et al., NAACL 2021), Table 3: Pearson, Spearman
    "marco": {
        "bleu-1": (0.349, 0.329),
        "bleu-4": (0.193, 0.244),
        "rouge-l": (0.309, 0.301),
        "meteor": (0.423, 0.413),
        "cider": (0.275, 0.278),
    },
    "avsd": {
        "bleu-1": (0.580, 0.562),
        "bleu-4": (0.499, 0.532),
        "rouge-l": (0.585, 0.566),
        "meteor": (0.578, 0.617),
        "cider": (0.567, 0.600),
    },
}


@pytest.mark.slow
def test_the_commands_give_the_twenty_figures_of_kpqas_table_3(manage, worker, concord_data: Path):
    worker.start()
    for name, options in (("marco", ()), ("avsd", ("--references", "5"))):
        file = concord_data / "kpqa" / f"{name}_all.csv"
        done = manage("import_judgments", file, "--format", "kpqa", "--name", name, *options)
        assert done.returncode == 0, done.stderr
        metrics = ",".join(TABLE_3[name])
        assert manage("score", name, "--metrics", metrics, "--wait").returncode == 0
        board = json.loads(manage("leaderboard", name, "--format", "json").stdout)
        figures = {
            row["metric"]: (round(row["pearson"]["value"], 3), round(row["spearman"]["value"], 3))
            for row in board["rows"]
        }
        assert figures == TABLE_3[name]
        assert all(row["pearson"]["p"] < 0.01 for row in board["rows"])
