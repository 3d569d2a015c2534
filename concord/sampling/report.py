"""Estimates from judgment frames whose candidates were drawn by a design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from concord.arrays import Floats
from concord.estimation.differences import differences
from concord.estimation.estimates import Method
from concord.estimation.raters import KnownRatings, ratings_in
from concord.estimation.report import DrawnWaves, EstimateReport, estimate
from concord.estimation.system_data import Target
from concord.frames import complete_frame, is_sampled
from concord.sampling.draws import Wave
from concord.sampling.estimates import complete_waves, estimate_design
from concord.sampling.population import Population
from concord.sampling.stopping import look_confidence
from concord.sampling.stored import stored_design

if TYPE_CHECKING:
    import pandas as pd


def estimate_sampled(
    frame: pd.DataFrame,
    scores: pd.DataFrame | None,
    *,
    metrics: Sequence[str] | None = None,
    target: Target = "set",
    method: Method = "auto",
    budget: int | None = None,
) -> EstimateReport:
    """Estimate each system's mean; by the design where the candidates were drawn by one.

    Arguments as in `concord.estimation.estimate`. Without scores, the estimates are plain means of
    the ratings, whatever `method` is. budget: the planned number of units, if the
    estimates were seen after every wave. The intervals then have the confidence of the last look,
    so that the intervals of all looks contain the mean with probability 0.95. Errors as in
    `estimate`, `stored_design` and `estimate_design`.
    """
    judged = complete_frame(frame)
    if scores is None:
        constant = judged[["id"]].set_index("id").assign(none=0.0)
        plain = estimate_sampled(judged, constant, target=target, method="mean", budget=budget)
        return replace(plain, metrics=())
    if not is_sampled(judged):
        return estimate(judged, scores, metrics=metrics, target=target, method=method)
    population, waves = stored_design(judged, scores, metrics)
    outcomes = judged["score"].to_numpy(np.float64)
    return report_design(
        population, waves, outcomes, ratings_in(judged), target=target, method=method, budget=budget
    )


def report_design(
    population: Population,
    waves: Sequence[Wave],
    outcomes: Floats,
    known: KnownRatings,
    *,
    target: Target = "set",
    method: Method = "auto",
    budget: int | None = None,
) -> EstimateReport:
    """As `estimate_sampled`, from arrays."""
    complete = complete_waves(population, outcomes, waves)
    confidence = 0.95 if budget is None else look_confidence(complete, budget)
    rows = estimate_design(
        population, outcomes, waves,
        target=target, method=method, confidence=confidence, ratings=known.ratings,
    )  # fmt: skip
    drawn = [int(wave.drawn.sum()) for wave in waves]
    done = len(complete)
    gaps, ranks = differences(rows, confidence=confidence)
    return EstimateReport(
        systems=rows, differences=gaps, ranks=ranks, target=target, metrics=population.metrics,
        fixed_raters=known.reason,
        sampling=DrawnWaves(
            waves=done, units=sum(drawn[:done]), pending=sum(drawn[done:]), of=population.size,
            confidence=confidence,
        ),
    )  # fmt: skip
