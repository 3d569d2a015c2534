"""The choice of a weighting that holds on a set that it never saw."""

from __future__ import annotations

import numpy as np
import pytest

from bench.generalising import METRICS, JudgedSet, choose, fit


def judged(name: str, seed: int, deceptive: bool) -> JudgedSet:
    """60 judgments with two references each. The first metric is people's score with noise. The
    second is their score on all sets but the deceptive one, where it is the opposite."""
    rng = np.random.default_rng(seed)
    gold = rng.random(60)
    best = rng.random((60, len(METRICS)))
    best[:, 0] = gold + rng.normal(0, 0.2, 60)
    best[:, 1] = (1 - gold if deceptive else gold) + rng.normal(0, 0.05, 60)
    scores = np.concatenate([best, best - rng.random((60, 1))])
    return JudgedSet(name, [], scores, np.tile(np.arange(60), 2), gold)


def test_the_best_reference_counts() -> None:
    one = judged("a", 1, deceptive=False)
    weights = np.eye(len(METRICS))[0]
    assert one.best(weights) == pytest.approx(one.scores[:60, 0])


def test_what_holds_on_the_other_sets_is_chosen() -> None:
    sets = [judged("a", 1, False), judged("b", 2, False), judged("c", 3, True)]
    columns, figures = choose(sets)[0]
    assert columns[0] == 0 and 1 not in columns and min(figures) > 0.7
    agreeing = choose([sets[0], sets[1], judged("d", 4, False)])[0]
    assert 1 in agreeing[0] and np.mean(agreeing[1]) > 0.95


def test_weights_are_not_negative_and_sizes_of_sets_do_not_count() -> None:
    small, large = judged("a", 1, False), judged("c", 3, True)
    repeated = JudgedSet("c", [], np.tile(large.scores, (9, 1)),
                         np.concatenate([large.owners + 60 * k for k in range(9)]),
                         np.tile(large.gold, 9))  # fmt: skip
    weights = fit([small, large], (0, 1))
    assert (weights >= 0).all() and not weights[2:].any()
    assert fit([small, repeated], (0, 1)) == pytest.approx(weights)
