"""Raters, items and their cost for a wanted width of an interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from concord.protocols import Pay

ITEMS = (50, 100, 200, 500, 1000, 2000)


@dataclass(frozen=True, slots=True)
class PayTerms:
    """The cost of ratings: pay of a protocol, maximum size of a HIT, fee of the platform.

    The fee is a percentage of each assignment's pay, rounded up to a cent, at least one cent.
    `candidates_per_hit` is the mean size of the HITs where they cannot all be full, for example
    because few candidates share a passage; None for HITs that are as full as possible.
    """

    pay: Pay
    max_candidates: int
    fee_percent: float = 0.0
    candidates_per_hit: float | None = None

    def cents(self, raters: int, items: int) -> int:
        """Pay and fees where each of `items` is rated by `raters`."""
        if self.candidates_per_hit is not None and items:
            hits = min(items, math.ceil(items / self.candidates_per_hit))
            size, larger = divmod(items, hits)
            small = (hits - larger) * self._assignment(size)
            return raters * (small + (larger * self._assignment(size + 1) if larger else 0))
        full, rest = divmod(items, self.max_candidates)
        total = full * self._assignment(self.max_candidates)
        return raters * (total + (self._assignment(rest) if rest else 0))

    def _assignment(self, candidates: int) -> int:
        cents = self.pay.cents(candidates, self.max_candidates)
        if not self.fee_percent or not cents:
            return cents
        # Rounding first: in floating point 20% of 5 cents can be a little more than one cent.
        return cents + max(1, math.ceil(round(cents * self.fee_percent / 100, 6)))


@dataclass(frozen=True, slots=True)
class PlanCell:
    """A number of raters and items with its cost and the expected width of the interval."""

    raters: int
    items: int
    cents: int
    width: float
    enough: bool

    @property
    def ratings(self) -> int:
        """Number of ratings."""
        return self.raters * self.items


@dataclass(frozen=True, slots=True)
class PlanRow:
    """The cells of one number of raters. needed: with the fewest items that reach the width; None
    where no number does."""

    raters: int
    cells: list[PlanCell]
    needed: PlanCell | None

    @classmethod
    def of(
        cls,
        raters: int,
        width_of: Callable[[int], float],
        needed: int | None,
        wanted_width: float,
        terms: PayTerms,
    ) -> PlanRow:
        """The row of these widths by number of items."""

        def cell(items: int) -> PlanCell:
            width = width_of(items)
            enough = width <= wanted_width * (1 + 1e-9)
            cents = terms.cents(raters, items)
            return PlanCell(raters=raters, items=items, cents=cents, width=width, enough=enough)

        return cls(raters, [cell(n) for n in ITEMS], None if needed is None else cell(needed))


@dataclass(frozen=True)
class Plan:
    """A row for each number of raters, fewest first."""

    rows: list[PlanRow]
    wanted_width: float

    @property
    def cheapest(self) -> PlanCell | None:
        """The cheapest sufficient plan; of equally cheap ones, that with the fewest raters. None
        where none is sufficient."""
        needed = [row.needed for row in self.rows if row.needed is not None]
        return min(needed, key=lambda cell: (cell.cents, cell.raters), default=None)
