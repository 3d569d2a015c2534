"""A figure: a value with its interval, or the reason why it is undefined."""

from __future__ import annotations

from dataclasses import dataclass

from concord.documents.figures import FigureRow


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` is None where it is undefined; `reason` says why. `ci`: 95% interval; `p`:
    two-sided."""

    value: float | None
    p: float | None = None
    ci: tuple[float, float] | None = None
    reason: str = ""

    @classmethod
    def undefined(cls, reason: str) -> Figure:
        """A figure without a value, for this reason."""
        return cls(None, reason=reason)

    def to_json(self) -> FigureRow:
        """The figure as JSON."""
        if self.value is None:
            return {"value": None, "reason": self.reason}
        return {"value": self.value, "p": self.p, "ci": list(self.ci) if self.ci else None}
