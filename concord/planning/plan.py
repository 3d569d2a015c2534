"""Raters, items and cost for a given width of alpha's interval.

Simulated raters rate a large sample, and the cluster bootstrap gives the width of the 95% interval
of its alpha. The width falls with the square root of the number of items and with the quantile of
Student's t, so one sample for each number of raters is enough for all numbers of items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import too_few_clusters
from concord.planning.sample_size import MAX_UNITS, TAIL, fewest_units, upper_t
from concord.protocols import Pay
from concord.reliability import Level, Ratings, alpha
from concord.simulation import Crowd

RATERS = (2, 3, 5, 7, 10)
ITEMS = (50, 100, 200, 500, 1000, 2000)
SAMPLE_ITEMS = 1000
SAMPLES = 2
DRAWS = 300
HALVINGS = 14


class PlanError(ValueError):
    """Invalid input of a plan, or ratings that are not enough for one."""


@dataclass(frozen=True, eq=False)
class Assumption:
    """Assumptions of a plan about raters and items.

    true_scores: float64 (n,), sampled with replacement. widening: width of the interval with
    clusters (passages) divided by the width with independent items.
    """

    crowd: Crowd
    true_scores: Floats
    widening: float = 1.0


def assume_crowd(crowd: Crowd) -> Assumption:
    """Raters of `crowd`, and true scores that are uniform on the scale."""
    return Assumption(crowd, np.linspace(crowd.low, crowd.high, 401))


def estimate_from_ratings(
    ratings: Ratings, low: int, high: int, level: Level, *, seed: int
) -> Assumption:
    """Raters and items estimated from `ratings`, for example those of a trial.

    True scores are the items' means. The noise is chosen so that simulated ratings of these items
    have the same alpha. Raises PlanError where alpha is undefined, and for too few passages to tell
    how alike the ratings of one are.
    """
    estimate = alpha(ratings, level, seed=seed, draws=DRAWS)
    reason = too_few_clusters(estimate.clusters or 0)
    if estimate.value is None or reason:
        reason = estimate.reason or reason
        raise PlanError(f"There are not enough ratings for an estimate: {reason}.")
    sizes = ratings.unit_sizes
    sums = np.bincount(ratings.units, weights=ratings.values, minlength=ratings.n_units)
    rated = sizes >= 2
    means, sizes = sums[rated] / sizes[rated], sizes[rated]
    crowd = Crowd(ability=1.0, bias=0.0, noise=0.0, spam=0.0, low=low, high=high)
    crowd = replace(crowd, noise=_noise(means, sizes, estimate.value, crowd, level, seed))
    widening = 1.0
    if ratings.clusters is not None and estimate.ci is not None:
        alone = alpha(replace(ratings, clusters=None), level, seed=seed, draws=DRAWS).ci
        if alone is not None and _width(alone) > 0:
            widening = max(1.0, _width(estimate.ci) / _width(alone))
    return Assumption(crowd, means, widening)


def _noise(
    means: Floats, sizes: Integers, target_alpha: float, crowd: Crowd, level: Level, seed: int
) -> float:
    """The noise at which simulated raters have `target_alpha`, by bisection.

    The same random numbers at every step make alpha decrease smoothly. The true scores are
    repeated to reduce sampling error.
    """
    repeats = max(1, -(-SAMPLE_ITEMS // len(means)))
    true, repeated_sizes = np.tile(means, repeats), np.tile(sizes, repeats)
    units = np.repeat(np.arange(len(true)), repeated_sizes)
    raters = np.arange(len(units)) - np.repeat(
        np.cumsum(repeated_sizes) - repeated_sizes, repeated_sizes
    )
    low, high = 0.0, 2.0 * (crowd.high - crowd.low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        rng = np.random.default_rng(seed)
        values = replace(crowd, noise=middle).rate(true[units], False, rng)
        value = alpha(Ratings(units, raters, values.astype(np.float64)), level).value
        low, high = (middle, high) if value is not None and value > target_alpha else (low, middle)
    return (low + high) / 2


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
    where no number does. alpha: what is expected, of a plan for agreement."""

    raters: int
    cells: list[PlanCell]
    needed: PlanCell | None
    alpha: float | None = None

    @classmethod
    def of(
        cls,
        raters: int,
        width_of: Callable[[int], float],
        needed: int | None,
        wanted_width: float,
        terms: PayTerms,
        alpha: float | None = None,
    ) -> PlanRow:
        """The row of these widths by number of items."""

        def cell(items: int) -> PlanCell:
            width = width_of(items)
            enough = width <= wanted_width * (1 + 1e-9)
            cents = terms.cents(raters, items)
            return PlanCell(raters=raters, items=items, cents=cents, width=width, enough=enough)

        return cls(
            raters, [cell(n) for n in ITEMS], None if needed is None else cell(needed), alpha
        )


@dataclass(frozen=True)
class Plan:
    """A row for each number of raters, fewest first. seed: of a plan by simulated raters."""

    rows: list[PlanRow]
    wanted_width: float
    seed: int | None = None

    @property
    def cheapest(self) -> PlanCell | None:
        """The cheapest sufficient plan; of equally cheap ones, that with the fewest raters. None
        where none is sufficient."""
        needed = [row.needed for row in self.rows if row.needed is not None]
        return min(needed, key=lambda cell: (cell.cents, cell.raters), default=None)


def make_plan(
    assumption: Assumption,
    terms: PayTerms,
    wanted_width: float,
    *,
    level: Level = "ordinal",
    seed: int,
    raters: Sequence[int] = RATERS,
) -> Plan:
    """The grid of raters and items, and the cheapest design that reaches `wanted_width`.

    Raises PlanError unless 0 < wanted_width <= 2, and where simulated ratings are all equal.
    """
    if not 0 < wanted_width <= 2:
        raise PlanError(f"The width must be above 0 and at most 2, not {wanted_width:g}.")
    normal = upper_t(math.inf, TAIL)
    rows = []
    for count, (value, width_of_one) in zip(
        raters, simulate_widths(assumption, raters, level, seed), strict=True
    ):
        needed = fewest_units(width_of_one / normal / wanted_width, TAIL)
        if needed is None:
            raise PlanError(f"A width of {wanted_width:g} needs more than {MAX_UNITS:,} items.")

        # The sample is large; an interval of few items is wider by Student's t.
        def width_of(n: int, of_one: float = width_of_one) -> float:
            return of_one / math.sqrt(n) * upper_t(n - 1, TAIL) / normal

        rows.append(PlanRow.of(count, width_of, needed, wanted_width, terms, value))
    return Plan(rows, wanted_width, seed)


def simulate_widths(
    assumption: Assumption, raters: Sequence[int], level: Level, seed: int
) -> list[tuple[float, float]]:
    """For each number of raters: expected alpha, and its interval's width times the square root of
    the number of items.

    Means of a few large samples. Smaller numbers of raters use the first ratings of the same
    sample, which reduces the random variation between them.
    """
    scale = math.sqrt(SAMPLE_ITEMS) * assumption.widening
    figures = np.empty((len(raters), SAMPLES, 2))
    for sample_index in range(SAMPLES):
        rng = np.random.default_rng([seed, sample_index])
        rated = simulate_ratings(assumption, max(raters), SAMPLE_ITEMS, rng)
        for row, count in enumerate(raters):
            ratings = Ratings.from_matrix(rated[:, :count])
            result = alpha(ratings, level, seed=seed, draws=DRAWS)
            if result.value is None or result.ci is None:
                raise PlanError(f"Nothing can be planned: {result.reason}.")
            figures[row, sample_index] = result.value, _width(result.ci) * scale
    return [(float(value), float(width)) for value, width in figures.mean(axis=1)]


def simulate_ratings(
    assumption: Assumption, raters: int, items: int, rng: np.random.Generator
) -> Floats:
    """Simulated ratings, shape (items, raters), by a crowd with its share of spam."""
    true = rng.choice(assumption.true_scores, items)
    spam = rng.random((items, raters)) < assumption.crowd.spam
    return assumption.crowd.rate(true[:, None], spam, rng).astype(np.float64)


def _width(ends: tuple[float, float]) -> float:
    return ends[1] - ends[0]
