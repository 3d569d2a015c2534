"""A weighting of metrics that is chosen for judgments of a kind that it never saw.

    python -m bench.generalising --seen CONCORD.jsonl ... --unseen CONCORD.jsonl ... [--cache DIR]

Leave-one-set-out, as in MOCHA's Table 4: every combination of at most three metrics is weighted on
all sets of `--seen` but one and judged on that one; the combination with the highest mean of
Pearson's r is chosen. Its weights, fitted on all sets of `--seen`, are then judged once on each set
of `--unseen`, which chose nothing. Non-negative least squares gives the weights; scores and gold
are centred within each set and gold is standardised there, so that neither the scale nor the size
of a set counts. With several references the best counts. Only the dev part of a set of more than
5,000 answers is used, as `train` splits it: its train part trained the metrics `lerc` and `ava`.

Intervals are 95% percentiles over draws of questions, with the same draws for all metrics. The
learning curve gives the mean of Pearson's r over all choices of so many sets of `--seen`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from bench.judges import Part, compare_judges, table
from concord.meta import pearson
from scorers.batch import Services
from scorers.datasets.judgments import Judgment, Split, read_judgments
from scorers.learned.examples import add_features, examples_from_judgments
from scorers.learned.features import FeatureMetrics

Vector = NDArray[np.float64]

METRICS = (
    "token-f1",
    "sentence-similarity",
    "bertscore",
    "bertscore-r",
    "bleu-1-kpqa",
    "rouge-l-kpqa",
    "bertscore-kpqa",
    "bleu-1-kp",
    "rouge-l-kp",
    "bertscore-kp",
)
MAX_METRICS = 3
LARGE = 5_000
SPLIT = Split(0.15, 0.25, 1)


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Judgments with the metrics' scores of each candidate and reference.

    scores: (rows, metrics). owners: (rows,), each row's judgment. gold: (judgments,).
    """

    name: str
    judgments: list[Judgment]
    scores: Vector
    owners: NDArray[np.int64]
    gold: Vector

    def best(self, weights: Vector) -> Vector:
        """The weighted score by the best reference, (judgments,)."""
        best = np.full(len(self.gold), -np.inf)
        np.maximum.at(best, self.owners, self.scores @ weights)
        return best

    def agreement(self, weights: Vector) -> float:
        """Pearson's r with people; 0 for a weighting that gives everything the same score."""
        return pearson(self.best(weights), self.gold).value or 0.0

    def equations(self, columns: Sequence[int]) -> tuple[Vector, Vector]:
        """Each metric's score by its best reference, and the gold; a set's sums of squares of gold
        are 1."""
        best = np.stack([self.best(row) for row in np.eye(len(METRICS))[list(columns)]], axis=1)
        gold = self.gold - self.gold.mean()
        size = np.sqrt((gold**2).sum())
        return (best - best.mean(0)) / size, gold / size


def fit(sets: Sequence[JudgedSet], columns: Sequence[int]) -> Vector:
    """The weights of all metrics, (metrics,); 0 for those that are not in `columns`."""
    equations = [one.equations(columns) for one in sets]
    found, _ = nnls(np.concatenate([a for a, _ in equations]),
                    np.concatenate([b for _, b in equations]))  # fmt: skip
    weights = np.zeros(len(METRICS))
    weights[list(columns)] = found
    return weights


def left_out(sets: Sequence[JudgedSet], columns: Sequence[int]) -> list[float]:
    """Pearson's r on each set by the weights that the others give."""
    return [
        one.agreement(fit([other for other in sets if other is not one], columns)) for one in sets
    ]


def choose(sets: Sequence[JudgedSet]) -> list[tuple[tuple[int, ...], list[float]]]:
    """All combinations with their figures of `left_out`, the best mean first."""
    columns = [c for n in range(1, MAX_METRICS + 1) for c in combinations(range(len(METRICS)), n)]
    rows = [(one, left_out(sets, one)) for one in columns]
    # Rounded: a metric of weight 0 changes the last digits.
    return sorted(rows, key=lambda row: (-round(float(np.mean(row[1])), 6), len(row[0])))


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--seen", "--unseen"):
        parser.add_argument(name, type=Path, nargs="+", required=True, metavar="CONCORD.jsonl")
    parser.add_argument("--cache", type=Path)
    parsed = parser.parse_args()
    with closing(Services("auto", None)) as services:
        seen = [_read(path, services, parsed.cache) for path in parsed.seen]
        unseen = [_read(path, services, parsed.cache) for path in parsed.unseen]
    names = [one.name for one in seen]
    rows = choose(seen)
    print(f"| metrics | mean r, left out | {' | '.join(names)} |\n{'|---' * (len(names) + 2)}|")
    singles = [row for row in rows if len(row[0]) == 1]
    for columns, figures in [*rows[:10], *singles]:
        cells = " | ".join(f"{value:.3f}" for value in (np.mean(figures), *figures))
        print(f"| {_label(columns)} | {cells} |")
    chosen = rows[0][0]
    weights = fit(seen, chosen)
    print(f"\nChosen: {_label(chosen)}, weights {np.round(weights[list(chosen)], 3)}\n")
    for one in unseen:
        scores = np.stack([one.best(row) for row in (weights, *np.eye(len(METRICS)))])
        part = Part.of(one.judgments)
        compared = compare_judges(["chosen", *METRICS], 1, scores, part, None, None, 2000, 1)
        print(f"{one.name}: {table(compared)}\n")
    for count in range(1, len(seen) + 1):
        fits = [fit(some, chosen) for some in combinations(seen, count)]
        means = [np.mean([one.agreement(weights) for weights in fits]) for one in unseen]
        print(f"{count} of the sets: {' '.join(f'{mean:.3f}' for mean in means)}")


def _read(path: Path, services: Services, cache: Path | None) -> JudgedSet:
    judgments = read_judgments(path, "concord")
    if len(judgments) > LARGE:
        judgments = SPLIT.part(judgments, "dev")
    rows = examples_from_judgments(judgments, "all")
    rows = add_features(rows, FeatureMetrics(METRICS), services, cache)
    gold = np.array([judgment.gold for judgment in judgments], dtype=np.float64)
    return JudgedSet(path.stem, judgments, rows.features, rows.owners, gold)


def _label(columns: Sequence[int]) -> str:
    return ", ".join(METRICS[column] for column in columns)


if __name__ == "__main__":
    main()
