"""The time until a collection ends."""

from __future__ import annotations

import numpy as np
import pytest

from concord.planning.pace import remaining_time


def test_an_even_pace_continues() -> None:
    left = remaining_time([10] * 24, 60)
    assert left is not None and left.expected == pytest.approx(6)
    assert 4 < left.low < 6 < left.high < 9


@pytest.mark.parametrize(("counts", "remaining"), [([], 5), ([0, 0, 0], 5), ([3, 4], 0)])
def test_without_events_or_without_any_left_there_is_no_prediction(
    counts: list[int], remaining: int
) -> None:
    assert remaining_time(counts, remaining) is None


def test_bursts_widen_the_interval() -> None:
    even, bursts = remaining_time([10] * 24, 60), remaining_time([60, 0, 0, 0, 0, 0] * 4, 60)
    assert even is not None and bursts is not None
    assert bursts.expected == even.expected
    assert bursts.high / bursts.low > 2 * even.high / even.low


@pytest.mark.parametrize("batch", [1, 8])
def test_95_percent_of_poisson_collections_end_in_the_interval(batch: int) -> None:
    """Events alone, and events that come in batches of 8."""
    rng = np.random.default_rng(4)
    covered, draws = 0, 1000
    for _ in range(draws):
        rate, intervals, batches_left = 2.0, 24, 20
        counts = batch * rng.poisson(rate, intervals)
        left = remaining_time(counts.tolist(), batch * batches_left)
        assert left is not None
        took = rng.gamma(batches_left, 1 / rate)
        covered += left.low <= took <= left.high
    assert covered / draws == pytest.approx(0.95, abs=0.03)
