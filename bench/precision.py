"""What bf16 gains and loses: time of scoring and differences of scores, beside float32.

    python -m bench.precision [--candidates 1000] [--repeat 3] [--metric NAME]

Scores EVOUNA's answers. The two precisions run in turns in sessions of their own, models loaded
before; the median times are compared. The last columns are the largest and the mean absolute
difference of a score, and Spearman's correlation of the two. Runs on a GPU if there is one.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from bench import judgment_data
from concord.formats import read_judgments
from scorers import Item, Metric, Session, parse_metrics

METRICS = {
    "bertscore": "bertscore({})",
    "bertscore-mpnet": "bertscore(model=all-mpnet-base-v2,{})",
    "lerc": "lerc({})",
    "lerc-paper": "lerc(checkpoint=lerc-paper,{})",
    "ava": "ava({})",
}
PRECISIONS = ("float32", "bf16")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--candidates", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--metric", choices=METRICS, action="append")
    options = parser.parse_args()
    items = _answers(options.candidates)
    print(f"{len(items)} answers, {sum(len(item.references) for item in items)} comparisons")
    for name in options.metric or METRICS:
        _compare(name, items, options.repeat)


def _answers(count: int) -> list[Item]:
    rows = read_judgments([judgment_data.path("evouna/NQ.json")], "evouna").candidates[:count]
    return [Item(row.text, row.instance.references, row.instance.question) for row in rows]


def _compare(name: str, items: list[Item], repeat: int) -> None:
    scores: dict[str, NDArray[np.float64]] = {}
    seconds: dict[str, list[float]] = {precision: [] for precision in PRECISIONS}
    for _ in range(repeat):
        for precision in PRECISIONS:
            (metric,) = parse_metrics(METRICS[name].format(f"dtype={precision}"))
            scores[precision], elapsed = _score(metric, items)
            seconds[precision].append(elapsed)
    full, half = (statistics.median(seconds[precision]) for precision in PRECISIONS)
    difference = np.abs(scores["bf16"] - scores["float32"])
    rho = spearmanr(scores["bf16"], scores["float32"]).statistic
    print(
        f"{name}: float32 {full:.1f} s, bf16 {half:.1f} s (ratio {full / half:.2f}); difference "
        f"at most {difference.max():.1e}, mean {difference.mean():.1e}, rho {rho:.6f}"
    )


def _score(metric: Metric, items: list[Item]) -> tuple[NDArray[np.float64], float]:
    with Session() as session:
        session.score(metric, [Item("a", ("b",), "c")])  # loads the models
        start = time.perf_counter()
        scores = session.score(metric, items)
        return scores, time.perf_counter() - start


if __name__ == "__main__":
    main()
