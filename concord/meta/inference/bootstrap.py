"""Bootstrap of metrics' figures: instances, systems or both are resampled.

Instances are resampled by passage, because answers to one passage are dependent (Field and Welsh
2007, Bootstrapping clustered data). Systems are resampled as in Deutsch, Dror and Roth (2021, A
Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods). All metrics have
the same draws, so the difference of two columns is the paired bootstrap.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from concord.arrays import Counts, Floats, Integers
from concord.inference import Estimate, Scale, resample_counts, resampled_estimate
from concord.meta.inference.draws import Block, Progress, Steps, blocks, map_in_order
from concord.meta.inference.estimators import Coefficient, estimator
from concord.meta.inference.sample import UNKNOWN, Grouping, SampleError, ScoredSample

Resample = Literal["instances", "systems", "both"]
RESAMPLES: tuple[Resample, ...] = ("instances", "systems", "both")


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The figures of M metrics in the data and in each draw.

    observed: float64 (M,), in the data. values: float64 (draws, M), in the draws. Both are NaN
    where undefined. units: the resampled units, such as ("passages", 120) and ("systems", 8).
    scale: the range of the figures.
    """

    metrics: tuple[str, ...]
    observed: Floats
    values: Floats
    resample: Resample
    units: tuple[tuple[str, int], ...]
    scale: Scale = "correlation"

    @property
    def draws(self) -> int:
        """Number of bootstrap draws."""
        return len(self.values)

    @property
    def undefined(self) -> Integers:
        """Number of draws without a figure of each metric, (M,)."""
        return np.asarray(np.count_nonzero(np.isnan(self.values), axis=0), dtype=np.int64)

    def figure(self, metric: int) -> Estimate:
        """The figure of one metric with its interval, and the p-value of no association."""
        value = float(self.observed[metric])
        if np.isnan(value):
            return Estimate(None, reason="does not vary, or is incomplete")
        return self._estimate(self.values[:, metric], value, self.scale)

    def difference(self, values: Floats, observed: float) -> Estimate:
        """A difference of two figures with its interval and p-value. values: (draws,), in the
        draws. observed: in the data."""
        return self._estimate(values, observed, "difference")

    def _estimate(self, values: Floats, observed: float, scale: Scale) -> Estimate:
        unit, count = min(self.units, key=lambda unit: unit[1])
        null = None if scale == "share" else 0.0
        return resampled_estimate(values, observed, count, scale, unit=unit, null=null)


def bootstrap_steps(
    sample: ScoredSample,
    coefficient: Coefficient,
    grouping: Grouping = "none",
    resample: Resample = "instances",
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    executor: Executor | None = None,
) -> Steps[Bootstrap]:
    """The bootstrap of all metrics, in steps of a block of draws.

    resample: "instances" resamples passages, "systems" systems, "both" each independently. A draw
    averages over the groups that it contains, each counted as often as it was drawn; groups without
    variance are left out of that draw. Raises SampleError for fewer than two units, and for
    candidates of unknown systems where systems are resampled.
    """
    check_resample(sample, resample)
    draw_blocks = blocks(rng, draws)
    values = np.full((draws, len(sample.metrics)), np.nan)
    observed = np.full(len(sample.metrics), np.nan)
    defined = np.flatnonzero(sample.has_figures)
    if len(defined):
        resampling = Resampling(sample.select_metrics(defined.tolist()), coefficient, grouping)
        observed[defined] = resampling.values(None, None)[0]
        task = partial(_block_values, resampling, resample)
        for done, block_values in enumerate(map_in_order(task, draw_blocks, executor)):
            values[draw_blocks[done].rows, defined] = block_values
            yield Progress(done + 1, len(draw_blocks))
    return Bootstrap(
        metrics=sample.metrics,
        observed=observed,
        values=values,
        resample=resample,
        units=resampled_units(sample, resample),
    )


class Resampling:
    """An estimator under resampling of passages and systems."""

    def __init__(self, sample: ScoredSample, coefficient: Coefficient, grouping: Grouping) -> None:
        self.sample, self.grouping = sample, grouping
        self.estimator = estimator(sample, coefficient, grouping)
        groups = self.estimator.groups
        self._first_of_group = groups.order[groups.starts]
        self._system = np.unique(sample.systems, return_inverse=True)[1].reshape(-1)

    def values(self, passages: Counts | None, systems: Counts | None) -> Floats:
        """Each metric's figure in each draw, (D, M).

        passages: (D, clusters), systems: (D, systems present): how often each was drawn; None means
        once. A count that all candidates of a group share becomes the group's weight.
        """
        of_candidate: Counts | None = None
        of_group: Floats | None = None
        for taken, code, whole_groups in (
            (passages, self.sample.clusters, "item"),
            (systems, self._system, "sys"),
        ):
            if taken is None:
                continue
            if self.grouping == whole_groups:
                of_group = taken.take(code[self._first_of_group], axis=1).astype(np.float64)
                continue
            weights = taken.take(code, axis=1)
            of_candidate = weights if of_candidate is None else of_candidate * weights
        return self.estimator.means(of_candidate, of_group)


def _block_values(resampling: Resampling, resample: Resample, block: Block) -> Floats:
    passages = systems = None
    sample = resampling.sample
    if resample != "systems":
        passages = resample_counts(block.rng, block.size, int(sample.clusters.max()) + 1)
    if resample != "instances":
        systems = resample_counts(block.rng, block.size, len(np.unique(sample.systems)))
    return resampling.values(passages, systems)


def resampled_units(sample: ScoredSample, resample: Resample) -> tuple[tuple[str, int], ...]:
    """The resampled units, as (name, number)."""
    passages = ("passages", len(np.unique(sample.clusters)))
    systems = ("systems", len(np.unique(sample.systems[sample.systems != UNKNOWN])))
    return {"instances": (passages,), "systems": (systems,), "both": (passages, systems)}[resample]


def check_resample(sample: ScoredSample, resample: Resample) -> None:
    """Raise SampleError where the sample cannot be resampled this way."""
    if resample not in RESAMPLES:
        raise SampleError(f"unknown resample {resample!r}; choose one of {', '.join(RESAMPLES)}")
    for name, count in resampled_units(sample, resample):
        if count < 2:
            raise SampleError(f"an interval needs at least two {name}; there are {count}")
    if resample != "instances" and (sample.systems == UNKNOWN).any():
        raise SampleError("systems cannot be resampled: some candidates have no system")
