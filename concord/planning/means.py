"""Passages, raters and cost for a given width of the interval of a system's mean, or of the
difference of two systems, from variance components."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from concord.planning.plan import PayTerms, Plan, PlanRow
from concord.planning.sample_size import TAIL, fewest_units, upper_t
from concord.planning.variance import ResampledComponents, VarianceComponents
from concord.plots.forest import IntervalPlot
from concord.reliability import RatingsError
from concord.sentences import counted, decimal, dollars
from concord.tables import ResultTable, number, share, text
from concord.tables.result import PlottedResult


def interval_width(
    parts: VarianceComponents, passages: int, each: int, persons: int, *, of_difference: bool
) -> float:
    """The width of the 95% interval of a system's mean, or of the difference of two.

    passages: one answer of each is rated, by `each` raters. persons: raters in all. Student's t:
    the variance between passages is estimated with passages - 1 degrees of freedom, that between
    raters with persons - 1, and the squared half-widths of the two are added (Zou and Donner 2008,
    Statistics in Medicine 27). Infinite where one person's strictness cannot be estimated.
    """
    between, of_raters = _parts(parts, each, persons, of_difference)
    return 2 * math.sqrt(upper_t(passages - 1, TAIL) ** 2 * between / passages + of_raters)


def fewest_passages(
    parts: VarianceComponents, width: float, each: int, persons: int, *, of_difference: bool
) -> int | None:
    """The fewest passages, 2 or more, of which `interval_width` is at most `width`; None where no
    number is enough."""
    between, of_raters = _parts(parts, each, persons, of_difference)
    free = (width / 2) ** 2 - of_raters
    return fewest_units(math.sqrt(between / free), TAIL) if free > 0 else None


def _parts(
    parts: VarianceComponents, each: int, persons: int, of_difference: bool
) -> tuple[float, float]:
    """(variance between passages, squared half-width of the raters' mean strictness)."""
    if of_difference:
        return parts.difference_variance(1, each), 0.0
    of_raters = upper_t(persons - 1, TAIL) ** 2 * parts.rater / persons if parts.rater else 0.0
    return parts.mean_variance(1, each, math.inf), of_raters


@dataclass(frozen=True)
class NeededPassages:
    """Passages for a 95% interval of a wanted width, with the range that resampled passages give
    (2.5% to 97.5%); None where no number of passages is enough, and in the range where no resample
    has components."""

    raters_each: int
    passages: int | None
    low: int | None
    high: int | None

    @property
    def ratings(self) -> int | None:
        """The ratings of these passages."""
        return None if self.passages is None else self.passages * self.raters_each

    @property
    def range(self) -> tuple[int, int] | None:
        """The range; None where it is open."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True)
class MeansPlan(PlottedResult):
    """The variance components of ratings, and the passages that the mean of a system, and the
    difference of two, need for intervals of a width.

    persons: raters in all. passages, draws, undefined: as in `ResampledComponents`, draws being the
    number of resamples. terms: the price of a rating, if there is one.
    """

    width: float
    persons: int
    draws: int
    passages: int
    undefined: int
    components: VarianceComponents
    mean: list[NeededPassages]
    difference: list[NeededPassages]
    terms: PayTerms | None = field(default=None, compare=False)

    def tables(self) -> Iterable[ResultTable]:
        parts = vars(self.components)
        total = sum(value for value in parts.values() if value is not None)
        columns = [
            text("of", lambda row: row[0]),
            number("variance", lambda row: "unknown" if row[1] is None else decimal(row[1])),
            share("share", lambda row: row[1] / total if row[1] is not None and total else None,
                  digits=0),
        ]  # fmt: skip
        yield ResultTable("variance of a rating", columns, list(parts.items()))
        columns = [
            number("ratings an answer", lambda row: str(row.raters_each)),
            number("passages", lambda row: _count(row.passages)),
            number("range", lambda row: " to ".join(
                dict.fromkeys((_count(row.low), _count(row.high)))
            )),
            number("ratings a system", lambda row: _count(row.ratings)),
            number("cost a system", self._cost),
        ]  # fmt: skip
        for title, rows in (
            ("the mean of a system, over new passages", self.mean),
            ("the difference of two systems", self.difference),
        ):
            if rows:
                yield ResultTable(f"For {title}: width {self.width:g}", columns, rows)

    def _cost(self, row: NeededPassages) -> str:
        if self.terms is None or row.passages is None:
            return ""
        return dollars(self.terms.cents(row.raters_each, row.passages))

    def sentences(self) -> Iterable[str]:
        undefined = ""
        if self.undefined:
            undefined = (
                f" {self.undefined:,} of {self.draws:,} resamples tell no variance and are left "
                "out."
            )
        yield (
            f"{self.persons:,} raters in all. Intervals are by Student's t. The range resamples "
            f"the file's {counted(self.passages, 'passage')}.{undefined} Where no number of "
            "passages is enough, the raters' strictness alone is too uncertain: take more raters."
        )

    def forest(self) -> IntervalPlot:
        """The passages that means and differences need, by how many raters rate an answer."""
        rows = [
            (f"{name}, {counted(row.raters_each, 'rating')} an answer", row.passages, row.range)
            for name, needed in (("mean", self.mean), ("difference", self.difference))
            for row in needed
        ]
        return IntervalPlot(f"passages for a width of {self.width:g}", rows, digits=0)


def _count(value: int | None) -> str:
    return "none is enough" if value is None else f"{value:,}"


def needed_passages(
    components: ResampledComponents,
    width: float,
    *,
    of_difference: bool,
    persons: int,
    max_raters_each: int = 5,
) -> list[NeededPassages]:
    """The passages that one system's mean, or the difference of two, needs for a 95% interval of
    this width, for 1 to `max_raters_each` ratings of an answer, but no more than there are persons.

    persons: raters in all. Raises RatingsError unless the width is finite and above 0.
    """
    if not 0 < width < math.inf:
        raise RatingsError("the width must be a number above 0")
    rows = []
    for each in range(1, min(max_raters_each, persons) + 1):
        passages, *resampled = [
            fewest_passages(parts, width, each, persons, of_difference=of_difference)
            for parts in (components.estimate, *components.resamples)
        ]
        # No number is enough: above every number.
        ordered = sorted(math.inf if n is None else n for n in resampled)
        low, high = (
            np.quantile(ordered, (0.025, 0.975), method="inverted_cdf")
            if ordered
            else (math.inf, math.inf)
        )
        rows.append(NeededPassages(each, passages, _whole(low), _whole(high)))
    return rows


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) else None


def plan_means(
    parts: VarianceComponents,
    width: float,
    *,
    of_difference: bool,
    persons: int,
    max_raters_each: int,
    terms: PayTerms,
) -> Plan:
    """The plan of 1 to `max_raters_each` ratings of an answer by `persons` raters in all: a row for
    each number of ratings, items being passages, and costs of one system."""
    rows = []
    for each in range(1, max_raters_each + 1):
        width_of = partial(
            interval_width, parts, each=each, persons=persons, of_difference=of_difference
        )
        fewest = fewest_passages(parts, width, each, persons, of_difference=of_difference)
        rows.append(PlanRow.of(each, width_of, fewest, width, terms))
    return Plan(rows, width)
