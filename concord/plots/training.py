"""Plots of a training: loss by step, and the dev figure after each epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, TypeGuard

from concord.plots.frames import Frame

FRAME = Frame(420, 260, left=52, right=404, top=12, bottom=214)
# Number of different line styles.
STROKES = 4


class EpochCurve(TypedDict):
    """One run. loss: (step, training loss). dev: "step" and figures of each dev evaluation."""

    name: str
    step: int
    loss: list[list[float]]
    dev: list[dict[str, float | None]]


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class TrainingLine:
    """One learning rate and seed: its name, the number of its stroke, its points."""

    name: str
    stroke: int
    line: str
    dots: list[Dot]


@dataclass(frozen=True, slots=True)
class TrainingPlot:
    """Runs over steps. title and description: the picture in words."""

    title: str
    description: str
    frame: Frame
    runs: list[TrainingLine]


def training_plots(curves: Sequence[EpochCurve], figure: str) -> list[TrainingPlot]:
    """Plots of training loss, dev loss and the dev `figure`, where there is data; `curves` are the
    result of `TrainingFolder.curves`."""
    named: dict[str, Sequence[Sequence[Sequence[float]]]] = {
        "Training loss": [curve["loss"] for curve in curves],
        "Dev loss": [_dev(curve, "loss") for curve in curves],
    }
    if figure != "loss":
        named[f"Dev {figure}"] = [_dev(curve, figure) for curve in curves]
    names = [curve["name"] for curve in curves]
    return [_plot(title, names, points) for title, points in named.items() if any(points)]


def _dev(curve: EpochCurve, figure: str) -> list[tuple[float, float]]:
    points = [(row["step"], row.get(figure)) for row in curve["dev"]]
    # An undefined figure is NaN, or null after JSON.
    return [(step, value) for step, value in points if _is_number(step) and _is_number(value)]


def _is_number(value: float | None) -> TypeGuard[float]:
    return isinstance(value, int | float) and value == value


def _plot(
    title: str, names: Sequence[str], points: Sequence[Sequence[Sequence[float]]]
) -> TrainingPlot:
    all_points = [point for run in points for point in run]
    values = [y for _, y in all_points]
    x_axis = FRAME.x_axis(0.0, max(x for x, _ in all_points), 5)
    y_axis = FRAME.y_axis(min(values), max(values), 5)
    runs = []
    for index, (name, run) in enumerate(zip(names, points, strict=True)):
        dots = [
            Dot(
                x_axis.to_pixel(x),
                y_axis.to_pixel(y),
                f"{name + ', ' if name else ''}step {x}: {y:.4f}",
            )
            for x, y in run
        ]
        line = " ".join(f"{dot.x},{dot.y}" for dot in dots)
        runs.append(TrainingLine(name, index % STROKES + 1, line, dots))
    ends = [f"{n + ': ' if n else ''}{r[0][1]:.3f} to {r[-1][1]:.3f}"
            for n, r in zip(names, points, strict=True) if r]  # fmt: skip
    return TrainingPlot(
        title,
        f"{title}, from first to last: {'; '.join(ends)}.",
        FRAME.with_ticks(x_axis.ticks(), y_axis.ticks(), "step", title.lower()),
        runs,
    )
