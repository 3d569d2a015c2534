"""Simulated populations of which everything is known, and designs that sample them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from concord.sampling import (
    Population,
    SamplingRule,
    available_units,
    draw_wave,
    inclusion_probabilities,
)
from concord.sampling.expected_errors import expected_errors
from concord.sampling.rules import allocate


@dataclass(frozen=True)
class Active:
    """Each unit in proportion to its expected error: the rule "active" of release 0.2.0, whose
    stored samples are still estimated."""

    aim: str = "mean"
    uniform_share: float = 0.5

    def probabilities(self, all_units, seen, available, size):
        p = np.full(all_units.size, np.nan)
        errors = expected_errors(all_units, seen, self.aim)[available]
        p[available] = allocate(errors, min(size, len(errors)), self.uniform_share)
        return p


def population(  # noqa: PLR0913 - what the simulations vary
    rng, *, passages=300, per_passage=1, systems=3, rho=0.8, binary=False, metrics=1, threshold=-0.5
):
    """(population, all outcomes): ratings of which the passage explains a part."""
    shape = (passages, per_passage, systems)
    latent = rng.normal(0, 0.7, passages)[:, None, None] + rng.normal(0, 1, shape)
    latent += np.linspace(-0.5, 0.5, systems)
    spread = 1.22 * np.sqrt(1 / rho**2 - 1) if rho else 1.0
    noise = rng.normal(0, spread * np.sqrt(metrics), (*shape, metrics))
    scores = (latent[..., None] if rho else 0.0) + noise
    outcomes = (latent > threshold) if binary else np.clip(np.round(3 + latent), 1, 5)
    codes = [np.broadcast_to(each, shape).ravel() for each in np.ogrid[tuple(map(slice, shape))]]
    units = codes[0] * per_passage + codes[1]
    all_units = Population(
        scores.reshape(-1, metrics),
        codes[2].astype(np.int64),
        codes[0].astype(np.int64),
        units.astype(np.int64),
        tuple(f"instance {k}" for k in range(passages * per_passage)),
        np.zeros(passages * per_passage, dtype=np.int64),
        tuple(f"system {k}" for k in range(systems)),
        tuple(f"metric {k}" for k in range(metrics)),
    )
    return all_units, outcomes.astype(np.float64).ravel()


def misleading(rng, kind, **options):
    """(population, all outcomes) with a metric that fails where it is trusted.

    tail: 4% of what it scores high is rated 1. reversed: it is good for two systems, and turned for
    the third.
    """
    all_units, outcomes = population(rng, rho=0.9, metrics=2, **options)
    if kind == "tail":
        is_high = all_units.scores.mean(axis=1) > 0
        return all_units, np.where(is_high & (rng.random(len(outcomes)) < 0.04), 1.0, outcomes)
    signs = np.where(all_units.systems == 1, -1.0, 1.0)
    return replace(all_units, scores=all_units.scores * signs[:, None]), outcomes


def collect(all_units, outcomes, rule, sizes, *, seed):
    """(waves, outcomes seen) after one wave of each size."""
    waves, seen = [], np.full(len(outcomes), np.nan)
    for number, size in enumerate(sizes, start=1):
        available = available_units(waves, all_units.size)
        if isinstance(rule, Active):
            p = rule.probabilities(all_units, seen, available, size)
        else:
            p = inclusion_probabilities(rule, all_units, seen, available, size)
        waves.append(draw_wave(number, p, all_units.unit_ids, seed=seed))
        shown = waves[-1].drawn[all_units.units]
        seen[shown] = outcomes[shown]
    return waves, seen


def truth(all_units, outcomes):
    """Each system's mean."""
    counts = np.bincount(all_units.systems)
    return np.bincount(all_units.systems, outcomes) / counts


RULES = {
    "uniform": SamplingRule(),
    "stratified": SamplingRule("stratified"),
    "active": Active(),
    "ranking": Active("ranking"),
}


def replace_groups(all_units, groups):
    """The population with other constituents."""
    return replace(all_units, groups=groups)


def replace_scores(all_units, scores):
    """The population with another single metric."""
    return replace(all_units, scores=scores[:, None], metrics=("metric 0",))


def part(all_units, rows):
    """The population of some rows, whole units each."""
    ids, units = np.unique(all_units.units[rows], return_inverse=True)
    return replace(
        all_units,
        scores=all_units.scores[rows],
        systems=all_units.systems[rows],
        passages=all_units.passages[rows],
        units=units,
        unit_ids=tuple(all_units.unit_ids[unit] for unit in ids),
        groups=all_units.groups[ids],
    )


def replace_systems(all_units, systems):
    """The population with other systems."""
    names = tuple(f"system {k}" for k in range(int(systems.max()) + 1))
    return replace(all_units, systems=systems, names=names)
