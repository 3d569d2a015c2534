"""A figure as JSON."""

from typing import NotRequired, TypedDict

# A symmetric matrix: row i holds [i, 0] to [i, i - 1].
Triangle = list[list[float | None]]


class FigureRow(TypedDict):
    """`Figure.to_json()`: without a value there is a `reason`, else p-value and 95% interval."""

    value: float | None
    p: NotRequired[float | None]
    ci: NotRequired[list[float] | None]
    reason: NotRequired[str]
