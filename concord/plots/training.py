"""How a training went: its loss step by step, and the dev figure after each epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, TypeGuard

from concord.plots.frames import Frame

FRAME = Frame(420, 260, left=52, right=404, top=12, bottom=214)
# As many runs are told apart by their strokes.
STROKES = 4


class Curve(TypedDict):
    """One run: (step, training loss), and by dev evaluation its "step" and figures by name."""

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
class Run:
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
    runs: list[Run]


def training_plots(curves: Sequence[Curve], figure: str) -> list[TrainingPlot]:
    """The loss on training examples, the loss on dev examples and the dev `figure`, as far as
    there are any; curves as `TrainingFolder.curves` gives them."""
    named: dict[str, Sequence[Sequence[Sequence[float]]]] = {
        "Training loss": [curve["loss"] for curve in curves],
        "Dev loss": [_dev(curve, "loss") for curve in curves],
    }
    if figure != "loss":
        named[f"Dev {figure}"] = [_dev(curve, figure) for curve in curves]
    names = [curve["name"] for curve in curves]
    return [_plot(title, names, points) for title, points in named.items() if any(points)]


def _dev(curve: Curve, figure: str) -> list[tuple[float, float]]:
    points = [(row["step"], row.get(figure)) for row in curve["dev"]]
    # NaN, where a figure is undefined, is no number in JSON either.
    return [(step, value) for step, value in points if _is_number(step) and _is_number(value)]


def _is_number(value: float | None) -> TypeGuard[float]:
    return isinstance(value, int | float) and value == value


def _plot(
    title: str, names: Sequence[str], points: Sequence[Sequence[Sequence[float]]]
) -> TrainingPlot:
    every = [point for run in points for point in run]
    values = [y for _, y in every]
    across = FRAME.across(0.0, max(x for x, _ in every), 5)
    up = FRAME.up(min(values), max(values), 5)
    runs = []
    for place, (name, run) in enumerate(zip(names, points, strict=True)):
        dots = [
            Dot(across.place(x), up.place(y), f"{name + ', ' if name else ''}step {x}: {y:.4f}")
            for x, y in run
        ]
        line = " ".join(f"{dot.x},{dot.y}" for dot in dots)
        runs.append(Run(name, place % STROKES + 1, line, dots))
    ends = [f"{n + ': ' if n else ''}{r[0][1]:.3f} to {r[-1][1]:.3f}"
            for n, r in zip(names, points, strict=True) if r]  # fmt: skip
    return TrainingPlot(
        title,
        f"{title}, from first to last: {'; '.join(ends)}.",
        FRAME.ticked(across.ticks(), up.ticks(), "step", title.lower()),
        runs,
    )
