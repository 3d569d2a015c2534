"""How many raters and items a study needs."""

from typing import Annotated, TypedDict


class ForecastCellDocument(TypedDict):
    """The forecast for a number of raters per item and a number of items."""

    raters: int
    items: int
    ratings: int
    cents: Annotated[int, "Cost with the fee."]
    width: float
    enough: Annotated[bool, "Whether the target width is reached."]


class ForecastRowDocument(TypedDict):
    """A number of raters per item."""

    raters: int
    alpha: float
    cells: list[ForecastCellDocument]
    needed: Annotated[ForecastCellDocument, "The fewest items that reach the target width."]


class ForecastDocument(TypedDict):
    """The options that reach the target width, by simulation."""

    cheapest: ForecastCellDocument
    rows: list[ForecastRowDocument]
    seed: int
