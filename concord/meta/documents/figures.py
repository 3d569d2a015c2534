"""A figure as JSON."""

from typing import NotRequired

from concord.intervals import ResamplesRow


class FigureRow(ResamplesRow):
    """`Figure.to_json()`: without a value there is a `reason`, else p-value and 95% interval."""

    value: float | None
    p: NotRequired[float | None]
    ci: NotRequired[list[float] | None]
    reason: NotRequired[str]
