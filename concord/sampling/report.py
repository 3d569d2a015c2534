"""Estimates and looks of judgment frames whose candidates were drawn by a design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from concord.estimation.differences import differences
from concord.estimation.estimates import Method, Target
from concord.estimation.report import EstimateReport, estimate
from concord.frames import complete_frame, is_sampled
from concord.sampling.draws import Wave
from concord.sampling.estimates import complete_waves, estimate_design
from concord.sampling.population import Population
from concord.sampling.stopping import look_confidence
from concord.sampling.stored import stored_design

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SampledReport(EstimateReport):
    """An `EstimateReport` from a design.

    waves: complete ones. units, pending: drawn by them, and by later ones. of: all units.
    confidence: of the intervals.
    """

    waves: int
    units: int
    pending: int
    of: int
    confidence: float

    def to_json(self) -> dict[str, Any]:
        sampling = {
            "waves": self.waves,
            "units": self.units,
            "pending": self.pending,
            "of": self.of,
            "confidence": self.confidence,
        }
        return {**super().to_json(), "sampling": sampling}


def estimate_sampled(
    frame: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    target: Target = "set",
    method: Method = "auto",
    budget: int | None = None,
) -> EstimateReport:
    """`concord.estimation.estimate`, by its design where the frame has one.

    budget: the planned number of units, if every wave was looked at; the confidence of intervals is
    then that of the last look, so that all looks' intervals together hold the mean with a chance of
    95%. Errors as those of `estimate`, `stored_design` and `estimate_design`.
    """
    judged = complete_frame(frame)
    if not is_sampled(judged):
        return estimate(judged, scores, metrics=metrics, target=target, method=method)
    population, waves = stored_design(judged, scores, metrics)
    outcomes = judged["score"].to_numpy(np.float64)
    return report_design(population, waves, outcomes, target=target, method=method, budget=budget)


def report_design(
    population: Population,
    waves: Sequence[Wave],
    outcomes: NDArray[np.float64],
    *,
    target: Target = "set",
    method: Method = "auto",
    budget: int | None = None,
) -> SampledReport:
    """`estimate_sampled` of arrays."""
    complete = complete_waves(population, outcomes, waves)
    confidence = 0.95 if budget is None else look_confidence(complete, budget)
    rows = estimate_design(
        population, outcomes, waves, target=target, method=method, confidence=confidence
    )
    return SampledReport(
        rows,
        *differences(rows, confidence=confidence),
        target,
        population.metrics,
        len(complete),
        count_drawn(complete),
        count_drawn(waves[len(complete) :]),
        population.size,
        confidence,
    )


def count_drawn(waves: Sequence[Wave]) -> int:
    """The number of units that these waves drew."""
    return sum(int(wave.drawn.sum()) for wave in waves)
