"""A figure with its interval, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from concord.documents.figures import FigureRow, ResamplesRow

Scale = Literal["correlation", "share", "difference"]
"""The range of a figure: [-1, 1], [0, 1], or a difference, which has none."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, its 95% interval and the p-value of its null hypothesis.

    value: None where it is undefined. low, high: None where there is no interval. p: two-sided;
    from the same method as the interval, so that both agree on the null hypothesis. n: number of
    items. clusters: number of independent units, whose plural name is `unit`. over: what the
    interval generalises to, such as "passages" or "passages and raters"; "these items" where it
    says nothing about others. reason: why there is no value, or no interval. draws: number of
    resamples; in `undefined` of them the figure was undefined, and they were left out.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int | None = None
    clusters: int | None = None
    unit: str = ""
    over: str = ""
    reason: str = ""
    draws: int = 0
    undefined: int = 0

    @property
    def ci(self) -> tuple[float, float] | None:
        """The ends of the interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def no_interval(self) -> str:
        """Why a figure that is defined has no interval; empty where it has one."""
        return self.reason if self.value is not None and self.ci is None else ""

    def transformed(self, function: Callable[[float], float]) -> Estimate:
        """The estimate of an increasing function of the figure."""
        if self.value is None:
            return self
        low, high = (None, None) if self.ci is None else map(function, self.ci)
        return replace(self, value=function(self.value), low=low, high=high)

    def resamples_json(self) -> ResamplesRow:
        """What the interval is made of, as JSON; absent facts have no key."""
        row: ResamplesRow = {}
        if self.clusters is not None:
            row["clusters"] = self.clusters
        if self.draws:
            row |= {"draws": self.draws, "undefined": self.undefined}
        if self.ci is None and self.reason:
            row["no_interval"] = self.reason
        if self.over:
            row["over"] = self.over
        return row

    def to_json(self) -> FigureRow:
        """The estimate as JSON; a NaN is null."""
        if self.value is None or np.isnan(self.value):
            return {"value": None, "reason": self.reason}
        row: FigureRow = {
            "value": self.value,
            "p": None if self.p is None or np.isnan(self.p) else self.p,
            "ci": None if self.ci is None else list(self.ci),
        }
        return {**row, **self.resamples_json()}

    @classmethod
    def from_json(cls, row: FigureRow) -> Estimate:
        """The estimate that was written as JSON, without `n`."""
        low, high = row.get("ci") or (None, None)
        return cls(
            row["value"],
            low,
            high,
            row.get("p"),
            clusters=row.get("clusters"),
            over=row.get("over", ""),
            reason=row.get("reason") or row.get("no_interval", ""),
            draws=row.get("draws", 0),
            undefined=row.get("undefined", 0),
        )
