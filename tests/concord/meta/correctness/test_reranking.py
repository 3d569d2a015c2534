"""A metric's picks against a random and the best pick."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.meta import correctness

instances = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=4),
    min_size=1,
    max_size=8,
)


def rerank(
    scores: np.ndarray, gold: np.ndarray, items: np.ndarray, draws: int = 50
) -> correctness.Rerankings:
    rng = np.random.default_rng(1)
    return correctness.rerank(scores, gold, items, items, rng=rng, draws=draws)


@given(instances)
def test_picks_are_those_of_a_plain_loop(rows: list[list[tuple[int, int]]]) -> None:
    items = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    scores = np.array([score for row in rows for score, _ in row], dtype=float)
    gold = np.array([value for row in rows for _, value in row], dtype=float)
    result = rerank(np.stack([scores, gold]), gold, items)
    several = [row for row in rows if len(row) > 1]
    assert result.instances == len(several)
    if not several:
        assert result.chance.value is None
        assert "no question has two" in result.metrics[0].picked.reason
        return
    picked = [
        np.mean([value for score, value in row if score == max(s for s, _ in row)])
        for row in several
    ]
    chance = [np.mean([value for _, value in row]) for row in several]
    best = [max(value for _, value in row) for row in several]
    assert result.metrics[0].picked.value == pytest.approx(np.mean(picked))
    assert result.metrics[0].gain.value == pytest.approx(
        np.mean(picked) - np.mean(chance), abs=1e-9
    )
    assert result.chance.value == pytest.approx(np.mean(chance))
    assert result.best.value == pytest.approx(np.mean(best))
    perfect = result.metrics[1]
    assert perfect.picked.value == pytest.approx(np.mean(best))
    if np.mean(best) > np.mean(chance):
        assert perfect.share.value == pytest.approx(1.0)
    else:
        assert "equally good" in perfect.share.reason


def test_a_metric_without_knowledge_gains_nothing_within_its_interval() -> None:
    rng = np.random.default_rng(2)
    items = np.repeat(np.arange(300), 4)
    gold = rng.integers(1, 6, 1200).astype(float)
    result = rerank(np.stack([rng.random(1200), gold + rng.normal(size=1200)]), gold, items, 500)
    blind, sighted = result.metrics
    assert blind.gain.ci and blind.gain.ci[0] < 0 < blind.gain.ci[1]
    assert sighted.gain.ci and sighted.gain.ci[0] > 0.5
    assert sighted.share.value is not None and 0.6 < sighted.share.value < 1


def test_the_same_seed_gives_the_same_interval() -> None:
    rng = np.random.default_rng(3)
    items, gold = np.repeat(np.arange(40), 2), rng.random(80)
    scores = rng.random((1, 80))
    assert rerank(scores, gold, items) == rerank(scores, gold, items)


def test_the_best_system_is_one_that_answers_every_question() -> None:
    items = np.array([0, 0, 0, 1, 1, 2])
    systems = np.array([0, 0, 1, 0, 1, 2])
    gold = np.array([2.0, 4.0, 2.0, 1.0, 5.0, 9.0])
    assert correctness.best_system(gold, items, systems) == (1, 3.5)
    assert correctness.best_system(gold, items, np.where(systems == 1, -1, systems)) == (0, 2.0)
    assert correctness.best_system(gold, np.arange(6), systems) is None
