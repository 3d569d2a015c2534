"""How many raters and items, and how much money, a wanted width of alpha's interval takes. Pure.

Simulated raters rate a large sample; the clustered bootstrap gives the width of the 95% interval
of its alpha. A width falls with the square root of the number of items (what is resampled), so
one sample for each number of raters answers for every number of items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.protocols import Pay
from concord.reliability import Level, Ratings, alpha, alpha_interval
from concord.simulation import Crowd

RATERS = (2, 3, 5, 7, 10)
ITEMS = (50, 100, 200, 500, 1000, 2000)
SAMPLE_ITEMS = 1000
SAMPLES = 2
DRAWS = 300
HALVINGS = 14


class PlanError(ValueError):
    """A plan that cannot be made; the message says why."""


@dataclass(frozen=True, eq=False)
class Assumption:
    """What a plan takes raters and items to be like.

    true_scores: float64 (n,), drawn from with replacement. widening: by how much passages, whose
    candidates are rated alike, make the interval wider than as many independent items would.
    """

    crowd: Crowd
    true_scores: NDArray[np.float64]
    widening: float = 1.0


def assumed(crowd: Crowd) -> Assumption:
    """Raters as described, and true scores all over the scale, alike often."""
    return Assumption(crowd, np.linspace(crowd.low, crowd.high, 401))


def estimated(ratings: Ratings, low: int, high: int, level: Level, *, seed: int) -> Assumption:
    """Raters and items like those of `ratings`, a trial's say.

    True scores are the items' means; the noise is the one with which simulated ratings of these
    items, as many to each, agree as the real ones do. Raises PlanError where alpha or its interval
    is undefined.
    """
    found = alpha(ratings, level)
    interval = alpha_interval(ratings, level, seed=seed, draws=DRAWS)
    if found.value is None or interval.ends is None:
        raise PlanError(f"The ratings so far tell too little: {found.reason or interval.reason}.")
    sizes = ratings.unit_sizes
    sums = np.bincount(ratings.units, weights=ratings.values, minlength=ratings.n_units)
    rated = sizes >= 2
    means, sizes = sums[rated] / sizes[rated], sizes[rated]
    noise = _noise(means, sizes, found.value, Crowd(1.0, 0.0, 0.0, 0.0, low, high), level, seed)
    crowd = Crowd(1.0, 0.0, noise, 0.0, low, high)
    alone = alpha_interval(replace(ratings, clusters=None), level, seed=seed, draws=DRAWS)
    widening = 1.0
    if ratings.clusters is not None and alone.ends is not None and _width(alone.ends) > 0:
        widening = max(1.0, _width(interval.ends) / _width(alone.ends))
    return Assumption(crowd, means, widening)


def _noise(
    means: NDArray[np.float64],
    sizes: NDArray[np.int64],
    wanted: float,
    crowd: Crowd,
    level: Level,
    seed: int,
) -> float:
    """The noise at which simulated raters' alpha is `wanted`, by halving; more noise, less alpha.

    The same random numbers at every step make alpha fall smoothly. The true scores are repeated
    so that chance says little.
    """
    repeats = max(1, -(-SAMPLE_ITEMS // len(means)))
    true, of = np.tile(means, repeats), np.tile(sizes, repeats)
    units = np.repeat(np.arange(len(true)), of)
    raters = np.arange(len(units)) - np.repeat(np.cumsum(of) - of, of)
    least, most = 0.0, 2.0 * (crowd.high - crowd.low)
    for _ in range(HALVINGS):
        middle = (least + most) / 2
        rng = np.random.default_rng(seed)
        values = replace(crowd, noise=middle).rate(true[units], False, rng)
        got = alpha(Ratings(units, raters, values.astype(np.float64)), level).value
        least, most = (middle, most) if got is not None and got > wanted else (least, middle)
    return (least + most) / 2


@dataclass(frozen=True, slots=True)
class Terms:
    """What a rating costs: a protocol's pay, HITs of at most so many, a platform's fee.

    The fee is a per cent of each assignment's pay, rounded up to a cent, one cent at least.
    """

    pay: Pay
    most_candidates: int
    fee_percent: float = 0.0

    def cents(self, raters: int, items: int) -> int:
        """Pay and fees when each of `items` is rated by `raters`, in HITs as full as can be."""
        full, rest = divmod(items, self.most_candidates)
        total = full * self._assignment(self.most_candidates)
        return raters * (total + (self._assignment(rest) if rest else 0))

    def _assignment(self, candidates: int) -> int:
        cents = self.pay.cents(candidates, self.most_candidates)
        if not self.fee_percent or not cents:
            return cents
        # Rounded first: 20% of 5 cents is one cent, not a little more.
        return cents + max(1, math.ceil(round(cents * self.fee_percent / 100, 6)))


@dataclass(frozen=True, slots=True)
class Cell:
    """So many raters on so many items: what it costs and how wide the interval will be."""

    raters: int
    items: int
    cents: int
    width: float
    enough: bool

    @property
    def ratings(self) -> int:
        return self.raters * self.items


@dataclass(frozen=True, slots=True)
class Row:
    """All numbers of items with one number of raters. `needed` just reaches the wanted width."""

    raters: int
    alpha: float
    cells: list[Cell]
    needed: Cell


@dataclass(frozen=True)
class Plan:
    """A row for each number of raters, fewest first. `cheapest` reaches the width for least."""

    rows: list[Row]
    wanted_width: float
    level: Level
    seed: int

    @property
    def cheapest(self) -> Cell:
        return min((row.needed for row in self.rows), key=lambda cell: (cell.cents, cell.raters))


def plan(
    assumption: Assumption,
    terms: Terms,
    wanted_width: float,
    *,
    level: Level = "ordinal",
    seed: int,
    raters: Sequence[int] = RATERS,
    items: Sequence[int] = ITEMS,
) -> Plan:
    """The grid of raters and items, and what reaches `wanted_width`, from 0 to 2, exclusive of 0.

    Raises PlanError for another width, and where simulated ratings do not vary.
    """
    if not 0 < wanted_width <= 2:
        raise PlanError(f"An interval's width is above 0 and at most 2, not {wanted_width:g}.")
    rows = []
    for count, (value, width_of_one) in zip(
        raters, expected(assumption, raters, level, seed), strict=True
    ):
        needed = max(2, math.ceil((width_of_one / wanted_width) ** 2))
        cells = []
        for n in (*items, needed):
            width = width_of_one / math.sqrt(n)
            cells.append(Cell(count, n, terms.cents(count, n), width, width <= wanted_width))
        rows.append(Row(count, value, cells[:-1], cells[-1]))
    return Plan(rows, wanted_width, level, seed)


def expected(
    assumption: Assumption, raters: Sequence[int], level: Level, seed: int
) -> list[tuple[float, float]]:
    """For each number of raters: alpha to be expected, and its interval's width times the square
    root of the items.

    The means of a few large samples. Fewer raters are the first of the same ratings, so that the
    numbers differ by what they are and not by chance.
    """
    scale = math.sqrt(SAMPLE_ITEMS) * assumption.widening
    figures = np.empty((len(raters), SAMPLES, 2))
    for at in range(SAMPLES):
        rng = np.random.default_rng([seed, at])
        rated = sample(assumption, max(raters), SAMPLE_ITEMS, rng)
        for row, count in enumerate(raters):
            ratings = Ratings.of_matrix(rated[:, :count])
            found = alpha(ratings, level)
            ends = alpha_interval(ratings, level, seed=seed, draws=DRAWS).ends
            if found.value is None or ends is None:
                raise PlanError(f"Nothing can be planned: {found.reason or 'nothing varies'}.")
            figures[row, at] = found.value, _width(ends) * scale
    return [(float(value), float(width)) for value, width in figures.mean(axis=1)]


def sample(
    assumption: Assumption, raters: int, items: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Simulated ratings, shape (items, raters), by a large crowd with its share of spam."""
    true = rng.choice(assumption.true_scores, items)
    spam = rng.random((items, raters)) < assumption.crowd.spam
    return assumption.crowd.rate(true[:, None], spam, rng).astype(np.float64)


def _width(ends: tuple[float, float]) -> float:
    return ends[1] - ends[0]
