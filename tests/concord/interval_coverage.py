"""How often the library's intervals hold the truth, by number of clusters.

`python -m tests.concord.interval_coverage 2000` prints the table of docs/explanation/statistics.md.
Each design draws data whose true figure is known; a cluster has `size` candidates whose values
share half of their variance. Figures are computed from the sums of each cluster, so that thousands
of simulations take a minute.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.inference import Scale, clustered_share, resampled_estimate
from concord.inference import resampling as intervals

CLUSTERS = (3, 5, 8, 10, 15, 20)
DRAWS = 500
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """A statistic of data whose truth is known.

    sums: draws the sums of so many clusters, (clusters, k). figure: of sums, (..., k) to (...).
    """

    name: str
    sums: Callable[[np.random.Generator, int], Floats]
    figure: Callable[[Floats], Floats]
    truth: float
    scale: Scale


def shared(rng: np.random.Generator, clusters: int, size: int) -> Floats:
    """Standard normal values that share half of their variance within a cluster."""
    of_cluster = rng.normal(size=(clusters, 1))
    return np.sqrt(0.5) * (of_cluster + rng.normal(size=(clusters, size)))


def pearson(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = (xx / n - (x / n) ** 2) * (yy / n - (y / n) ** 2)
        return np.where(squares > 1e-12, (xy / n - x * y / n**2) / np.sqrt(squares), np.nan)


def correlation_design(r: float, size: int) -> Design:
    def sums(rng: np.random.Generator, clusters: int) -> Floats:
        x, other = shared(rng, clusters, size), shared(rng, clusters, size)
        y = r * x + np.sqrt(1 - r * r) * other
        return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=-1).sum(axis=1)

    return Design(f"Pearson {r}, {size} a passage", sums, pearson, r, "correlation")


def difference_design(first: float, second: float, size: int) -> Design:
    def sums(rng: np.random.Generator, clusters: int) -> Floats:
        gold, *noise = (shared(rng, clusters, size) for _ in range(3))
        parts = [np.ones_like(gold), gold, gold * gold]
        for r, other in zip((first, second), noise, strict=True):
            x = r * gold + np.sqrt(1 - r * r) * other
            parts += [x, x * x, x * gold]
        return np.stack(parts, axis=-1).sum(axis=1)

    def figure(sums: Floats) -> Floats:
        return pearson(sums[..., [0, 3, 1, 4, 2, 5]]) - pearson(sums[..., [0, 6, 1, 7, 2, 8]])

    name = f"Pearson {first} less {second}, {size} a passage"
    return Design(name, sums, figure, first - second, "difference")


def alpha_design(reliability: float, size: int, raters: int = 3) -> Design:
    """Alpha at the interval level of ratings from 1 to 5."""

    def sums(rng: np.random.Generator, clusters: int) -> Floats:
        true = shared(rng, clusters, size)[..., None]
        noise = rng.normal(size=(clusters, size, raters))
        values = np.sqrt(reliability) * true + np.sqrt(1 - reliability) * noise
        values = np.clip(np.round(1.2 * values), -2, 2)
        squares = (values**2).sum(axis=2)
        between = 2 * (raters * squares - values.sum(axis=2) ** 2) / (raters - 1)
        n = np.full(clusters, float(size * raters))
        parts = [n, values.sum(axis=(1, 2)), squares.sum(axis=1), between.sum(axis=1)]
        return np.stack(parts, axis=-1)

    def figure(sums: Floats) -> Floats:
        n, x, xx, observed = np.moveaxis(sums, -1, 0)
        expected = 2 * (n * xx - x * x)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 1e-9, 1 - (n - 1) * observed / expected, np.nan)

    truth = float(figure(sums(np.random.default_rng(1), 200_000).sum(axis=0)))
    return Design(f"alpha {truth:.2f}, {size} a passage", sums, figure, truth, "correlation")


def resampled_designs() -> list[Design]:
    designs = [correlation_design(0.6, size) for size in (1, 4)]
    designs += [difference_design(0.6, 0.5, size) for size in (1, 4)]
    return designs + [alpha_design(*one) for one in ((0.3, 1), (0.6, 1), (0.6, 4), (0.85, 4))]


@contextmanager
def every_number_of_clusters(few: int = intervals.PERCENTILE_CLUSTERS) -> Iterator[None]:
    """Intervals for as few clusters as can be resampled, to measure what the rule forbids.

    few: fewer clusters have Student's interval, not percentiles.
    """
    before = intervals.MIN_CLUSTERS, intervals.PERCENTILE_CLUSTERS
    intervals.MIN_CLUSTERS, intervals.PERCENTILE_CLUSTERS = 2, few
    try:
        yield
    finally:
        intervals.MIN_CLUSTERS, intervals.PERCENTILE_CLUSTERS = before


def coverage(design: Design, clusters: int, simulations: int, seed: int = 0) -> float:
    """The share of the intervals of a design that hold the truth."""
    rng = np.random.default_rng([seed, clusters])
    shares = np.full(clusters, 1 / clusters)
    covered = defined = 0
    for _ in range(simulations):
        sums = design.sums(rng, clusters)
        observed = float(design.figure(sums.sum(axis=0)))
        if np.isnan(observed):
            continue
        values = design.figure(rng.multinomial(clusters, shares, DRAWS) @ sums)
        ends = resampled_estimate(values, observed, clusters, design.scale).ci
        if ends is not None:
            defined += 1
            covered += ends[0] <= design.truth <= ends[1]
    return covered / max(1, defined)


def share_coverage(
    share: float, likeness: float, size: int, clusters: int, simulations: int, seed: int = 0
) -> float:
    """The share of the intervals of a share that hold it; likeness: the ICC."""
    rng = np.random.default_rng([seed, clusters])
    codes = np.repeat(np.arange(clusters), size)
    spread = (1 - likeness) / likeness
    covered = 0
    for _ in range(simulations):
        of_cluster = rng.beta(share * spread, (1 - share) * spread, size=clusters)
        hits = (rng.random(clusters * size) < of_cluster[codes]).astype(np.float64)
        low, high = clustered_share(hits, codes).ci or (np.nan, np.nan)
        covered += low <= share <= high
    return covered / simulations


SHARES = [(share, 0.3, 4) for share in (0.5, 0.85, 0.95)]


def main(simulations: int) -> None:
    print("| figure |", " | ".join(f"{clusters}" for clusters in CLUSTERS), "|")
    print("|---|", "|".join("---:" for _ in CLUSTERS), "|", sep="")
    with every_number_of_clusters():
        for design in resampled_designs():
            cells = [f"{coverage(design, g, simulations):.3f}" for g in CLUSTERS]
            print(f"| {design.name} |", " | ".join(cells), "|", flush=True)
    for share, likeness, size in SHARES:
        cells = [f"{share_coverage(share, likeness, size, g, simulations):.3f}" for g in CLUSTERS]
        print(f"| share {share}, ICC {likeness}, {size} a passage |",
              " | ".join(cells), "|", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
