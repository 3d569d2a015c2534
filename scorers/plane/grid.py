"""The grid of R^2 between members of AEv and people's ratings of systems (Tables 1 to 6).

For every alpha of 0, 0.1, ..., 1 and every N of 1 to 4 a system has one score, from its counts
summed over the set (or the mean of its candidates' own scores), and one mean gold score; a cell is
the coefficient of determination R^2 between the two over systems (Soricut and Brill, 2004,
Section 4). All 44 cells come from one table of sums: P and R of each N are computed once, and an
alpha costs one weighted harmonic mean.

R^2 does not show the sign of a correlation. A cell with a negative correlation has an R^2 like any
other, but it is never the best cell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from concord.inference import resample_counts, resampled_estimate
from concord.meta.correlation import pearson_rows
from concord.meta.inference.draws import blocks
from scorers.aev.counts import NgramCounts
from scorers.aev.family import Formula, precision_and_recall, weighted_harmonic_mean
from scorers.plane.statistics import PlaneError, PlaneSample

ALPHAS = tuple(k / 10 for k in range(11))
ORDERS = (1, 2, 3, 4)
SHAPE = (len(ALPHAS), len(ORDERS))

Level = Literal["set", "item"]
LEVELS: tuple[Level, ...] = ("set", "item")
Table = NDArray[np.float64]


class PlanePoint(NamedTuple):
    """A member of the family by its parameters."""

    alpha: float
    n: int

    @property
    def grid_index(self) -> tuple[int, int]:
        """Its row and column in a table of shape (11, 4)."""
        return ALPHAS.index(self.alpha), ORDERS.index(self.n)

    @property
    def metric(self) -> str:
        """Its name as a metric, with the default options of `Formula`."""
        return f"aev(alpha={repr(self.alpha).removesuffix('.0')},n={self.n})"


@dataclass(frozen=True, eq=False)
class Grid:
    """The observed grid.

    candidates: int64 (S,), the number of candidates of each system. gold: float64 (S,), the mean
    gold scores. scores: float64 (S, 11, 4) in [0, 1]. r: float64 (11, 4), Pearson's correlation
    over systems, NaN if all systems have the same score or the same gold. Systems are in the order
    of `system_names`.
    """

    system_names: tuple[str, ...]
    candidates: NDArray[np.int64]
    gold: Table
    scores: Table
    r: Table
    level: Level
    formula: Formula

    @cached_property
    def r_squared(self) -> Table:
        """(11, 4), in [0, 1], NaN where undefined."""
        return np.square(self.r)

    @cached_property
    def best(self) -> PlanePoint | None:
        """The cell of the highest R^2 among those whose correlation is positive.

        Of equal cells the lowest N, then the lowest alpha. None if there is no such cell; `reason`
        then says why.
        """
        is_best = best_cells(self.r)
        if not is_best.any():
            return None
        n, alpha = (int(index) for index in np.argwhere(is_best.T)[0])
        return PlanePoint(ALPHAS[alpha], ORDERS[n])

    @property
    def reason(self) -> str:
        """Why no cell is best; "" if one is."""
        if self.best is not None:
            return ""
        if float(np.ptp(self.gold)) == 0.0:
            return "all systems have the same mean rating"
        if np.isnan(self.r).all():
            return "every metric of the family scores all systems the same"
        return "no metric of the family correlates positively with people's ratings"

    @cached_property
    def is_negative(self) -> NDArray[np.bool_]:
        """The cells whose correlation is negative: (11, 4)."""
        return np.asarray(self.r < 0)


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The uncertainty of a grid by a bootstrap over passages. Systems are not resampled.

    best_share: float64 (11, 4), the share of draws in which each cell is best; cells that are equal
    share a draw. without_best: the share of draws without a best cell; together they sum to 1. low,
    high: float64 (11, 4), the ends of each cell's interval at `level`, NaN if less than nine tenths
    of the draws are defined. tied_with_best: bool (11, 4), the best cell and those whose R^2 does
    not differ significantly from it: the interval of the paired difference includes 0.
    """

    draws: int
    passages: int
    level: float
    best_share: Table
    without_best: float
    low: Table
    high: Table
    tied_with_best: NDArray[np.bool_]

    def interval(self, cell: PlanePoint) -> tuple[float, float] | None:
        """The interval of a cell's R^2; None if it is undefined."""
        low, high = float(self.low[cell.grid_index]), float(self.high[cell.grid_index])
        return None if np.isnan(low) else (low, high)

    def share_within(self, cells: NDArray[np.bool_]) -> float:
        """The share of draws whose best cell is one of `cells`, a mask (11, 4)."""
        return float(self.best_share[cells].sum())


def compute_grid(sample: PlaneSample, formula: Formula | None = None, level: Level = "set") -> Grid:
    """The grid of a sample; the default `formula` is the paper's.

    The level "set" scores a system by its summed counts, as the paper does; "item" by the mean of
    its candidates' scores. Weights, if any, must be four; N uses the first N of them. Raises
    PlaneError for another level and for invalid weights.
    """
    formula = Formula() if formula is None else formula
    sizes = np.array([len(rows) for rows in sample.candidates_by_system], dtype=np.int64)
    gold = sample.sums(sample.gold[:, None])[..., 0] / sizes
    scores = _system_scores(_summands(sample, formula, level), sample, formula, level, None)
    correlation = pearson(scores, gold)
    return Grid(sample.system_names, sizes, gold, scores, correlation, level, formula)


def bootstrap_grid(
    sample: PlaneSample,
    observed: Grid,
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    level: float = 0.95,
) -> Uncertainty:
    """Estimate the uncertainty of a grid by a cluster bootstrap over passages.

    Whole passages are drawn with replacement, the same ones for all systems and cells. The grid of
    a draw is computed from sums weighted by the number of times each passage was drawn. A draw in
    which a system has no candidate has no grid. Intervals are expanded percentiles (see
    `concord.meta.inference.bootstrap`), extended to include the observed value. The draws depend on
    the generator alone. Raises PlaneError with fewer than two passages, SampleError for fewer than
    one draw.
    """
    if sample.cluster_count < 2:
        raise PlaneError("an interval needs answers about at least two passages")
    summands = _summands(sample, observed.formula, observed.level)
    gold_and_ones = np.stack([sample.gold, np.ones(sample.n)], axis=1)
    r = np.full((draws, *SHAPE), np.nan)
    for block in blocks(rng, draws):
        multiplicity = resample_counts(block.rng, block.size, sample.cluster_count)
        total, count = np.moveaxis(sample.sums(gold_and_ones, multiplicity), -1, 0)
        is_complete = (count > 0).all(axis=-1)
        if is_complete.any():
            scores = _system_scores(
                summands, sample, observed.formula, observed.level, multiplicity[is_complete]
            )
            r[block.rows][is_complete] = pearson(scores, total[is_complete] / count[is_complete])
    return _summarise_draws(r, observed, sample.cluster_count, level)


def best_cells(r: Table) -> NDArray[np.bool_]:
    """The best cells of each grid of correlations, including equal ones: bool (..., 11, 4)."""
    positive = np.where(r > 0, r, -np.inf)
    highest = positive.max(axis=(-2, -1), keepdims=True)
    return np.asarray((positive == highest) & np.isfinite(positive))


def pearson(scores: Table, gold: Table) -> Table:
    """Correlations over systems: scores (..., S, 11, 4) and gold (..., S) give (..., 11, 4).

    In [-1, 1]; NaN where either is constant.
    """
    return pearson_rows(np.moveaxis(scores, -3, -1), gold[..., None, None, :])


def member_scores(counts: NgramCounts, formula: Formula) -> Table:
    """The score of every member for each table of counts: (..., 11, 4), in [0, 1].

    Raises PlaneError for invalid weights.
    """
    if formula.weights is None:
        precision, recall = precision_and_recall(counts, ORDERS, formula)
    else:
        precision, recall = _precision_and_recall(counts, formula, formula.weights)
    columns = [weighted_harmonic_mean(precision, recall, alpha) for alpha in ALPHAS]
    return np.moveaxis(np.stack(columns), (0, 1), (-2, -1))


def _precision_and_recall(
    counts: NgramCounts, formula: Formula, weights: tuple[float, ...]
) -> tuple[Table, Table]:
    if len(weights) != len(ORDERS):
        raise PlaneError(f"a grid needs {len(ORDERS)} weights, not {len(weights)}")
    pairs = []
    for n in ORDERS:
        try:
            pairs.append(precision_and_recall(counts, (n,), replace(formula, weights=weights[:n])))
        except ValueError as error:
            raise PlaneError(f"N = {n}: {error}") from error
    return np.concatenate([p for p, _ in pairs]), np.concatenate([r for _, r in pairs])


def _summands(sample: PlaneSample, formula: Formula, level: Level) -> Table:
    """The values to sum over a system's candidates: counts (n, 18), or scores and ones (n, 45)."""
    if level == "set":
        return sample.counts.astype(np.float64)
    if level != "item":
        raise PlaneError(f"the level must be one of {', '.join(LEVELS)}, not {level!r}")
    scores = member_scores(NgramCounts(sample.counts), formula).reshape(sample.n, -1)
    return np.concatenate([scores, np.ones((sample.n, 1))], axis=1)


def _system_scores(
    summands: Table,
    sample: PlaneSample,
    formula: Formula,
    level: Level,
    multiplicity: NDArray[np.int32] | None,
) -> Table:
    """The score of each system by every member: (S, 11, 4), or (D, S, 11, 4) for D draws."""
    sums = sample.sums(summands, multiplicity)
    if level == "set":
        return member_scores(NgramCounts(sums), formula)
    return (sums[..., :-1] / sums[..., -1:]).reshape(*sums.shape[:-1], *SHAPE)


def _summarise_draws(r: Table, observed: Grid, passages: int, level: float) -> Uncertainty:
    values, draws = np.square(r), len(r)
    best = best_cells(r)
    count = best.sum(axis=(-2, -1), keepdims=True)
    share = np.divide(best, count, out=np.zeros(best.shape), where=count > 0).mean(axis=0)
    low, high = np.full(SHAPE, np.nan), np.full(SHAPE, np.nan)
    tied_with_best = np.zeros(SHAPE, dtype=bool)
    for cell in np.ndindex(*SHAPE):
        observed_value = float(observed.r_squared[cell])
        if np.isnan(observed_value):
            continue
        drawn = values[(slice(None), *cell)]
        ends = resampled_estimate(drawn, observed_value, passages, "share", level=level).ci
        if ends is not None:
            low[cell], high[cell] = ends
    if observed.best is not None:
        # Signed, so that a cell that is often negative does not tie with the best cell.
        signed = np.sign(r) * values
        winner = signed[(slice(None), *observed.best.grid_index)]
        for cell in np.ndindex(*SHAPE):
            if not observed.r[cell] > 0:
                continue
            gap = float(observed.r_squared[observed.best.grid_index] - observed.r_squared[cell])
            difference = resampled_estimate(
                winner - signed[(slice(None), *cell)], gap, passages, "difference", level=level
            ).ci
            tied_with_best[cell] = difference is not None and difference[0] <= 0
        tied_with_best[observed.best.grid_index] = True
    without = float(np.count_nonzero(count == 0)) / draws
    return Uncertainty(draws, passages, level, share, without, low, high, tied_with_best)
