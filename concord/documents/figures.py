"""A figure as JSON."""

from typing import Annotated, NotRequired, TypedDict

# A symmetric matrix: row i holds [i, 0] to [i, i - 1].
Triangle = list[list[float | None]]


class ResamplesRow(TypedDict, total=False):
    """What an interval is made of. clusters: number of independent units; draws: number of
    resamples; undefined: draws without the figure, which were left out. no_interval: why there is
    no interval. over: what the interval generalises to."""

    clusters: int
    draws: int
    undefined: int
    no_interval: str
    over: str


class FigureRow(ResamplesRow):
    """A number with its p-value and interval, or the reason why it is undefined."""

    value: float | None
    p: NotRequired[float | None]
    ci: NotRequired[Annotated[list[float] | None, "95%."]]
    reason: NotRequired[str]
