"""Curves of a metric against people's verdicts: ROC, precision-recall and reliability.

All three are small squares of one size, to stand side by side and to be printed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from concord.plots.axes import Axis
from concord.plots.frames import Frame
from concord.sentences import to_sentence

FRAME = Frame(340, 320, left=52, right=324, top=12, bottom=274)


@dataclass(frozen=True, slots=True)
class CurveDot:
    """A point to hover; `low` and `high`, pixels of its interval's ends, or None."""

    x: float
    y: float
    title: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """line, reference: SVG points, "" for none; the reference is what knowing nothing gives, or
    what a calibrated score gives. dots: of bins. at: where the frozen threshold stands. title and
    description: the picture in words, for <title> and <desc>."""

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
    """False positive rate by true positive rate, both rising from 0 to 1; `at` the threshold."""
    across, up = _axes()
    dot = None
    if at is not None:
        said = f"at the frozen threshold {at[1]:.3f} of the correct, {at[0]:.3f} of the wrong"
        dot = CurveDot(across.place(at[0]), up.place(at[1]), said)
    description = f"The ROC curve; the area below it is {area:.3f}."
    return CurvePlot(
        "ROC curve",
        f"{description} {_sentence(dot)}".strip(),
        _frame(across, up, "wrong answers called correct", "correct answers called correct"),
        _points(across, up, x, y),
        _points(across, up, (0, 1), (0, 1)),
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
    """Recall, rising, by precision, as steps; `correct`, the share of correct answers, is the
    precision of calling everything correct."""
    across, up = _axes()
    dot = None
    if at is not None:
        said = f"at the frozen threshold recall {at[0]:.3f}, precision {at[1]:.3f}"
        dot = CurveDot(across.place(at[0]), up.place(at[1]), said)
    # A recall is reached with its own precision: each step leads to it on its height.
    before = (0.0, *x[:-1])
    xs = [value for pair in zip(before, x, strict=True) for value in pair]
    ys = [value for value in y for _ in range(2)]
    description = f"The precision-recall curve; average precision is {area:.3f}."
    return CurvePlot(
        "Precision and recall",
        f"{description} {_sentence(dot)}".strip(),
        _frame(across, up, "recall", "precision"),
        _points(across, up, xs, ys),
        _points(across, up, (0, 1), (correct, correct)),
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
    """The mean score of each bin, rising, by the share of its answers that are correct.

    All of one length, one or more. `probabilities`: scores from 0 to 1, for which the reference is
    the line of calibrated ones; others have an axis of their own and no reference.
    """
    across, up = _axes()
    if not probabilities:
        across = FRAME.across(min(scores), max(scores), 4)
    dots = [
        CurveDot(across.place(x), up.place(y), title, up.place(low), up.place(high))
        for x, y, (low, high), title in zip(scores, correct, intervals, titles, strict=True)
    ]
    return CurvePlot(
        "Reliability",
        f"The share of correct answers in {len(dots)} bins of the metric's score, from "
        f"{correct[0]:.3f} in the lowest to {correct[-1]:.3f} in the highest.",
        _frame(across, up, "metric's score, mean of the bin", "correct for people"),
        _points(across, up, scores, correct),
        _points(across, up, (0, 1), (0, 1)) if probabilities else "",
        dots=dots,
    )


def _axes() -> tuple[Axis, Axis]:
    return FRAME.across(0.0, 1.0, 5), FRAME.up(0.0, 1.0, 5)


def _frame(across: Axis, up: Axis, x_name: str, y_name: str) -> Frame:
    return FRAME.ticked(across.ticks(), up.ticks(), x_name, y_name)


def _points(across: Axis, up: Axis, x: Sequence[float], y: Sequence[float]) -> str:
    return " ".join(f"{across.place(a)},{up.place(b)}" for a, b in zip(x, y, strict=True))


def _sentence(dot: CurveDot | None) -> str:
    return to_sentence(dot.title) if dot else ""
