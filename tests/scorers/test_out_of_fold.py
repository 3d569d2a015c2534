"""Predictions made for each passage from the others."""

from __future__ import annotations

import numpy as np
import pytest

from scorers.out_of_fold import combine_out_of_fold, predict_out_of_fold


def test_predictions_follow_a_linear_signal_and_nothing_else() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(400, 20))
    clusters = np.repeat(np.arange(100), 4)
    signal = features[:, 0] + 0.5 * rng.normal(size=400)
    assert np.corrcoef(predict_out_of_fold(features, signal, clusters), signal)[0, 1] > 0.8
    # Gold is a property of the passage, and so are the features, but they are not related.
    by_passage = rng.normal(size=(100, 20))[clusters]
    gold = rng.normal(size=100)[clusters]
    assert abs(np.corrcoef(predict_out_of_fold(by_passage, gold, clusters), gold)[0, 1]) < 0.35


def test_one_passage_is_refused() -> None:
    with pytest.raises(ValueError, match="two passages"):
        predict_out_of_fold(np.zeros((4, 2)), np.arange(4.0), np.zeros(4, dtype=np.int64))


def test_two_metrics_that_know_different_things_are_better_together() -> None:
    rng = np.random.default_rng(2)
    parts = rng.normal(size=(400, 2))
    gold = parts.sum(axis=1) + 0.3 * rng.normal(size=400)
    scores = np.column_stack([5 * parts[:, 0] + 7, parts[:, 1], rng.normal(size=400)])
    combined = combine_out_of_fold(scores, gold, np.repeat(np.arange(100), 4))
    together = np.corrcoef(combined.predictions, gold)[0, 1]
    alone = np.corrcoef(combined.single, gold)[0, 1]
    assert together > 0.95 and 0.6 < alone < 0.8
    first, second, noise = combined.weights.mean(axis=0)
    assert first == pytest.approx(second, rel=0.2) and abs(noise) < 0.05 * first


def test_choices_are_made_without_the_fold_that_is_predicted() -> None:
    """Many metrics of noise: the best of them looks good, and is not on other passages."""
    best, single, together = [], [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        gold, noise = rng.normal(size=120), rng.normal(size=(120, 200))
        combined = combine_out_of_fold(noise, gold, np.repeat(np.arange(60), 2))
        best.append(max(np.corrcoef(noise.T, gold)[-1, :-1]))
        single.append(np.corrcoef(combined.single, gold)[0, 1])
        together.append(np.corrcoef(combined.predictions, gold)[0, 1])
    assert np.mean(best) > 0.2
    assert np.mean(single) < 0.15 and np.mean(together) < 0.15
