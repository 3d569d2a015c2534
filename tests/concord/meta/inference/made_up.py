"""Made-up samples for the tests of the meta-evaluation, and plain loops to compare with."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats

from concord.meta.inference import ScoredSample

GOLDEN = json.loads(
    (Path(__file__).parents[3] / "golden" / "mt_metrics_eval.json").read_text(encoding="utf-8")
)
SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall_b": lambda x, y: stats.kendalltau(x, y, variant="b")[0],
    "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c")[0],
}


def golden_sample() -> ScoredSample:
    gold = np.array(GOLDEN["gold"], dtype=float)
    systems, items = (codes.ravel() for codes in np.indices(gold.shape))
    scores = {name: np.array(rows, dtype=float).ravel() for name, rows in GOLDEN["metrics"].items()}
    return ScoredSample.from_scores(scores, gold.ravel(), items=items, systems=systems)


def gappy_sample(
    seed: int = 0, items: int = 20, systems: int = 5, metrics: int = 3
) -> ScoredSample:
    """Some systems lack some items, others have two candidates; ties everywhere; a third of the
    gold is missing; items lie two by two in passages. The last metric is tied on whole numbers."""
    rng = np.random.default_rng(seed)
    item, system = (codes.ravel() for codes in np.indices((items, systems)))
    is_kept = rng.random(len(item)) < 0.8
    item, system = (np.concatenate([c[is_kept], c[:15]]) for c in (item, system))
    truth = rng.normal(size=len(item)) + rng.normal(size=items)[item]
    gold = np.clip(np.round(3 + truth + 0.5 * rng.normal(size=len(item))), 1, 5)
    gold[rng.random(len(item)) < 0.3] = np.nan
    scores = {f"m{k}": truth + (0.5 + 0.5 * k) * rng.normal(size=len(item)) for k in range(metrics)}
    scores[f"m{metrics - 1}"] = np.round(scores[f"m{metrics - 1}"])
    names = np.array([f"s{code}" for code in system])
    return ScoredSample.from_scores(scores, gold, items=item, systems=names, clusters=item // 2)


def equally_good(rng: np.random.Generator, n: int, better_by: float = 0.0) -> ScoredSample:
    """Two metrics with noise of one size, or the first with less; gold on five points."""
    truth = rng.normal(size=n)
    gold = np.clip(np.round(3 + truth + 0.5 * rng.normal(size=n)), 1, 5)
    first = truth + (1 - better_by) * rng.normal(size=n)
    return ScoredSample.from_scores(
        {"a": first, "b": truth + rng.normal(size=n)}, gold, items=np.arange(n)
    )


def group_codes(sample: ScoredSample, grouping: str):
    return {
        "none": np.zeros(sample.n, dtype=int),
        "item": sample.items,
        "sys": sample.systems,
    }[grouping]


def plain_mean(coefficient: str, x, y, groups) -> float:
    """The mean of scipy's coefficient over groups where it is defined, group by group."""
    result = []
    for group in np.unique(groups):
        a, b = x[groups == group], y[groups == group]
        if len(a) >= 2 and np.ptp(a) > 0 and np.ptp(b) > 0:
            result.append(SCIPY[coefficient](a, b))
    return float(np.mean(result)) if result else float("nan")


def all_pairs(n: int):
    return list(combinations(range(n), 2))
