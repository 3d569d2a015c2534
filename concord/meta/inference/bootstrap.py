"""Bootstrap of metrics' figures: instances, systems or both are resampled.

Instances are resampled by passage, because answers to one passage are dependent (Field and Welsh
2007, Bootstrapping clustered data). Systems are resampled as in Deutsch, Dror and Roth (2021, A
Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods). All metrics have
the same draws, so the difference of two columns is the paired bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from concord.arrays import Counts, Floats
from concord.inference import resample_counts
from concord.meta.inference.draws import Progress, Steps, blocks
from concord.meta.inference.estimators import Coefficient, estimator
from concord.meta.inference.figures import MetricFigures
from concord.meta.inference.sample import UNKNOWN, Grouping, SampleError, ScoredSample

Resample = Literal["instances", "systems", "both"]
RESAMPLES: tuple[Resample, ...] = get_args(Resample)


def bootstrap_steps(
    sample: ScoredSample,
    coefficient: Coefficient,
    grouping: Grouping = "none",
    resample: Resample = "instances",
    *,
    rng: np.random.Generator,
    draws: int = 1000,
) -> Steps[MetricFigures]:
    """The bootstrap of all metrics, in steps of a block of draws.

    resample: "instances" resamples passages, "systems" systems, "both" each independently. A draw
    averages over the groups that it contains, each counted as often as it was drawn; groups without
    variance are left out of that draw. Raises SampleError for fewer than two units, and for
    candidates of unknown systems where systems are resampled.
    """
    units = resampled_units(sample, resample)
    defined = np.flatnonzero(sample.has_figures)
    values = np.full((draws, len(sample.metrics)), np.nan)
    observed = np.full(len(sample.metrics), np.nan)
    if len(defined):
        of_defined = estimator(sample.select_metrics(defined.tolist()), coefficient, grouping)
        observed[defined] = of_defined.means()[0]
        values[:, defined] = yield from resample_steps(
            sample, resample, of_defined.resampled, rng=rng, draws=draws
        )
    return MetricFigures(sample.metrics, observed, values, units)


def resample_steps(
    sample: ScoredSample,
    resample: Resample,
    figures: Callable[[Counts | None, Counts | None], Floats],
    *,
    rng: np.random.Generator,
    draws: int,
) -> Steps[Floats]:
    """Figures of M metrics in resamples, (draws, M), in steps of a block of draws. figures: of how
    often each passage and each system was drawn, (D, passages) and (D, systems), to (D, M)."""
    values, draw_blocks = [], blocks(rng, draws)
    for done, block in enumerate(draw_blocks, 1):
        passages = systems = None
        if resample != "systems":
            passages = resample_counts(block.rng, block.size, int(sample.clusters.max()) + 1)
        if resample != "instances":
            systems = resample_counts(block.rng, block.size, len(np.unique(sample.systems)))
        values.append(figures(passages, systems))
        yield Progress(done, len(draw_blocks))
    return np.concatenate(values)


def resampled_units(sample: ScoredSample, resample: Resample) -> tuple[tuple[str, int], ...]:
    """The resampled units, as (name, number). Raises SampleError where the sample cannot be
    resampled this way."""
    passages = ("passages", len(np.unique(sample.clusters)))
    systems = ("systems", len(np.unique(sample.systems[sample.systems != UNKNOWN])))
    units = {"instances": (passages,), "systems": (systems,), "both": (passages, systems)}
    if resample not in units:
        raise SampleError(f"unknown resample {resample!r}; choose one of {', '.join(RESAMPLES)}")
    for name, count in units[resample]:
        if count < 2:
            raise SampleError(f"an interval needs at least two {name}; there are {count}")
    if resample != "instances" and (sample.systems == UNKNOWN).any():
        raise SampleError("systems cannot be resampled: some candidates have no system")
    return units[resample]
