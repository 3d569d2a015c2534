"""Times of the meta-evaluation, and of plain loops over scipy.stats.

    python -m bench.meta_evaluation [--slow]

1. The whole Pearson board of 40,000 candidates and 30 metrics: figures, 1,000 bootstrap draws by
   passage, the jackknife over passages, PERM-BOTH of all 435 pairs with 1,000 draws. The target is
   under a minute on two cores.
2. PERM-BOTH of two metrics by Pearson, 1,000 candidates x 1,000 draws: a loop as in mt-metrics-eval
   (swap, then scipy.stats.pearsonr), and Concord. The target is a factor of 20.
3. The same averaged by item, 10 systems x 500 items x 1,000 draws. The loop takes minutes: without
   --slow it runs 20 draws, and its time is scaled. The target is a factor of 100.
4. Spearman and Kendall boards of 1,000 candidates and 30 metrics, 1,000 draws each, and of 40,000
   with --slow.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from concord.meta.inference import (
    ScoredSample,
    bootstrap_steps,
    correlations,
    perm_both_steps,
    rank_metrics,
    run_steps,
)
from concord.meta.inference.correlations import left_out_steps

DRAWS = 1000


def random_sample(n: int, metrics: int, *, per_item: int = 5, seed: int = 0) -> ScoredSample:
    """Metrics of growing noise, and answers of `per_item` systems to each item."""
    rng = np.random.default_rng(seed)
    gold = np.round(rng.normal(size=n) * 2) / 2
    noise = np.linspace(0.5, 2.0, metrics)
    scores = {f"m{k:02d}": gold + noise[k] * rng.normal(size=n) for k in range(metrics)}
    return ScoredSample.from_scores(
        scores, gold, items=np.arange(n) // per_item, systems=np.arange(n) % per_item
    )


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def board(sample: ScoredSample, coefficient: Any) -> dict[str, float]:
    """Seconds of each part of a board."""
    rng = np.random.default_rng
    seconds = {}
    seconds["figures"], _ = timed(lambda: correlations(sample, coefficient))
    seconds["bootstrap"], _ = timed(
        lambda: run_steps(bootstrap_steps(sample, coefficient, rng=rng(1), draws=DRAWS))
    )
    seconds["jackknife"], _ = timed(lambda: run_steps(left_out_steps(sample, coefficient)))
    seconds["PERM-BOTH"], swapped = timed(
        lambda: run_steps(perm_both_steps(sample, coefficient, rng=rng(3), draws=DRAWS))
    )
    seconds["groups"], _ = timed(lambda: rank_metrics(swapped.values, swapped.p_family))
    return seconds


def loop_pooled(sample: ScoredSample, draws: int) -> float:
    """p of a plain loop over scipy.stats.pearsonr, pooled."""
    rng = np.random.default_rng(4)
    one, other = (_standard(row) for row in sample.scores)
    gold = sample.gold
    seen = stats.pearsonr(one, gold).statistic - stats.pearsonr(other, gold).statistic
    count = 0
    for _ in range(draws):
        swap = rng.random(sample.n) < 0.5
        a, b = np.where(swap, other, one), np.where(swap, one, other)
        count += stats.pearsonr(a, gold).statistic - stats.pearsonr(b, gold).statistic >= seen
    return (count + 1) / (draws + 1)


def loop_by_item(sample: ScoredSample, draws: int) -> float:
    """The same, averaged over items."""
    rng = np.random.default_rng(4)
    one, other = (_standard(row) for row in sample.scores)
    groups = [np.flatnonzero(sample.items == item) for item in range(sample.items.max() + 1)]
    gold = sample.gold

    def figure(scores: np.ndarray) -> float:
        correlations = [
            stats.pearsonr(scores[at], gold[at]).statistic
            for at in groups
            if np.ptp(gold[at]) and np.ptp(scores[at])
        ]
        return float(np.mean(correlations))

    seen = figure(one) - figure(other)
    count = 0
    for _ in range(draws):
        swap = rng.random(sample.n) < 0.5
        count += figure(np.where(swap, other, one)) - figure(np.where(swap, one, other)) >= seen
    return (count + 1) / (draws + 1)


def _standard(scores: np.ndarray) -> np.ndarray:
    return (scores - scores.mean()) / scores.std()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slow", action="store_true", help="every loop in full")
    slow = parser.parse_args().slow
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")

    def print_seconds(name: str, seconds: dict[str, float]) -> None:
        parts = ", ".join(f"{part} {value:.2f}" for part, value in seconds.items())
        print(f"{name}: {sum(seconds.values()):.1f} s ({parts})", flush=True)

    print_seconds("Pearson board, 40,000 x 30", board(random_sample(40_000, 30), "pearson"))
    two = random_sample(1000, 2)
    loop, p_loop = timed(lambda: loop_pooled(two, DRAWS))
    concord_s, result = timed(
        lambda: run_steps(perm_both_steps(two, rng=np.random.default_rng(5), draws=DRAWS))
    )
    print(
        f"PERM-BOTH, 1,000 candidates: loop {loop:.2f} s (p {p_loop:.3f}), ours {concord_s:.4f} s "
        f"(p {result.p_greater[0, 1]:.3f}), ratio {loop / concord_s:.0f}",
        flush=True,
    )
    many = random_sample(5000, 2, per_item=10)
    draws = DRAWS if slow else 20
    loop, p_loop = timed(lambda: loop_by_item(many, draws))
    loop *= DRAWS / draws
    concord_s, result = timed(
        lambda: run_steps(
            perm_both_steps(many, grouping="item", rng=np.random.default_rng(5), draws=DRAWS)
        )
    )
    scaled = "" if slow else f", from {draws} draws"
    print(
        f"PERM-BOTH by item, 10 x 500: loop {loop:.1f} s{scaled} (p {p_loop:.3f}), "
        f"ours {concord_s:.3f} s (p {result.p_greater[0, 1]:.3f}), ratio {loop / concord_s:.0f}",
        flush=True,
    )
    for coefficient in ("spearman", "kendall_b"):
        for n in (1000, 40_000) if slow else (1000,):
            print_seconds(
                f"{coefficient} board, {n:,} x 30", board(random_sample(n, 30), coefficient)
            )


if __name__ == "__main__":
    main()
