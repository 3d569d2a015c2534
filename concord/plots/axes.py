"""Linear axes: from values to pixels, with round ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick at the pixel `at` with its label."""

    at: float
    label: str
    is_zero: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps [low, high] to [start, end] in pixels; `end` below `start` for an upward axis.

    Ticks are at multiples of `step`.
    """

    low: float
    high: float
    start: float
    end: float
    step: float

    @classmethod
    def from_range(cls, low: float, high: float, start: float, end: float, steps: int = 5) -> Axis:
        """The axis over [low, high], widened to whole steps, with about `steps` of them."""
        if low == high:
            low, high = low - 0.5, high + 0.5
        step = _step(low, high, steps)
        return cls(math.floor(low / step) * step, math.ceil(high / step) * step, start, end, step)

    def to_pixel(self, value: float) -> float:
        """The pixel of a value, to two decimals; values outside are clipped to the nearer end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self) -> list[Tick]:
        """A tick at each multiple of the step."""
        first = math.ceil(self.low / self.step - 1e-9)
        last = math.floor(self.high / self.step + 1e-9)
        decimals = max(0, -math.floor(math.log10(self.step) + 1e-9))
        return [
            Tick(
                self.to_pixel(number * self.step), _label(number * self.step, decimals), number == 0
            )
            for number in range(first, last + 1)
        ]


def _step(low: float, high: float, count: int) -> float:
    """The smallest of 1, 2, 5 times a power of ten that gives no more than `count` steps."""
    rough = (high - low) / max(count, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * nice for nice in (1, 2, 5, 10) if power * nice >= rough * (1 - 1e-9))


def _label(value: float, decimals: int) -> str:
    text = f"{abs(value):,.{decimals}f}"
    return text if value >= 0 or float(text.replace(",", "")) == 0 else f"\N{MINUS SIGN}{text}"
