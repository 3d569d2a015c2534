"""Times of `import concord` and `import pandas`, in new interpreters, in turns.

    python -m bench.imports [--runs 15]

Prints the median of each in seconds, without the time of an empty interpreter, and their ratio.
`concord` imports pandas only when a frame is made or read, so its time does not include pandas.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

PROGRAMS = {"nothing": "pass", "concord": "import concord", "pandas": "import pandas"}


def seconds(program: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    taken: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(runs):
        for name, program in PROGRAMS.items():
            taken[name].append(seconds(program))
    empty = statistics.median(taken["nothing"])
    medians = {name: statistics.median(taken[name]) - empty for name in ("concord", "pandas")}
    for name, value in medians.items():
        print(f"import {name}: {value:.3f} s")
    print(f"ratio: {medians['concord'] / medians['pandas']:.2f}")


if __name__ == "__main__":
    main()
