"""Time and memory to read a table with one row a rating, beside pandas and Python's csv module.

    python -m bench.long_ratings [--rows 1000000] [--each 10,1000] [--runs 3]

Each table has `--rows` invented ratings, so many (--each) of a candidate, in the columns question,
answer, model, worker, criterion and rating. Every read is a process of its own, which has imported
what it needs before: its CPU seconds, and the peak memory of the process with what is imported.
Printed are the least of --runs, in turns, and the ratios to `pandas.read_csv`.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

# Each prints its CPU seconds and peak memory in kB. pandas and pyarrow are imported by all.
READ = """
import csv, json, resource, sys, time
from pathlib import Path
import pandas, pyarrow.csv
from concord.formats import read_judgments
path = sys.argv[1]
started = time.process_time()
{read}
used = time.process_time() - started
print(json.dumps([used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""
READERS = {
    "pandas.read_csv": "kept = pandas.read_csv(path)",
    "csv.reader, nothing held": "sum(1 for _ in csv.reader(open(path, newline='')))",
    "concord, recipe ratings-long": "kept = read_judgments([Path(path)], 'ratings-long')",
}
WORKERS = 2_000


def write(path: Path, rows: int, each: int) -> None:
    rng = random.Random(7)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "answer", "model", "worker", "criterion", "rating"])
        for at in range(rows // each):
            texts = (f"Which river is number {at // 5}?", f"The river number {at}, I think.")
            for worker in rng.sample(range(WORKERS), each):
                rating = rng.randint(1, 5)
                writer.writerow([*texts, f"s{at % 5}", f"w{worker}", "fluency", rating])


def measure(program: str, path: Path) -> tuple[float, float]:
    """CPU seconds, and MB."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True
    )
    seconds, kilobytes = json.loads(done.stdout)
    return seconds, kilobytes / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--each", default="10,1000", help="numbers of ratings of a candidate")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    programs = {name: READ.replace("{read}", read) for name, read in READERS.items()}
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
        for each in map(int, options.each.split(",")):
            path = Path(folder, f"{each}.csv")
            write(path, options.rows, each)
            size = path.stat().st_size / 1e6
            print(f"{options.rows:,} rows of {each:,} ratings a candidate, {size:.0f} MB")
            runs = [[measure(program, path) for program in programs.values()]
                    for _ in range(options.runs)]  # fmt: skip
            best = [tuple(map(min, zip(*taken, strict=True))) for taken in zip(*runs, strict=True)]
            for name, (seconds, memory) in zip(programs, best, strict=True):
                ratios = f"{seconds / best[0][0]:5.1f} times, {memory / best[0][1]:.1f} times"
                print(f"  {name:<30} {seconds:6.2f} s of cores {memory:6,.0f} MB   {ratios}")


if __name__ == "__main__":
    main()
