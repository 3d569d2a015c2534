"""The geometry of the plots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord import plots

finite = st.floats(-1e9, 1e9, allow_nan=False, width=32)


@given(finite, finite, st.integers(2, 10))
def test_an_axis_holds_its_values_and_its_ticks_are_in_order(
    first: float, second: float, count: int
) -> None:
    axis = plots.Axis.from_range(min(first, second), max(first, second), 0.0, 100.0, count)
    assert axis.low <= min(first, second) and axis.high >= max(first, second)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= count + 3
    assert [tick.at for tick in ticks] == sorted(tick.at for tick in ticks)
    assert len({tick.label for tick in ticks}) == len(ticks)
    assert all(-0.01 <= tick.at <= 100.01 for tick in ticks)


def test_ticks_are_round_numbers_with_a_true_minus() -> None:
    axis = plots.Axis.from_range(-0.13, 0.58, 0, 100)
    assert [tick.label for tick in axis.ticks()] == [
        "\N{MINUS SIGN}0.2",
        "0.0",
        "0.2",
        "0.4",
        "0.6",
    ]
    assert [tick.is_zero for tick in axis.ticks()] == [False, True, False, False, False]


def test_values_outside_an_axis_stay_on_its_end() -> None:
    axis = plots.Axis(0.0, 1.0, 10.0, 20.0, 0.5)
    assert (axis.to_pixel(-5), axis.to_pixel(0.5), axis.to_pixel(7)) == (10.0, 15.0, 20.0)


def test_an_interval_scale_holds_zero_and_every_interval() -> None:
    scale = plots.IntervalScale.from_intervals([(0.2, 0.4), (0.3, 0.9)])
    mark = scale.mark(0.3, (0.2, 0.4))
    assert mark.low is not None and mark.high is not None
    assert mark.low < mark.at < mark.high
    assert any(tick.is_zero for tick in scale.ticks)
    assert plots.IntervalScale.from_intervals([]).mark(0.5, None).low is None


def test_histogram_panels_share_one_scale() -> None:
    result = plots.histogram_panels(["1", "2"], {"a": [9, 1], "b": [1, 1], "empty": [0, 0]})
    assert [panel.name for panel in result] == ["a", "b"]
    (tallest, _), (half, _) = result[0].bars, result[1].bars
    assert half.height == pytest.approx(tallest.height * 0.5 / 0.9, abs=0.02)
    assert tallest.y + tallest.height == pytest.approx(result[0].base, abs=0.02)


@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, 3.0]), st.floats(0, 1)), min_size=1))
def test_points_lie_on_the_canvas_and_are_the_same_each_time(
    values: list[tuple[float, float]],
) -> None:
    gold, scores = np.array(values).T
    plane = plots.scatter_plane(gold, scores, "bleu-1", (1.0, 3.0))
    result = plots.scatter_points(plane, gold, scores)
    assert result == plots.scatter_points(plane, gold, scores)
    assert [point.index for point in result] == list(range(len(gold)))
    for point in result:
        assert plane.frame.left <= point.x <= plane.frame.right
        assert plane.frame.top <= point.y <= plane.frame.bottom


def test_equal_points_are_spread_apart() -> None:
    gold, scores = np.ones(50), np.zeros(50)
    plane = plots.scatter_plane(gold, scores, "bleu-1", (1.0, 5.0))
    assert len({(point.x, point.y) for point in plots.scatter_points(plane, gold, scores)}) > 40


def test_squares_count_every_candidate_once() -> None:
    rng = np.random.default_rng(5)
    gold, scores = rng.integers(1, 6, 5000).astype(float), rng.random(5000)
    plane = plots.scatter_plane(gold, scores, "bleu-1", (1.0, 5.0))
    squares = plots.density_squares(plane, gold, scores)
    assert sum(square.count for square in squares) == 5000
    assert {square.shade for square in squares} <= set(range(1, 7))
    assert max(squares, key=lambda square: square.count).shade == 6
