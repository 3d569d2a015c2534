"""Metrics on minimal pairs."""

from typing import TypedDict

from concord.documents.figures import FigureRow


class PairAccuracyRow(TypedDict):
    """One metric run; a figure for the whole, and one for each constituent and phenomenon."""

    run: int
    metric: str
    multi_ref: str
    whole: FigureRow
    constituents: list[FigureRow]
    phenomena: list[FigureRow]


class PairAccuracies(TypedDict):
    """Accuracies on `n` pairs; constituents and phenomena are (name, number of pairs)."""

    n: int
    constituents: list[tuple[str, int]]
    phenomena: list[tuple[str, int]]
    rows: list[PairAccuracyRow]


class PairComparison(TypedDict):
    """Every two metrics on `n` pairs; metrics are (run, name, way with several references)."""

    n: int
    metrics: list[tuple[int, str, str]]
    accuracies: list[float]
    p: list[list[float]]
