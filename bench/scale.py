"""Growth of time, memory and disk space with the size of a judgment set.

    .venv/bin/python -m bench.scale [--sizes 10000,100000,1000000] [--metrics 30] [--draws 100]
        [--computed token-f1,exact-match,...] [--state FOLDER]

For each size, invented candidates of five systems are imported by the command, n-gram metrics
(--computed) are scored by a worker, and the scores of the other metrics are submitted as files.
Then the board and the comparison are computed by their commands, and pages are requested. For each
step it prints the seconds, the CPU seconds, the size of the database and the peak memory of the
process tree; between sizes it prints the exponents of growth (1 is linear). On a busy machine,
compare the CPU seconds. Memory and CPU seconds of PostgreSQL are not counted.

All data and the embedded servers are in a temporary folder, or in --state: a later call with the
same folder goes on after the last step that was measured.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from bench.temporary_site import temporary_site

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = 5
COMPUTED = "token-f1,exact-match,bleu-1,bleu-4,rouge-l,cider,google-rouge-1,sacrebleu"
VOCABULARY = 20_000
MEGABYTE = 1 << 20


@dataclass
class Step:
    """The measurements of one step at one size."""

    seconds: float
    cores: float
    peak: int


@dataclass
class Steps:
    """All steps at one size, as they are in a file. before, after: the size of the database before
    the first step, and after the last one that writes."""

    size: int
    file: Path
    steps: dict[str, Step] = field(default_factory=dict)
    before: int = 0
    after: int = 0

    @property
    def database(self) -> int:
        """How much the database grew, in bytes."""
        return self.after - self.before

    @classmethod
    def read(cls, size: int, file: Path) -> Steps:
        """Those of the file; none where there is no file."""
        row = json.loads(file.read_text()) if file.exists() else {"steps": {}}
        return cls(size, file, **row | {"steps": {n: Step(**s) for n, s in row["steps"].items()}})

    def write(self) -> None:
        """Write them to the file."""
        steps = {name: vars(step) for name, step in self.steps.items()}
        row = {"steps": steps, "before": self.before, "after": self.after}
        self.file.write_text(json.dumps(row))

    def run(self, name: str, act: Callable[[], None]) -> None:
        """Measure a step, unless it has been measured."""
        if name in self.steps:
            return
        peak = Peak()
        started, cores = time.perf_counter(), core_seconds()
        with peak.watched():
            act()
        cores = core_seconds() - cores - peak.cores
        step = Step(time.perf_counter() - started, cores, peak.bytes)
        self.steps[name] = step
        self.write()
        print(
            f"{self.size:>9,}  {name:<34} {step.seconds:9.2f} s {step.cores:9.2f} s of cores "
            f"{peak.bytes / MEGABYTE:8,.0f} MB",
            flush=True,
        )


def core_seconds() -> float:
    """CPU seconds of this process and of its ended descendants."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


class Peak:
    """Peak memory of this process and its children together (shared pages counted once). cores:
    the CPU seconds that watching took."""

    def __init__(self) -> None:
        self.bytes = 0
        self.cores = 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        over = threading.Event()
        thread = threading.Thread(target=self._watch, args=(over,))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _watch(self, over: threading.Event) -> None:
        while True:
            own = psutil.Process()
            total = 0
            for process in (own, *own.children(recursive=True)):
                try:
                    total += process.memory_full_info().pss
                except psutil.Error:
                    continue
            self.bytes = max(self.bytes, total)
            self.cores = time.thread_time()
            if over.wait(1.0):
                return


def write_candidates(path: Path, size: int) -> None:
    """Candidates by instance: words drawn by Zipf's law, better systems share more of them."""
    rng = np.random.default_rng(7)
    with path.open("w") as file:
        for instance in range(size // SYSTEMS):
            words = (rng.zipf(1.3, 40) % VOCABULARY).tolist()
            reference = " ".join(f"w{word}" for word in words[:8])
            for system in range(SYSTEMS):
                shared = int(rng.integers(0, 3 + system))
                text = " ".join(f"w{word}" for word in [*words[:shared], *words[20 : 28 - shared]])
                row = {
                    "id": f"{instance}-{system}",
                    "instance": f"i{instance}",
                    "question": f"Which is {instance}?",
                    "references": [reference],
                    "candidate": text,
                    "system": f"s{system}",
                    "score": min(5.0, 1 + shared / 2 + float(rng.normal(0, 0.5))),
                }
                file.write(json.dumps(row) + "\n")


def manage(*arguments: str) -> None:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def measure(size: int, options: argparse.Namespace, folder: Path) -> Steps:
    steps, name = Steps.read(size, folder / f"{size}.json"), f"set{size}"
    count = options.computed.count(",") + 1
    steps.before = steps.before or database_bytes()

    def import_file() -> None:
        about = ("--title", name, "--illustrative", "--publish")
        manage("import_judgments", str(path), "--format", "concord", "--name", name, *about)

    path = folder / f"{size}.jsonl"
    if not steps.steps:
        write_candidates(path, size)
    steps.run("import (command)", import_file)
    path.unlink(missing_ok=True)
    steps.run(
        f"score {count} metrics (command, worker)",
        lambda: manage("score", name, "--metrics", options.computed, "--wait"),
    )
    print_runs(name)
    steps.run(
        f"submit {options.metrics - count} files of scores",
        lambda: submit(name, options.metrics - count, folder),
    )
    steps.after = steps.after or database_bytes()
    steps.run("leaderboard (command)", lambda: manage("leaderboard", name))
    steps.run(
        f"comparison, {options.draws} draws (command)",
        lambda: manage("comparison", name, "--draws", str(options.draws)),
    )
    for label, read in pages(name).items():
        steps.run(label, read)
    return steps


def database_bytes() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def submit(name: str, count: int, folder: Path) -> None:
    """Submit files of scores: the gold scores with noise."""
    from django.utils.timezone import now

    from benchmarks.sets.models import JudgmentSet
    from benchmarks.submissions import services as submissions

    judgment_set = JudgmentSet.objects.named(name)
    keys = list(judgment_set.candidates.order_by("position").values_list("key", flat=True))
    gold = np.frombuffer(bytes(judgment_set.gold_scores), dtype="<f8")
    rng = np.random.default_rng(1)
    path = folder / "scores.jsonl"
    for number in range(count):
        scores = gold + rng.normal(0, 0.5 + number / 10, len(gold))
        with path.open("w") as file:
            for key, score in zip(keys, scores.tolist(), strict=True):
                file.write(f'{{"id": "{key}", "score": {score:.6f}}}\n')
        about = submissions.SubmissionInfo(f"submitted-{number}")
        submissions.submit_scores(judgment_set, about, path, owner=None, at=now())


def print_runs(name: str) -> None:
    """Print the CPU seconds and the duration of scoring, by metric."""
    from benchmarks.sets.models import JudgmentSet

    for run in JudgmentSet.objects.named(name).runs.order_by("finished_at"):
        assert run.started_at is not None and run.finished_at is not None
        whole = (run.finished_at - run.started_at).total_seconds()
        print(f"           {run.metric:<20} {run.seconds:9.1f} s scoring, {whole:9.1f} s in all")


def pages(name: str) -> dict[str, Callable[[], None]]:
    """Request pages as a visitor's browser does, each for the first time."""
    from django.test import Client

    client = Client()

    def get(path: str) -> Callable[[], None]:
        def read() -> None:
            response: Any = client.get(path)
            assert response.status_code == 200, (path, response.status_code)
            b"".join(response.streaming_content) if response.streaming else response.content

        return read

    base = f"/sets/{name}@1"
    return {
        "overview": get(f"{base}/"),
        "leaderboard": get(f"{base}/leaderboard/"),
        "leaderboard, second time": get(f"{base}/leaderboard/"),
        "leaderboard by system": get(f"{base}/leaderboard/?by=system"),
        "errors": get(f"{base}/errors/"),
        "a candidate": get(f"{base}/candidates/0-1/"),
        "systems": get(f"{base}/systems/"),
        "comparison": get(f"{base}/comparison/"),
        "scores.csv, whole": get(f"{base}/scores.csv"),
        "judgments.jsonl, whole": get(f"{base}/judgments.jsonl"),
    }


def growth(smaller: Steps, larger: Steps) -> None:
    """Print the exponents of seconds, memory and disk between two sizes."""
    ratio = math.log(larger.size / smaller.size)
    print(f"\nExponents from {smaller.size:,} to {larger.size:,} candidates")
    for name, step in larger.steps.items():
        other = smaller.steps[name]
        seconds = math.log(step.seconds / other.seconds) / ratio
        cores = math.log(max(step.cores, 0.01) / max(other.cores, 0.01)) / ratio
        memory = math.log(max(step.peak, 1) / max(other.peak, 1)) / ratio
        print(f"  {name:<34} seconds {seconds:5.2f}   of cores {cores:5.2f}   memory {memory:5.2f}")
    print(f"  {'database':<34} bytes   {math.log(larger.database / smaller.database) / ratio:5.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--metrics", type=int, default=30)
    parser.add_argument("--draws", type=int, default=100, help="of the comparison's bootstrap")
    parser.add_argument("--computed", default=COMPUTED, help="metrics that a worker scores")
    parser.add_argument("--state", type=Path, help="a folder that is not deleted")
    options = parser.parse_args()
    with temporary_site(options.state) as folder:
        from django.conf import settings

        settings.ALLOWED_HOSTS = ["testserver"]
        manage("migrate")
        results = [measure(int(size), options, folder) for size in options.sizes.split(",")]
        for each in results:
            print(f"{each.size:>9,}  database {each.database / MEGABYTE:,.0f} MB")
        for smaller, larger in itertools.pairwise(results):
            growth(smaller, larger)


if __name__ == "__main__":
    main()
