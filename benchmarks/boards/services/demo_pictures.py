"""The pictures of the first page: what Concord makes of the demo set.

Their figures are stored in demo_figures.json, so that the page computes nothing; `python -m
tests.benchmarks.boards.first_page` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median_low
from typing import TypedDict

from concord.plots import IntervalMark, IntervalScale

FIGURES = Path(__file__).parent / "demo_figures.json"
PLOT_WIDTH = 200
POINTS = ("wrong", "mostly wrong", "half right", "mostly right", "right")
JUDGES = {"crowd-median": "Three workers, median", "one-worker": "One worker alone"}


@dataclass(frozen=True)
class PictureRow:
    """A metric or a judge with its figure and 95% interval. passed: of a judge."""

    name: str
    value: float
    ci: list[float]
    mark: IntervalMark
    passed: bool = False


@dataclass(frozen=True)
class Plot:
    """Rows on one scale."""

    scale: IntervalScale
    rows: list[PictureRow]


@dataclass(frozen=True)
class PicturePoint:
    """A point of the scale on the picture of a rating."""

    value: int
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class Enough:
    """So many ratings order `share` of the pairs of systems; as per cent of all, and as a bar."""

    ratings: int
    percent: int


class BoardFigures(TypedDict):
    metric: str
    pearson: float
    ci: list[float]


class PictureJudge(TypedDict):
    name: str
    advantage: float
    ci: list[float]
    passed: bool


class AnswerFigures(TypedDict):
    question: str
    candidate: str
    values: list[int]


class ReplayFigures(TypedDict):
    rated: float
    correct: float


class PictureFigures(TypedDict):
    """The file of figures."""

    board: list[BoardFigures]
    judges: list[PictureJudge]
    answer: AnswerFigures
    replay: list[ReplayFigures]
    candidates: int


@dataclass(frozen=True)
class Pictures:
    board: Plot
    judges: Plot
    question: str
    candidate: str
    points: list[PicturePoint]
    enough: list[Enough]
    candidates: int


@cache
def demo_pictures() -> Pictures:
    """The pictures' contents."""
    figures: PictureFigures = json.loads(FIGURES.read_text(encoding="utf-8"))
    answer = figures["answer"]
    chosen = median_low(answer["values"])
    return Pictures(
        board=_plot(
            (row["metric"], row["pearson"], row["ci"], False) for row in figures["board"]
        ),
        judges=_plot(
            ((JUDGES[row["name"]], row["advantage"], row["ci"], row["passed"])
             for row in figures["judges"]),
        ),
        question=answer["question"],
        candidate=answer["candidate"],
        points=[PicturePoint(at, label, at == chosen) for at, label in enumerate(POINTS, 1)],
        enough=[
            Enough(round(row["rated"]), round(100 * row["correct"])) for row in figures["replay"]
        ],
        candidates=figures["candidates"],
    )  # fmt: skip


def _plot(rows: Iterable[tuple[str, float, list[float], bool]]) -> Plot:
    rows = list(rows)
    scale = IntervalScale.from_range(0.0, 1.0, width=PLOT_WIDTH, ticks=3)
    return Plot(
        scale,
        [
            PictureRow(name, value, ci, scale.mark(value, ci), passed)
            for name, value, ci, passed in rows
        ],
    )
