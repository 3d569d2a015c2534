"""Raters, passages and cost for a given width of the interval of a system's mean, or of the
difference of two systems, from variance components."""

from __future__ import annotations

import math
from dataclasses import dataclass

import scipy

from concord.planning.plan import ITEMS, PayTerms, PlanCell
from concord.planning.variance import VarianceComponents, fewest_passages


@dataclass(frozen=True, slots=True)
class MeansRow:
    """The cells of one number of ratings of an answer; items are passages. `needed` has the fewest
    that reach the width; None where no number does."""

    raters: int
    cells: list[PlanCell]
    needed: PlanCell | None


@dataclass(frozen=True)
class MeansPlan:
    """A row for each number of ratings of an answer, fewest first; costs are of one system."""

    rows: list[MeansRow]
    wanted_width: float

    @property
    def cheapest(self) -> PlanCell | None:
        """The cheapest sufficient plan; None where there is none."""
        needed = [row.needed for row in self.rows if row.needed is not None]
        return min(needed, key=lambda cell: (cell.cents, cell.raters)) if needed else None


def plan_means(
    parts: VarianceComponents,
    width: float,
    *,
    of_difference: bool,
    persons: int,
    max_raters_each: int,
    terms: PayTerms,
) -> MeansPlan:
    """The plan of 1 to `max_raters_each` ratings of an answer by `persons` raters in all."""
    factor = 2 * float(scipy.stats.norm.ppf(0.975))
    rows = []
    for each in range(1, max_raters_each + 1):

        def cell(passages: int, each: int = each) -> PlanCell:
            if of_difference:
                variance = parts.difference_variance(passages, each)
            else:
                variance = parts.mean_variance(passages, each, persons)
            result = factor * math.sqrt(variance)
            cents = terms.cents(each, passages)
            return PlanCell(each, passages, cents, result, result <= width * (1 + 1e-9))

        fewest = fewest_passages(parts, (width / factor) ** 2, each, persons, of_difference)
        needed = None if fewest is None else cell(fewest)
        rows.append(MeansRow(each, [cell(n) for n in ITEMS], needed))
    return MeansPlan(rows, width)
