"""Passages, raters and cost for a given width of the interval of a system's mean, or of the
difference of two systems, from variance components."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from concord.planning.plan import PayTerms, Plan, PlanRow
from concord.planning.sample_size import TAIL, fewest_units, upper_t
from concord.planning.variance import ResampledComponents, VarianceComponents
from concord.reliability import RatingsError


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
