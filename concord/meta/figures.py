"""A figure: a value with its interval, or the reason why it is undefined."""

from __future__ import annotations

from dataclasses import dataclass

from concord.documents.figures import FigureRow
from concord.intervals import Interval, resamples_json


@dataclass(frozen=True, slots=True)
class Figure:
    """A value, or the reason why it is undefined.

    value: None where undefined; `reason` says why. p: two-sided p-value. ci: 95% interval.
    resampled: the bootstrap interval with its number of clusters and draws, where the interval is
    one; its reason says why there is no interval.
    """

    value: float | None
    p: float | None = None
    ci: tuple[float, float] | None = None
    reason: str = ""
    resampled: Interval | None = None

    @classmethod
    def undefined(cls, reason: str) -> Figure:
        """A figure without a value, for this reason."""
        return cls(None, reason=reason)

    @classmethod
    def resampled_value(cls, value: float, interval: Interval, p: float | None = None) -> Figure:
        """A value with its interval by resampling."""
        return cls(value, p, interval.ends, resampled=interval)

    def to_json(self) -> FigureRow:
        """The figure as JSON."""
        if self.value is None:
            return {"value": None, "reason": self.reason}
        row: FigureRow = {
            "value": self.value,
            "p": self.p,
            "ci": list(self.ci) if self.ci else None,
        }
        return {**row, **resamples_json(self.resampled)}
