"""Bars of the ratings in each interval."""

from __future__ import annotations

from concord.plots.throughput import FRAME, throughput_plot


def plot(counts: list[int]):  # type: ignore[no-untyped-def]
    titles = [f"{hour}:00" for hour in range(len(counts))]
    return throughput_plot(titles, counts, {0: "0:00", 2: "2:00"}, x_name="time", y_name="n")


def test_heights_are_counts_and_empty_intervals_have_no_bar() -> None:
    low, high = plot([5, 0, 0, 10]).bars
    assert high.height == 2 * low.height > 0
    assert low.y + low.height == high.y + high.height == FRAME.bottom
    assert (low.title, high.title) == ("0:00: 5", "3:00: 10")


def test_ticks_are_where_their_intervals_begin() -> None:
    drawn = plot([5, 0, 1, 10])
    assert [tick.at for tick in drawn.frame.x_ticks] == [48, 374]
    assert drawn.bars[1].x > 374


def test_no_ratings_draw_an_empty_plot() -> None:
    assert plot([0, 0]).bars == []
