"""Times of a bootstrap interval of Krippendorff's alpha, by Concord and the package `krippendorff`.

    python -m bench.alpha [--units 4000] [--raters 10] [--draws 1000] [--seed 0]

Makes ratings on five points with some missing, and computes alpha for the same resamples of units
in both ways: Concord all at once, the package with one call per resample. Both times include
drawing and indexing. Asserts that all alphas are equal to 1e-9. Prints the times and their ratio
for each level: the median of five runs of Concord, and one run of the package.
"""

from __future__ import annotations

import argparse
import statistics
import time

import krippendorff
import numpy as np
from numpy.typing import NDArray

from concord.reliability import LEVELS, Level, Ratings, alpha
from concord.reliability.krippendorff import cluster_coincidences, weighted_alphas

_TOLERANCE = 1e-9
REPEATS = 5


def random_ratings(rng: np.random.Generator, units: int, raters: int) -> NDArray[np.float64]:
    """(units, raters), 1 to 5, NaN for one in twenty."""
    truth = rng.normal(3.0, 1.0, size=(units, 1))
    table = np.clip(np.round(truth + rng.normal(0.0, 0.8, size=(units, raters))), 1, 5)
    table[rng.random(table.shape) < 0.05] = np.nan
    return table


def package_alphas(
    table: NDArray[np.float64], taken: NDArray[np.int64], level: Level
) -> NDArray[np.float64]:
    """The package's alphas, one call per resample; `taken`: its units, (draws, units)."""
    data = table.T
    return np.array(
        [krippendorff.alpha(data[:, units], level_of_measurement=level) for units in taken]
    )


def measure(table: NDArray[np.float64], draws: int, seed: int, level: Level) -> tuple[float, float]:
    """Seconds of Concord (the median of `REPEATS` runs) and of the package (one run)."""
    ratings = Ratings.from_matrix(table)
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        interval = alpha(ratings, level, seed=seed, draws=draws)
        times.append(time.perf_counter() - started)
    concord_s = statistics.median(times)

    rng = np.random.default_rng(seed)
    n = len(table)
    started = time.perf_counter()
    taken = rng.integers(n, size=(draws, n))
    theirs_alphas = package_alphas(table, taken, level)
    low, high = np.percentile(theirs_alphas, (2.5, 97.5))
    package_s = time.perf_counter() - started

    counts = np.stack([np.bincount(units, minlength=n) for units in taken]).astype(np.float64)
    same = weighted_alphas(cluster_coincidences(ratings), counts, level)
    assert np.abs(same - theirs_alphas).max() <= _TOLERANCE
    ends = interval.ci
    assert ends is not None
    print(
        f"{level:9} here {concord_s:6.3f} s, {ends[0]:.4f} to {ends[1]:.4f}; "
        f"krippendorff {package_s:6.3f} s, {low:.4f} to {high:.4f}; "
        f"{package_s / concord_s:5.1f} times as fast"
    )
    return concord_s, package_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--units", type=int, default=4000)
    parser.add_argument("--raters", type=int, default=10)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table = random_ratings(np.random.default_rng(options.seed), options.units, options.raters)
    # Both are called once before the clock starts: loading is not what is measured.
    alpha(Ratings.from_matrix(table), draws=2)
    krippendorff.alpha(table[:50].T, level_of_measurement="ordinal")
    print(f"{options.draws} resamples of {options.units} units x {options.raters} raters")
    for level in LEVELS:
        measure(table, options.draws, options.seed, level)


if __name__ == "__main__":
    main()
