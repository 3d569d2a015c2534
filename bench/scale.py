"""How time, memory and disk grow with the size of a judgment set.

    .venv/bin/python -m bench.scale [--sizes 10000,100000,1000000] [--metrics 30]

For each size: made-up candidates of five systems are imported by the command, eight n-gram metrics
are scored by a worker, and the scores of the other metrics come as arrays. Then the board, the
comparison's quick table, and pages are read. Printed are seconds, the database's bytes and the peak
memory of the process tree at each step, and between sizes the exponent of growth: 1 is linear.

Everything lies in a temporary folder with embedded servers of its own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = 5
COMPUTED = "token-f1,exact-match,bleu-1,bleu-4,rouge-l,cider,google-rouge-1,sacrebleu"
VOCABULARY = 20_000
MEGABYTE = 1 << 20


@dataclass
class Step:
    """What one step took at one size."""

    seconds: float
    peak: int


@dataclass
class Steps:
    """All steps at one size, and the database's bytes after them."""

    size: int
    steps: dict[str, Step] = field(default_factory=dict)
    database: int = 0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        peak = Peak()
        started = time.perf_counter()
        with peak.watched():
            yield
        self.steps[name] = Step(time.perf_counter() - started, peak.bytes)
        print(
            f"{self.size:>9,}  {name:<34} {self.steps[name].seconds:9.2f} s "
            f"{peak.bytes / MEGABYTE:8,.0f} MB",
            flush=True,
        )


class Peak:
    """The most memory that this process and its children held together (shared pages once)."""

    def __init__(self) -> None:
        self.bytes = 0

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


def measure(size: int, metrics: int, folder: Path) -> Steps:
    found = Steps(size)
    path, name = folder / f"{size}.jsonl", f"set{size}"
    write_candidates(path, size)
    before = database_bytes()
    with found.step("import (command)"):
        about = ("--title", name, "--illustrative", "--publish")
        manage("import_judgments", str(path), "--format", "concord", "--name", name, *about)
    path.unlink()
    count = COMPUTED.count(",") + 1
    with found.step(f"score {count} metrics (command, worker)"):
        manage("score", name, "--metrics", COMPUTED, "--wait")
    with found.step(f"store {metrics - count} submitted metrics"):
        submit(name, metrics - count)
    found.database = database_bytes() - before
    for label, read in pages(name).items():
        with found.step(label):
            read()
    return found


def database_bytes() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def submit(name: str, count: int) -> None:
    """Complete runs whose scores are the gold scores with noise, as files of scores make them."""
    from django.contrib.auth.models import User
    from django.utils.timezone import now

    from benchmarks.runs.models import Submission
    from benchmarks.sets.models import JudgmentSet
    from benchmarks.submissions import services as submissions

    owner, _ = User.objects.get_or_create(username="bench")
    judgment_set = JudgmentSet.objects.named(name)
    gold = np.frombuffer(bytes(judgment_set.gold_scores), dtype="<f8")
    rng = np.random.default_rng(1)
    for number in range(count):
        submission = Submission.objects.create(
            judgment_set=judgment_set,
            owner=owner,
            name=f"submitted-{number}",
            kind=Submission.Kind.SCORES,
            published_at=now(),
            created_at=now(),
        )
        scores = gold + rng.normal(0, 0.5 + number / 10, len(gold))
        submissions._complete_run(submission, scores, now())


def pages(name: str) -> dict[str, Callable[[], None]]:
    """Pages as a visitor's browser asks for them, each for the first time."""
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
        memory = math.log(max(step.peak, 1) / max(other.peak, 1)) / ratio
        print(f"  {name:<34} seconds {seconds:5.2f}   memory {memory:5.2f}")
    print(f"  {'database':<34} bytes   {math.log(larger.database / smaller.database) / ratio:5.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--metrics", type=int, default=30)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
        os.environ["CONCORD_VAR"] = str(Path(folder) / "var")
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django
        from django.conf import settings

        from config import embedded

        embedded.ensure(settings.EMBEDDED_PATHS)
        try:
            django.setup()
            settings.ALLOWED_HOSTS = ["testserver"]
            manage("migrate")
            found = [
                measure(int(size), given.metrics, Path(folder)) for size in given.sizes.split(",")
            ]
            for each in found:
                print(f"{each.size:>9,}  database {each.database / MEGABYTE:,.0f} MB")
            for smaller, larger in itertools.pairwise(found):
                growth(smaller, larger)
        finally:
            embedded.leave(settings.EMBEDDED_PATHS)


if __name__ == "__main__":
    main()
