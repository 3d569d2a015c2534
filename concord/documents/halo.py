"""Halo of two criteria, as JSON."""

from typing import TypedDict


class IntervalRow(TypedDict):
    """`IntervalFigure.to_json()`; `reason` is None where there is a value."""

    value: float | None
    ci: list[float] | None
    reason: str | None


class HaloRow(TypedDict):
    """`Halo.to_json()`."""

    within: IntervalRow
    between: IntervalRow
    excess: IntervalRow
    ratings: int
    units: int
