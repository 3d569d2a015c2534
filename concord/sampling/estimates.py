"""Means of systems from candidates that were drawn with known probabilities.

Each wave gives an estimate of each system's mean over the whole population. It adds the ratings of
earlier waves, which are known, to the difference estimator of the rest: the sum of the predictions,
plus the drawn residuals divided by their inclusion probabilities (Horvitz and Thompson 1952;
Särndal, Swensson and Wretman 1992, chapter 6). Given the earlier waves, it is unbiased. A
candidate's prediction comes from the ratings of other passages in this wave and earlier ones.

The final estimate is the mean of the waves' estimates, weighted by `wave_weights`. Probabilities of
different waves are not combined, because those of a wave depend on the ratings of earlier ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats
from concord.estimation.estimates import (
    MIN_PASSAGES,
    Method,
    SystemEstimate,
    no_gain,
    system_estimate,
    too_little_variation,
)
from concord.estimation.raters import SystemRatings
from concord.estimation.sample import EstimationError
from concord.estimation.slopes import CrossFit, cross_fit
from concord.estimation.system_data import Influence, Target
from concord.meta.correlation import weighted_pearson
from concord.reliability import Ratings
from concord.sampling.draws import Wave, unit_weights, wave_weights
from concord.sampling.population import Population

MIN_CONTRIBUTIONS = 5.0
"""An interval needs a variance to which this many units contribute (effective number)."""
MIN_MISSES = 4.0
"""An interval needs this sum of squared residuals, in units of the squared least distance between
two different ratings."""


@dataclass(frozen=True, eq=False)
class WaveEstimate:
    """One wave's estimates. The first axis has two entries: without the metrics, and with them.

    means: (2, S). influence: (2, S, M), the contribution of each drawn unit to the error, where the
    target is this set. by_passage: (2, S, P), the contribution of each passage, where the target is
    new passages. fit: the predictions from the ratings of this wave and earlier ones.
    """

    means: Floats
    influence: Floats
    by_passage: Floats
    fit: CrossFit


def complete_waves(population: Population, outcomes: Floats, waves: Sequence[Wave]) -> list[Wave]:
    """The waves before the first one with a drawn unit that is not completely rated.

    None, if the first wave drew no unit.
    """
    if not waves or not waves[0].drawn.any():
        return []
    is_rated = population.rated_units(outcomes)
    complete: list[Wave] = []
    for wave in waves:
        if not is_rated[wave.drawn].all():
            break
        complete.append(wave)
    return complete


def estimate_wave(population: Population, outcomes: Floats, waves: Sequence[Wave]) -> WaveEstimate:
    """The estimate of the last of these complete waves."""
    wave, size = waves[-1], population.size
    earlier = np.zeros(size, dtype=bool)
    for each in waves[:-1]:
        earlier |= each.drawn
    units, systems = population.units, population.systems
    n = len(population.names)
    counts = np.bincount(systems, minlength=n)
    history = np.where((earlier | wave.drawn)[units], outcomes, np.nan)
    fit = cross_fit(population.sample(history), unit_weights(waves, size)[units])
    known, drawn = earlier[units], wave.drawn[units]
    p = np.where(drawn, wave.probabilities[units], 1.0)
    # Where a wave drew fewer candidates than expected, its error is larger in proportion.
    expected = np.bincount(systems[~known], minlength=n)
    reached = np.bincount(systems[drawn], 1 / p[drawn], minlength=n)
    scarcity = expected / np.where(reached > 0, reached, 1.0)
    passages = np.unique(population.passages, return_inverse=True)[1]
    cells = systems * (passages.max() + 1) + passages
    unit_cells = systems * size + units
    means, influence, by_passage = [], [], []
    for predictions in (fit.outcome_means, fit.predictions):
        residuals = np.where(drawn, outcomes - predictions, 0.0)
        values = np.where(known, outcomes, predictions + residuals / p)
        mean = np.bincount(systems, values, minlength=n) / counts
        means.append(mean)
        part = (scarcity / counts)[systems] * residuals * np.sqrt(1 - p) / p
        influence.append(np.bincount(unit_cells, part, minlength=n * size).reshape(n, size))
        centred = (values - mean[systems]) / counts[systems]
        by_passage.append(
            np.bincount(cells, centred, minlength=n * (passages.max() + 1)).reshape(n, -1)
        )
    return WaveEstimate(np.array(means), np.array(influence), np.array(by_passage), fit)


def estimate_design(  # noqa: PLR0913 - the design, what was rated, and what is estimated
    population: Population,
    outcomes: Floats,
    waves: Sequence[Wave],
    *,
    target: Target = "set",
    method: Method = "auto",
    confidence: float = 0.95,
    parts: Sequence[WaveEstimate] | None = None,
    ratings: Ratings | None = None,
) -> list[SystemEstimate]:
    """Estimate each system's mean outcome from the complete waves.

    outcomes: (N,), NaN where not rated. parts: the results of `estimate_wave` for each complete
    wave, if they are known already. ratings: as in `estimate_systems`.

    Each estimate is as in `estimate_systems`, with these differences:

    - "auto" uses the metrics where they help. It does not test whether rated and unrated candidates
      have different predictions, because a design may draw them so.
    - The plain mean is weighted by the design.
    - For the target "set", units are drawn independently, so the variance is a sum over units. For
      "new" it is clustered by passage. Degrees of freedom are Satterthwaite's.
    - There is no interval with fewer than MIN_PASSAGES rated passages, where the ratings vary too
      little, and where the predictions are so good that the variance of their few errors is not
      known: fewer than MIN_CONTRIBUTIONS units (effective number) contribute to it, or the squared
      residuals sum to less than MIN_MISSES.

    Raises EstimationError for the method "stratified" (a design has its own strata), and where no
    wave is complete.
    """
    if method == "stratified":
        raise EstimationError("a design has its own strata; choose 'auto' or another method")
    complete = complete_waves(population, outcomes, waves)
    if not complete:
        raise EstimationError("no wave is rated completely: rate all draws of the first wave")
    if parts is None:
        ends = range(1, len(complete) + 1)
        parts = [estimate_wave(population, outcomes, complete[:end]) for end in ends]
    shares = wave_weights(complete)
    means = sum(share * part.means for share, part in zip(shares, parts, strict=True))
    influence = sum(
        share * (part.influence if target == "set" else part.by_passage)
        for share, part in zip(shares, parts, strict=True)
    )
    weights = unit_weights(complete, population.size)[population.units]
    fit = parts[-1].fit
    all_predictions, slope_part = (fit.outcome_means, fit.predictions), fit.slope_part
    results = []
    for code, name in enumerate(population.names):
        rows = (population.systems == code) & (weights > 0)
        candidates = int(np.count_nonzero(population.systems == code))
        if not rows.any():
            results.append(SystemEstimate.unrated(name, candidates))
            continue
        y, own, passages = outcomes[rows], weights[rows], population.passages[rows]
        n_passages, is_complete = len(np.unique(passages)), len(y) == candidates
        of_raters = SystemRatings.of(ratings, np.flatnonzero(rows))
        known = 1 / np.maximum(own, 1.0) if target == "set" else np.zeros(len(own))
        influences, no_intervals = [], []
        for which, predictions in enumerate(all_predictions):
            by_passage, residuals = influence[which, code], y - predictions[rows]
            groups = len(np.unique(population.units[rows])) if target == "set" else len(by_passage)
            raters = None
            if of_raters is not None:
                raters = of_raters.part(residuals, own / own.sum(), passages, known)
            influences.append(
                Influence(
                    mean=float(means[which, code]),
                    by_passage=by_passage,
                    passages=groups,
                    effective=groups,
                    finite_share=0.0,
                    is_finite=target == "set",
                    is_weighted=True,
                    raters=raters,
                )
            )
            no_intervals.append(
                "" if is_complete else _no_interval(y, residuals, by_passage, n_passages)
            )
        plain, powered = influences
        # Without the means that the predictions take from each system.
        r = weighted_pearson(slope_part[rows], y, own) if len(y) > 2 else math.nan
        correlation = None if math.isnan(r) else r
        reason = no_gain(n_passages, correlation) if method == "auto" else ""
        is_plain = method == "mean" or bool(reason) or is_complete
        results.append(
            system_estimate(
                name,
                y,
                plain,
                plain if is_plain else powered,
                no_intervals=(no_intervals[0], no_intervals[0 if is_plain else 1]),
                method="prediction-powered",
                candidates=candidates,
                passages=n_passages,
                correlation=correlation,
                reason=reason,
                variance=float(np.cov(y, aweights=own)) if len(y) > 1 and np.ptp(y) else 0.0,
                confidence=confidence,
            )
        )
    return results


def _no_interval(y: Floats, residuals: Floats, by_passage: Floats, passages: int) -> str:
    """Why ratings y, (n,), with these residuals give no interval; empty where they give one."""
    if passages < MIN_PASSAGES:
        return f"{passages} rated passages: an interval needs {MIN_PASSAGES} or more"
    if reason := too_little_variation(y):
        return reason
    squares = by_passage**2
    total, spread = float(squares.sum()), float((squares**2).sum())
    effective = total**2 / spread if spread else 0.0
    least_step = float(np.diff(np.unique(y)).min())
    misses = float((residuals**2).sum()) / least_step**2
    if effective < MIN_CONTRIBUTIONS or misses < MIN_MISSES:
        return "too few errors of the metrics were seen to tell how many there are: rate more"
    return ""
