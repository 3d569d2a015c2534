"""Times of the main job on a set of MOCHA's size: import, scoring by a worker, reading the board.

    .venv/bin/python -m bench.board [--fraction 1.0]

Writes the files of bench/synthetic_mocha.py to a temporary folder and starts embedded servers
there; it does not change the installation. There are thirty metric runs: every metric without a
model, with both tokenisers if it has two, and some with joint references.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.temporary_site import temporary_site

ROOT = Path(__file__).resolve().parent.parent
COCO = ("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-l", "cider")
ROUGE = ("google-rouge-1", "google-rouge-2", "google-rouge-l")
MAX = (
    *COCO,
    *(f"{name}(tokens=mocha)" for name in COCO),
    *("exact-match", "token-f1", "meteor", "sacrebleu", "chrf", "chrf++", "ter"),
    *ROUGE,
    *(f"{name}(stem=true)" for name in ROUGE),
)
JOINT = ("bleu-1", "bleu-4", "rouge-l", "cider", "token-f1")


def command(*arguments: str) -> float:
    """Seconds that a management command takes, its start included."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return time.perf_counter() - started


def board_seconds() -> tuple[float, float, int]:
    """Median seconds of reading the board, whole and by constituent, and its number of rows."""
    import django

    django.setup()
    from benchmarks.analyses.leaderboards import leaderboard
    from benchmarks.sets.models import JudgmentSet

    judgment_set = JudgmentSet.objects.named("bench")

    def median(by: str | None) -> float:
        times = []
        for _ in range(5):
            started = time.perf_counter()
            leaderboard(judgment_set, by)
            times.append(time.perf_counter() - started)
        return statistics.median(times)

    rows = len(leaderboard(judgment_set).rows)
    return median(None), median("constituent"), rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fraction", type=float, default=1.0)
    fraction = parser.parse_args().fraction
    with temporary_site() as folder:
        measure(folder, fraction)


def measure(folder: Path, fraction: float) -> None:
    generator = [sys.executable, str(ROOT / "bench" / "synthetic_mocha.py"), str(folder / "mocha")]
    subprocess.run([*generator, "--fraction", str(fraction)], check=True, stdout=subprocess.DEVNULL)
    command("migrate")
    files = [str(folder / "mocha" / f"{split}.json") for split in ("train", "dev", "test")]
    pairs = str(folder / "mocha" / "minimal_pairs.json")
    options = ("--format", "mocha", "--name", "bench", "--pairs", pairs)
    imported = command("import_judgments", *files, *options)
    print(f"import (command, with its start)          {imported:8.2f} s")
    for names, multi_ref in ((COCO, "max"), (("meteor",), "max"), (MAX, "max"), (JOINT, "joint")):
        metrics = ("--metrics", ",".join(names), "--multi-ref", multi_ref, "--wait")
        label = names[0] if len(names) == 1 else f"{len(names)} metrics from {names[0]}"
        print(f"score {label:<28} {multi_ref:<6}{command('score', 'bench', *metrics):8.2f} s")
    again = command("score", "bench", "--metrics", ",".join(MAX), "--wait")
    print(f"score all again, everything known         {again:8.2f} s")
    whole, by_constituent, rows = board_seconds()
    print(f"leaderboard of {rows} runs, read                {whole * 1000:8.1f} ms")
    print(f"leaderboard by constituent, read          {by_constituent * 1000:8.1f} ms")


if __name__ == "__main__":
    main()
