"""A figure as JSON."""

from typing import Annotated, NotRequired, TypedDict

# A symmetric matrix: row i holds [i, 0] to [i, i - 1].
Triangle = list[list[float | None]]


class FigureRow(TypedDict):
    """A number with its p-value and interval, or the reason why it is undefined."""

    value: float | None
    p: NotRequired[float | None]
    ci: NotRequired[Annotated[list[float] | None, "95%."]]
    reason: NotRequired[str]
