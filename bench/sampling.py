"""Time of estimates, draws and the next wave for many candidates.

python -m bench.sampling [--instances 40000] [--systems 10] [--metrics 5]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from concord.estimation import EstimationSample, differences, estimate_systems
from concord.sampling import (
    Population,
    SamplingRule,
    StoppingRule,
    available_units,
    draw_wave,
    estimate_design,
    inclusion_probabilities,
    look,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=40_000)
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--metrics", type=int, default=5)
    parsed = parser.parse_args()
    rng = np.random.default_rng(1)
    shape = (parsed.instances, parsed.systems)
    quality = rng.normal(0, 0.7, shape[0])[:, None] + rng.normal(0, 1, shape)
    outcomes = np.clip(np.round(3 + quality), 1, 5).ravel()
    noise = rng.normal(0, 1, (*shape, parsed.metrics))
    units = np.repeat(np.arange(shape[0]), shape[1])
    population = Population(
        (quality[..., None] + noise).reshape(-1, parsed.metrics),
        np.tile(np.arange(shape[1]), shape[0]),
        units // 4,
        units,
        tuple(f"instance {k}" for k in range(shape[0])),
        np.zeros(shape[0], dtype=np.int64),
        tuple(f"system {k}" for k in range(shape[1])),
        tuple(f"metric {k}" for k in range(parsed.metrics)),
    )
    print(f"{len(outcomes):,} candidates, {parsed.systems} systems, {parsed.metrics} metrics")
    rule = SamplingRule("stratified", aim="ranking")
    seen = np.full(len(outcomes), np.nan)
    waves = []
    for number in (1, 2, 3):
        start = time.perf_counter()
        free = available_units(waves, population.size)
        p = inclusion_probabilities(rule, population, seen, free, 1000)
        waves.append(draw_wave(number, p, population.unit_ids, seed=1))
        drawn = int(waves[-1].drawn.sum())
        print(f"wave {number}: {drawn:,} of {population.size:,} drawn  {_since(start)}")
        shown = waves[-1].drawn[units]
        seen[shown] = outcomes[shown]
    start = time.perf_counter()
    rows = estimate_design(population, seen, waves)
    differences(rows)
    print(f"estimates of 3 waves and all differences  {_since(start)}")
    start = time.perf_counter()
    look(population, seen, waves, StoppingRule("ranking", 0.05, 10_000))
    print(f"a look, with levels  {_since(start)}")
    sample = EstimationSample(
        seen, population.scores, population.systems, population.passages,
        population.names, population.metrics,
    )  # fmt: skip
    start = time.perf_counter()
    differences(estimate_systems(sample))
    print(f"estimates without a design  {_since(start)}")


def _since(start: float) -> str:
    return f"{time.perf_counter() - start:.2f} s"


if __name__ == "__main__":
    main()
