"""Plots of a metric against people's verdicts: ROC, precision-recall and reliability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from concord.plots.axes import Axis
from concord.plots.frames import Frame
from concord.sentences import to_sentence

MIN_STEP = 0.5
FRAME = Frame(340, 320, left=52, right=324, top=12, bottom=274)


@dataclass(frozen=True, slots=True)
class CurveDot:
    """A point with a tooltip; `low` and `high` are the pixels of its interval, or None."""

    x: float
    y: float
    title: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """line, reference: SVG points, "" for none; the reference is the line of a random or of a
    calibrated score. dots: of bins. at: the point of the frozen threshold. title and description:
    texts for <title> and <desc>."""

    title: str
    description: str
    frame: Frame
    line: str
    reference: str
    at: CurveDot | None = None
    dots: list[CurveDot] = field(default_factory=list)


def roc_plot(
    x: Sequence[float],
    y: Sequence[float],
    *,
    area: float,
    at: tuple[float, float] | None = None,
) -> CurvePlot:
    """False positive rate (x) by true positive rate (y), both ascending; `at`: the threshold's."""
    x_axis, y_axis = _axes()
    dot = None
    if at is not None:
        title = f"at the frozen threshold {at[1]:.3f} of the correct, {at[0]:.3f} of the wrong"
        dot = CurveDot(x_axis.to_pixel(at[0]), y_axis.to_pixel(at[1]), title)
    description = f"The ROC curve; the area below it is {area:.3f}."
    return CurvePlot(
        "ROC curve",
        f"{description} {_sentence(dot)}".strip(),
        _frame(x_axis, y_axis, "wrong answers called correct", "correct answers called correct"),
        _points(x_axis, y_axis, x, y),
        _points(x_axis, y_axis, (0, 1), (0, 1)),
        dot,
    )


def precision_recall_plot(
    x: Sequence[float],
    y: Sequence[float],
    *,
    area: float,
    correct: float,
    at: tuple[float, float] | None = None,
) -> CurvePlot:
    """Recall (x, ascending) by precision (y), as steps; `correct`, the share of correct answers, is
    the precision of calling every answer correct."""
    x_axis, y_axis = _axes()
    dot = None
    if at is not None:
        title = f"at the frozen threshold recall {at[0]:.3f}, precision {at[1]:.3f}"
        dot = CurveDot(x_axis.to_pixel(at[0]), y_axis.to_pixel(at[1]), title)
    # The precision of a recall applies to the whole step up to it.
    before = (0.0, *x[:-1])
    xs = [value for pair in zip(before, x, strict=True) for value in pair]
    ys = [value for value in y for _ in range(2)]
    description = f"The precision-recall curve; average precision is {area:.3f}."
    return CurvePlot(
        "Precision and recall",
        f"{description} {_sentence(dot)}".strip(),
        _frame(x_axis, y_axis, "recall", "precision"),
        _points(x_axis, y_axis, xs, ys),
        _points(x_axis, y_axis, (0, 1), (correct, correct)),
        dot,
    )


def reliability_plot(
    scores: Sequence[float],
    correct: Sequence[float],
    intervals: Sequence[tuple[float, float]],
    titles: Sequence[str],
    *,
    probabilities: bool,
) -> CurvePlot:
    """The mean score of each bin (x, ascending) by the share of its answers that are correct (y).

    All arguments have the same length, at least 1. `probabilities`: scores are in [0, 1], and the
    reference is the line of calibrated scores. Otherwise the x axis has another range, and there
    is no reference.
    """
    x_axis, y_axis = _axes()
    if not probabilities:
        x_axis = FRAME.x_axis(min(scores), max(scores), 4)
    dots = [
        CurveDot(
            x_axis.to_pixel(x),
            y_axis.to_pixel(y),
            title,
            y_axis.to_pixel(low),
            y_axis.to_pixel(high),
        )
        for x, y, (low, high), title in zip(scores, correct, intervals, titles, strict=True)
    ]
    return CurvePlot(
        "Reliability",
        f"The share of correct answers in {len(dots)} bins of the metric's score, from "
        f"{correct[0]:.3f} in the lowest to {correct[-1]:.3f} in the highest.",
        _frame(x_axis, y_axis, "metric's score, mean of the bin", "correct for people"),
        _points(x_axis, y_axis, scores, correct),
        _points(x_axis, y_axis, (0, 1), (0, 1)) if probabilities else "",
        dots=dots,
    )


def calibration_plot(
    grades: Sequence[float],
    gold: Sequence[float],
    intervals: Sequence[tuple[float, float]],
    titles: Sequence[str],
    *,
    scale: tuple[float, float],
    title: str,
) -> CurvePlot:
    """The mean grade of each bin (x, ascending) by people's mean score (y), both on one scale.

    All arguments but `scale` have the same length, at least 1. The reference is the line of equal
    grades and scores.
    """
    x_axis, y_axis = FRAME.x_axis(*scale, 5), FRAME.y_axis(*scale, 5)
    dots = [
        CurveDot(
            x_axis.to_pixel(x),
            y_axis.to_pixel(y),
            text,
            y_axis.to_pixel(low),
            y_axis.to_pixel(high),
        )
        for x, y, (low, high), text in zip(grades, gold, intervals, titles, strict=True)
    ]
    return CurvePlot(
        title,
        f"People's mean score in {len(dots)} bins of the judge's grade, from {gold[0]:.2f} in the "
        f"lowest to {gold[-1]:.2f} in the highest.",
        _frame(x_axis, y_axis, "judge's grade, mean of the bin", "people's score"),
        _points(x_axis, y_axis, grades, gold),
        _points(x_axis, y_axis, scale, scale),
        dots=dots,
    )


def _axes() -> tuple[Axis, Axis]:
    return FRAME.x_axis(0.0, 1.0, 5), FRAME.y_axis(0.0, 1.0, 5)


def _frame(x_axis: Axis, y_axis: Axis, x_name: str, y_name: str) -> Frame:
    return FRAME.with_ticks(x_axis.ticks(), y_axis.ticks(), x_name, y_name)


def _points(x_axis: Axis, y_axis: Axis, x: Sequence[float], y: Sequence[float]) -> str:
    """The pixels of a line, without those less than MIN_STEP from the one before; the last stays.

    A curve over all thresholds has a point for each score, thousands more than pixels.
    """
    pixels = [(x_axis.to_pixel(a), y_axis.to_pixel(b)) for a, b in zip(x, y, strict=True)]
    drawn = pixels[:1]
    for pixel in pixels[1:]:
        if max(abs(pixel[0] - drawn[-1][0]), abs(pixel[1] - drawn[-1][1])) >= MIN_STEP:
            drawn.append(pixel)
    if drawn and drawn[-1] != pixels[-1]:
        drawn.append(pixels[-1])
    return " ".join(f"{left},{top}" for left, top in drawn)


def _sentence(dot: CurveDot | None) -> str:
    return to_sentence(dot.title) if dot else ""
