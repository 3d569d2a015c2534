"""The geometry of ROC, precision-recall and reliability plots."""

from __future__ import annotations

import itertools

from concord import plots


def places(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


def test_a_roc_curve_goes_from_corner_to_corner_with_the_threshold_on_it() -> None:
    plot = plots.roc_plot([0, 0.5, 1], [0, 0.75, 1], area=0.625, at=(0.5, 0.75))
    line = places(plot.line)
    assert line[0] == (plot.frame.left, plot.frame.bottom) and line[-1] == (
        plot.frame.right,
        plot.frame.top,
    )
    assert plot.at is not None and (plot.at.x, plot.at.y) == line[1]
    assert places(plot.reference) == [line[0], line[-1]]
    assert "0.625" in plot.description and "0.750 of the correct" in plot.description


def test_precision_stands_in_steps_over_the_recall_it_was_reached_with() -> None:
    plot = plots.precision_recall_plot([0.5, 1.0], [1.0, 0.5], area=0.75, correct=0.5)
    middle = (plot.frame.left + plot.frame.right) / 2
    line = places(plot.line)
    assert [x for x, _ in line] == [plot.frame.left, middle, middle, plot.frame.right]
    assert [y for _, y in line][:2] == [plot.frame.top, plot.frame.top]
    assert line[2][1] == line[3][1] == places(plot.reference)[0][1]
    assert plot.at is None


def test_scores_that_are_no_probabilities_have_an_axis_of_their_own() -> None:
    arguments = ([-3.0, 12.0], [0.25, 0.75], [(0.1, 0.4), (0.6, 0.9)], ["low", "high"])
    plot = plots.reliability_plot(*arguments, probabilities=False)
    assert plot.reference == "" and plot.frame.x_ticks[-1].label == "15"
    assert all(dot.low > dot.y > dot.high for dot in plot.dots)  # type: ignore[operator]
    assert [dot.title for dot in plot.dots] == ["low", "high"]
    likely = plots.reliability_plot([0.2, 0.4], *arguments[1:], probabilities=True)
    assert [tick.label for tick in likely.frame.x_ticks] == [
        "0.0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1.0",
    ]
    assert places(likely.reference)[-1] == (likely.frame.right, likely.frame.top)


def test_a_line_has_no_more_points_than_pixels_can_show() -> None:
    steps = [i / 40_000 for i in range(40_001)]
    plot = plots.roc_plot(steps, steps, area=0.5)
    points = [tuple(map(float, point.split(","))) for point in plot.line.split()]
    assert 100 < len(points) < 1_200
    few = plots.roc_plot([0, 1], [0, 1], area=0.5).line.split()
    assert [plot.line.split()[0], plot.line.split()[-1]] == few
    assert max(b[0] - a[0] for a, b in itertools.pairwise(points)) < 1.5
