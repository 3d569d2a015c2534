"""Differences of metrics from the best sentinel."""

from __future__ import annotations

import numpy as np
import pytest

from concord.meta.inference import MetricFigures, ScoredSample, bootstrap_steps, run_steps
from concord.meta.sentinels import beats, differences_from_sentinels

N, PER_PASSAGE = 160, 4


def bootstrap(scores: dict[str, np.ndarray], gold: np.ndarray, seed: int = 1) -> MetricFigures:
    passages = np.arange(len(gold)) // PER_PASSAGE
    sample = ScoredSample.from_scores(scores, gold, items=np.arange(len(gold)), clusters=passages)
    steps = bootstrap_steps(sample, "pearson", rng=np.random.default_rng(seed), draws=200)
    return run_steps(steps)


def test_the_difference_is_from_the_sentinel_with_the_highest_correlation() -> None:
    rng = np.random.default_rng(2)
    gold = rng.normal(size=N)
    scores = {
        "weak": gold + 5 * rng.normal(size=N),
        "strong": gold + rng.normal(size=N),
        "metric": gold + 0.2 * rng.normal(size=N),
        "copy": np.zeros(N),
    }
    scores["copy"] = 3 * scores["strong"] + 1
    draws = bootstrap(scores, gold)
    differences = differences_from_sentinels(draws, ["weak", "strong"])
    r = {name: np.corrcoef(values, gold)[0, 1] for name, values in scores.items()}
    assert differences["metric"].value == pytest.approx(r["metric"] - r["strong"])
    assert beats(differences["metric"])
    assert differences["copy"].value == pytest.approx(0.0, abs=1e-12)
    assert beats(differences["copy"]) is False
    assert set(differences) == {"metric", "copy"}


def test_a_constant_has_no_difference_and_without_sentinels_the_limit_is_zero() -> None:
    rng = np.random.default_rng(3)
    gold = rng.normal(size=N)
    scores = {"flat": np.zeros(N), "metric": gold + rng.normal(size=N), "still": np.ones(N)}
    differences = differences_from_sentinels(bootstrap(scores, gold), ["flat"])
    assert differences["still"].value is None and beats(differences["still"]) is None
    assert differences["metric"].value == pytest.approx(np.corrcoef(scores["metric"], gold)[0, 1])


def test_a_metric_as_good_as_the_sentinel_is_rarely_called_better() -> None:
    """Both have the same correlation in the population, and passages share an effect."""
    rng = np.random.default_rng(4)
    better = 0
    for seed in range(200):
        shared = np.repeat(rng.normal(size=N // PER_PASSAGE), PER_PASSAGE)
        gold = shared + rng.normal(size=N)
        scores = {name: gold + 2 * rng.normal(size=N) for name in ("sentinel", "metric")}
        draws = bootstrap(scores, gold, seed)
        better += beats(differences_from_sentinels(draws, ["sentinel"])["metric"])
    assert better <= 11  # 2.5% expected; 11 or more of 200 have a probability of 1.4%
