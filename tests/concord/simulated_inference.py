"""How often the library's intervals hold the truth, and its tests reject a true null hypothesis.

`python -m tests.concord.simulated_inference [--repeats N] [--write] [NAME ...]` makes the table of
docs/explanation/statistics.md, or the lines of some functions. A row is a public function of the
library; STATISTICS has all of them, and `test_simulated_inference` fails where one is missing. Data
come in clusters with an intraclass correlation of 0 or 0.3, of equal or of unequal sizes. Power and
width stand beside those of an oracle that knows the standard deviation of the figure.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.inference import Z95, Estimate

Floats, Codes = NDArray[np.float64], NDArray[np.int64]

CLUSTERS = (10, 30, 100)
ICC = (0.0, 0.3)
MIN_COVERAGE, MAX_COVERAGE, MAX_TYPE_I = 0.92, 0.985, 0.07
# A refusal is allowed below so many clusters only.
MAY_REFUSE = 30
# So many standard errors of simulation are tolerated beyond the bounds.
ERRORS = 3.0

PAGE = Path("docs/explanation/statistics.md")
RULE = "|---|---:|---|---|---|---|---|"


@dataclass(frozen=True)
class Design:
    """Clusters of 4 items each, or of 1 to 12 items; `icc`: the intraclass correlation."""

    clusters: int
    icc: float
    equal: bool

    def data(self, rng: np.random.Generator) -> Data:
        """One draw of the data."""
        sizes = np.full(self.clusters, 4)
        if not self.equal:
            # Few large clusters and many small ones, the same sizes in each draw.
            sizes = np.resize([1, 1, 2, 2, 3, 3, 4, 5, 7, 12], self.clusters)
        return Data(rng, np.repeat(np.arange(self.clusters), sizes), self.icc)

    @property
    def name(self) -> str:
        return f"{self.clusters}, {self.icc:g}, {'equal' if self.equal else 'unequal'}"


@dataclass(frozen=True, eq=False)
class Data:
    """Items in clusters. `normal` and `of_kind` draw values for them."""

    rng: np.random.Generator
    clusters: Codes
    icc: float

    @property
    def n(self) -> int:
        return len(self.clusters)

    def normal(self, columns: int | None = None) -> Floats:
        """Standard normal values with the intraclass correlation, (n,) or (n, columns)."""
        groups = int(self.clusters.max()) + 1
        shape = () if columns is None else (columns,)
        of_cluster = self.rng.normal(size=(groups, *shape))[self.clusters]
        own = self.rng.normal(size=(self.n, *shape))
        return math.sqrt(self.icc) * of_cluster + math.sqrt(1 - self.icc) * own

    @cached_property
    def gold(self) -> Floats:
        """Scores of people, standard normal."""
        return self.normal()

    def correlated(self, r: float) -> Floats:
        """Scores with the correlation r with `gold`."""
        return r * self.gold + math.sqrt(1 - r * r) * self.normal()

    def hits(self, share: float) -> Floats:
        """0 or 1; the mean is `share`."""
        return (self.normal() < scipy.special.ndtri(share)).astype(np.float64)

    def signed(self, mean: float, changes: float = 0.3) -> Floats:
        """-1, 0 or 1; a share `changes` of them is not 0."""
        value = self.normal()
        ends = ((changes - mean) / 2, 1 - (changes + mean) / 2)
        low, high = (scipy.special.ndtri(share) for share in ends)
        return (value > high).astype(np.float64) - (value < low)

    def ratings(self, kinds: Codes | None = None, raters: int = 5) -> tuple[Floats, Codes, Codes]:
        """(standard normal values, positions of items, raters), each (3 n,).

        Three of the raters, drawn by cluster, rate each item. Raters differ in their level, of each
        of `kinds` of items, (n,), anew.
        """
        kinds = np.zeros(self.n, dtype=np.int64) if kinds is None else kinds
        level = self.rng.normal(size=(raters, int(kinds.max()) + 1))
        order = self.rng.random((int(self.clusters.max()) + 1, raters)).argsort(axis=1)
        chosen = order[:, :3][self.clusters]
        values = self.normal()[:, None] + 0.4 * level[chosen, kinds[:, None]]
        values += self.rng.normal(size=values.shape)
        return values.ravel() / math.sqrt(2.16), np.repeat(np.arange(self.n), 3), chosen.ravel()

    @property
    def twice(self) -> Data:
        """As many clusters more."""
        more = np.concatenate([self.clusters, self.clusters + int(self.clusters.max()) + 1])
        return Data(self.rng, more, self.icc)

    @property
    def independent(self) -> Data:
        """As many items, none of which depends on another."""
        return Data(self.rng, np.arange(self.n), 0.0)


@dataclass(frozen=True)
class Statistic:
    """A function of the library on data whose truth is known.

    compute: the estimate from data with an effect. null: the effect without which the null
    hypothesis of `p` is true; None without a test. effect: another one, for the power. truth: the
    figure's value by effect; None for a test without a figure. repeats: simulations of each design,
    as a share of those asked for.
    """

    compute: Callable[[Data, float], Estimate]
    truth: Callable[[float], float] | None
    effect: float
    null: float | None = None
    repeats: float = 1.0


@dataclass(frozen=True)
class Cell:
    """What simulations of one design show. NaN where there is nothing to show.

    refused: share of draws without an interval (without p, for a test). coverage: of the others.
    type_i: share of p below 0.05 under the null hypothesis. power: with the effect; oracle_power:
    of a z test with the known standard deviation. width: mean width over that of the oracle.
    """

    repeats: int
    refused: float
    reason: str
    coverage: float
    type_i: float
    power: float
    oracle_power: float
    width: float

    def faults(self, design: Design) -> Iterator[str]:
        """What is beyond the bounds by more than the simulation's error."""
        few = design.clusters < MAY_REFUSE
        if self.refused > 0.1 and not (few and self.reason):
            yield f"refused in {self.refused:.0%}: {self.reason}"
        if self.refused > 0.9:
            return
        done = self.repeats * (1 - self.refused)
        for name, value, bound, side in (
            ("coverage", self.coverage, MIN_COVERAGE, -1),
            ("coverage", self.coverage, MAX_COVERAGE, 1),
            ("type I", self.type_i, MAX_TYPE_I, 1),
        ):
            error = math.sqrt(bound * (1 - bound) / done)
            if side * (value - bound) > ERRORS * error:
                yield f"{name} {value:.3f}"


def same(effect: float) -> float:
    """The truth where the figure is the effect."""
    return effect


def simulate(statistic: Statistic, design: Design, repeats: int, seed: int = 0) -> Cell:
    """Simulate one statistic with one design."""
    repeats = max(10, round(repeats * statistic.repeats))
    effects = [statistic.effect] if statistic.null is None else [statistic.null, statistic.effect]
    found = {
        effect: [
            statistic.compute(design.data(np.random.default_rng([seed, k, draw])), effect)
            for draw in range(repeats)
        ]
        for k, effect in enumerate(effects)
    }
    last = found[statistic.effect]
    values = np.array([np.nan if one.value is None else one.value for one in last])
    spread = float(np.nanstd(values))
    coverage = width = math.nan
    if statistic.truth is not None:
        truth = statistic.truth(statistic.effect)
        ends = np.array([one.ci for one in last if one.ci is not None]).reshape(-1, 2)
        coverage = _mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
        width = _mean(np.ptp(ends, axis=1)) / (2 * Z95 * spread) if len(ends) else math.nan
    type_i = power = oracle = math.nan
    if statistic.null is not None:
        type_i, power = (_mean(_p(found[effect]) < 0.05) for effect in effects)
        distance = abs(float(np.nanmean(values)) - _null_value(statistic)) / spread
        oracle = float(scipy.special.ndtr(distance - Z95) + scipy.special.ndtr(-distance - Z95))
    lacks = [one for one in last if (one.ci is None if statistic.truth else one.p is None)]
    reasons = {one.reason for one in lacks}
    return Cell(
        repeats, len(lacks) / repeats, min(reasons, default=""), coverage, type_i, power, oracle,
        width,
    )  # fmt: skip


def _null_value(statistic: Statistic) -> float:
    return statistic.truth(statistic.null or 0.0) if statistic.truth else 0.0


def _p(estimates: list[Estimate]) -> Floats:
    return np.array([one.p for one in estimates if one.p is not None])


def _mean(values: NDArray[np.generic]) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def designs() -> Iterator[Design]:
    """Each number of clusters with each intraclass correlation, of equal and unequal sizes."""
    for clusters, icc, equal in product(CLUSTERS, ICC, (True, False)):
        yield Design(clusters, icc, equal)


def lines(name: str, statistic: Statistic, repeats: int) -> Iterator[str]:
    """A line of the table for each number of clusters: from the least to the greatest figure of its
    designs, each with the largest standard error of simulation."""
    for clusters in CLUSTERS:
        cells = {
            design: simulate(statistic, design, repeats)
            for design in designs()
            if design.clusters == clusters
        }
        kept = [cell for cell in cells.values() if cell.refused <= 0.9]
        columns = [""] * 4
        if kept:
            coverage, type_i, power, oracle, width = (
                _range(kept, field)
                for field in ("coverage", "type_i", "power", "oracle_power", "width")
            )
            power = f"{power} ({oracle.partition(' ±')[0]})" if power else ""
            columns = [coverage, type_i, power, width]
            if (most := max(cell.refused for cell in cells.values())) >= 0.01:
                columns[0] += f"; refuses up to {most:.0%}"
        else:
            columns[0] = f"refuses: {next(iter(cells.values())).reason}"
        faults = [
            f"{fault} ({design.name})"
            for design, cell in cells.items()
            for fault in cell.faults(design)
        ]
        yield f"| `{name}` | {clusters} | {' | '.join(columns)} | {'; '.join(faults)} |"


def _range(cells: list[Cell], field: str) -> str:
    """From the least to the greatest, with the largest standard error of simulation. That of a
    width is of the oracle's standard deviation, which is simulated too."""
    defined = [
        (getattr(cell, field), cell.repeats * (1 - cell.refused))
        for cell in cells
        if not math.isnan(getattr(cell, field))
    ]
    if not defined:
        return ""
    errors = [
        value / math.sqrt(2 * n) if field == "width" else math.sqrt(value * (1 - value) / n)
        for value, n in defined
    ]
    values = [value for value, _ in defined]
    return f"{min(values):.3f} to {max(values):.3f} ± {max(errors):.3f}"


def write(page: Path, names: Sequence[str], made: Iterator[str]) -> None:
    """Put lines into the page's table as they are made, in the order of the names; lines of other
    functions stay."""
    for line in made:
        before, rule, after = page.read_text().partition(RULE)
        old, _, rest = f"{after}\n".partition("\n\n")
        table = {_key(row, names): row for row in [*old.split("\n"), line] if row.startswith("| `")}
        rows = [table[key] for key in sorted(table)]
        page.write_text("\n".join([before + rule, *rows]) + "\n" + (f"\n{rest}" if rest else ""))


def _key(row: str, names: Sequence[str]) -> tuple[int, int]:
    name, clusters = row.split(" | ")[:2]
    return names.index(name[3:-1]), int(clusters)


def main(arguments: list[str]) -> None:
    from tests.concord.simulated_statistics import STATISTICS

    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help="parts of names; all without one")
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--write", action="store_true", help=f"put the lines into {PAGE}")
    options = parser.parse_args(arguments)
    made = (
        line
        for name, statistic in STATISTICS.items()
        if not options.names or any(part in name for part in options.names)
        for line in lines(name, statistic, options.repeats)
    )
    if options.write:
        write(PAGE, list(STATISTICS), made)
    for line in made:
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
