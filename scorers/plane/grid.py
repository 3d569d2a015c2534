"""How well each member of AEv explains people's ranking of systems: the paper's Tables 1 to 6.

For every alpha of 0, 0.1, ..., 1 and every N of 1 to 4 a system has one score, from its counts
summed over the set (or the mean of its candidates' own scores), and one mean gold score; a cell is
the coefficient of determination R^2 between the two over systems (Soricut and Brill, 2004,
Section 4). All 44 cells come from one table of sums: P and R of each N are computed once, and an
alpha costs one weighted harmonic mean.

R^2 does not tell a metric that puts systems in people's order from one that puts them upside down.
A cell whose correlation is negative is therefore shown with its R^2, and is never the best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from concord.meta.correlation import pearson_rows
from concord.meta.inference.bootstrap import percentile_interval
from concord.meta.inference.draws import blocks, resample_counts
from scorers.aev.counts import Counts
from scorers.aev.family import Form, balance, precision_and_recall
from scorers.plane.errors import PlaneError
from scorers.plane.statistics import PlaneSample

ALPHAS = tuple(k / 10 for k in range(11))
ORDERS = (1, 2, 3, 4)
SHAPE = (len(ALPHAS), len(ORDERS))

Level = Literal["set", "item"]
LEVELS: tuple[Level, ...] = ("set", "item")
Table = NDArray[np.float64]


class Cell(NamedTuple):
    """A member of the family by its parameters."""

    alpha: float
    n: int

    @property
    def place(self) -> tuple[int, int]:
        """Its row and column in a table of shape (11, 4)."""
        return ALPHAS.index(self.alpha), ORDERS.index(self.n)

    @property
    def metric(self) -> str:
        """Its name as a metric, options of `Form` at their defaults."""
        return f"aev(alpha={repr(self.alpha).removesuffix('.0')},n={self.n})"


@dataclass(frozen=True, eq=False)
class Grid:
    """The observed grid.

    candidates: int64 (S,), how many each system has. gold: float64 (S,), their means. scores:
    float64 (S, 11, 4) in [0, 1]. r: float64 (11, 4), Pearson's correlation over systems, NaN where
    all systems have the same score or the same gold. Systems are in the order of `system_names`.
    """

    system_names: tuple[str, ...]
    candidates: NDArray[np.int64]
    gold: Table
    scores: Table
    r: Table
    level: Level
    form: Form

    @cached_property
    def r_squared(self) -> Table:
        """(11, 4), in [0, 1], NaN where not defined."""
        return np.square(self.r)

    @cached_property
    def best(self) -> Cell | None:
        """The cell of the highest R^2 among those whose correlation is positive.

        Of equal ones the shortest N, then the lowest alpha. None where there is no such cell;
        `reason` then says why.
        """
        found = best_cells(self.r)
        if not found.any():
            return None
        n, alpha = (int(index) for index in np.argwhere(found.T)[0])
        return Cell(ALPHAS[alpha], ORDERS[n])

    @property
    def reason(self) -> str:
        """Why no cell is best, or ""."""
        if self.best is not None:
            return ""
        if float(np.ptp(self.gold)) == 0.0:
            return "people rate every system the same on average"
        if np.isnan(self.r).all():
            return "every member of the family gives every system the same score"
        return "no member of the family puts the systems in people's order"

    @cached_property
    def upside_down(self) -> NDArray[np.bool_]:
        """The cells whose correlation is negative: (11, 4)."""
        return np.asarray(self.r < 0)


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What the passages drawn with replacement make of a grid. Systems are taken as they are.

    best_share: float64 (11, 4), the share of draws in which each cell is best, equal ones sharing
    a draw; it sums to 1, but for draws in which no cell is (`without_best`, a share). low, high:
    float64 (11, 4), the ends of each cell's interval at `level`, NaN where less than nine tenths
    of the draws are defined. indistinct: bool (11, 4), the cells whose R^2 is not apart from the
    best cell's: the interval of the paired difference holds 0. The best cell is among them.
    """

    draws: int
    passages: int
    level: float
    best_share: Table
    without_best: float
    low: Table
    high: Table
    indistinct: NDArray[np.bool_]

    def interval(self, cell: Cell) -> tuple[float, float] | None:
        """The interval of a cell's R^2; None where it has none."""
        low, high = float(self.low[cell.place]), float(self.high[cell.place])
        return None if np.isnan(low) else (low, high)

    def share_within(self, cells: NDArray[np.bool_]) -> float:
        """The share of draws whose best cell is one of these, (11, 4)."""
        return float(self.best_share[cells].sum())


def make_grid(sample: PlaneSample, form: Form | None = None, level: Level = "set") -> Grid:
    """The grid of a sample; `form` holds W, B, the penalty and the weights, by default the paper's.

    level "set" scores a system by its summed counts, as the paper does; "item" by the mean of its
    candidates' own scores. Weights, where given, are four, of which N takes the first N. Raises
    PlaneError for another level, or weights that are not four or cannot be used at some N.
    """
    chosen = Form() if form is None else form
    sizes = np.array([len(rows) for rows in sample.of_system], dtype=np.int64)
    gold = sample.sums(sample.gold[:, None])[..., 0] / sizes
    scores = _system_scores(_summands(sample, chosen, level), sample, chosen, level, None)
    correlation = pearson(scores, gold)
    return Grid(sample.system_names, sizes, gold, scores, correlation, level, chosen)


def uncertainty(
    sample: PlaneSample,
    observed: Grid,
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    level: float = 0.95,
) -> Uncertainty:
    """How far the grid depends on which passages were judged (a cluster bootstrap).

    Whole passages are drawn with replacement, the same for all systems and all cells, and every
    draw's grid is computed from sums weighted by how often it takes each passage. A draw that
    leaves a system without a candidate has no grid. Intervals are expanded percentiles (see
    `concord.meta.inference.bootstrap`), widened to hold what was observed. The draws depend on the
    generator alone. Raises PlaneError with fewer than two passages, SampleError for fewer than one
    draw.
    """
    if sample.cluster_count < 2:
        raise PlaneError("an interval needs answers about two passages or more")
    summands = _summands(sample, observed.form, observed.level)
    people = np.stack([sample.gold, np.ones(sample.n)], axis=1)
    r = np.full((draws, *SHAPE), np.nan)
    for block in blocks(rng, draws):
        taken = resample_counts(block.rng, block.size, sample.cluster_count)
        total, count = np.moveaxis(sample.sums(people, taken), -1, 0)
        whole = (count > 0).all(axis=-1)
        if whole.any():
            scores = _system_scores(summands, sample, observed.form, observed.level, taken[whole])
            r[block.rows][whole] = pearson(scores, total[whole] / count[whole])
    return _described(r, observed, sample.cluster_count, level)


def best_cells(r: Table) -> NDArray[np.bool_]:
    """Which cells are best of each grid of correlations: bool, (..., 11, 4), equal ones all."""
    positive = np.where(r > 0, r, -np.inf)
    highest = positive.max(axis=(-2, -1), keepdims=True)
    return np.asarray((positive == highest) & np.isfinite(positive))


def pearson(scores: Table, gold: Table) -> Table:
    """Correlations over systems: scores (..., S, 11, 4) and gold (..., S) give (..., 11, 4).

    In [-1, 1]; NaN where either is constant.
    """
    return pearson_rows(np.moveaxis(scores, -3, -1), gold[..., None, None, :])


def member_scores(counts: Counts, form: Form) -> Table:
    """Every member's score of each table of counts: (..., 11, 4), in [0, 1].

    Raises PlaneError for weights that are not four or cannot be used at some N.
    """
    if form.weights is None:
        precision, recall = precision_and_recall(counts, ORDERS, form)
    else:
        precision, recall = _weighted(counts, form, form.weights)
    columns = [balance(precision, recall, alpha) for alpha in ALPHAS]
    return np.moveaxis(np.stack(columns), (0, 1), (-2, -1))


def _weighted(counts: Counts, form: Form, weights: tuple[float, ...]) -> tuple[Table, Table]:
    if len(weights) != len(ORDERS):
        raise PlaneError(f"a grid needs {len(ORDERS)} weights, there are {len(weights)}")
    found = []
    for n in ORDERS:
        try:
            found.append(precision_and_recall(counts, (n,), replace(form, weights=weights[:n])))
        except ValueError as error:
            raise PlaneError(f"N = {n}: {error}") from error
    return np.concatenate([p for p, _ in found]), np.concatenate([r for _, r in found])


def _summands(sample: PlaneSample, form: Form, level: Level) -> Table:
    """What is summed over a system's candidates: counts (n, 18), or scores and ones (n, 45)."""
    if level == "set":
        return sample.counts.astype(np.float64)
    if level != "item":
        raise PlaneError(f"{level!r} is none of {', '.join(LEVELS)}")
    own = member_scores(Counts(sample.counts), form).reshape(sample.n, -1)
    return np.concatenate([own, np.ones((sample.n, 1))], axis=1)


def _system_scores(
    summands: Table,
    sample: PlaneSample,
    form: Form,
    level: Level,
    taken: NDArray[np.int32] | None,
) -> Table:
    """Each system's score by every member: (S, 11, 4), or (D, S, 11, 4)."""
    sums = sample.sums(summands, taken)
    if level == "set":
        return member_scores(Counts(sums), form)
    return (sums[..., :-1] / sums[..., -1:]).reshape(*sums.shape[:-1], *SHAPE)


def _described(r: Table, observed: Grid, passages: int, level: float) -> Uncertainty:
    values, draws = np.square(r), len(r)
    best = best_cells(r)
    number = best.sum(axis=(-2, -1), keepdims=True)
    share = np.divide(best, number, out=np.zeros(best.shape), where=number > 0).mean(axis=0)
    low, high = np.full(SHAPE, np.nan), np.full(SHAPE, np.nan)
    indistinct = np.zeros(SHAPE, dtype=bool)
    for place in np.ndindex(*SHAPE):
        seen = float(observed.r_squared[place])
        interval = percentile_interval(values[(slice(None), *place)], passages, level)
        if interval is not None and not np.isnan(seen):
            low[place], high[place] = min(interval[0], seen), max(interval[1], seen)
    if observed.best is not None:
        # Signed, so that a cell which is upside down in many draws is not taken for an equal.
        signed = np.sign(r) * values
        winner = signed[(slice(None), *observed.best.place)]
        for place in np.ndindex(*SHAPE):
            ahead = percentile_interval(winner - signed[(slice(None), *place)], passages, level)
            indistinct[place] = ahead is not None and ahead[0] <= 0 and observed.r[place] > 0
        indistinct[observed.best.place] = True
    without = float(np.count_nonzero(number == 0)) / draws
    return Uncertainty(draws, passages, level, share, without, low, high, indistinct)
