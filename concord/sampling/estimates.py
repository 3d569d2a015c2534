"""Means of systems from ratings that were drawn by known probabilities.

Each wave gives an estimate of each system's mean over the whole population, unbiased given all that
was rated before: what is rated already is known, and the rest is estimated by the difference
estimator, the sum of predictions plus the drawn residuals over their inclusion probabilities
(Horvitz and Thompson 1952; Särndal, Swensson and Wretman 1992, chapter 6). A wave's predictions
come from ratings of this wave and earlier ones, without the candidate's own passage. The estimate
is the mean of the waves', weighted by `wave_weights`. Probabilities are never combined over waves:
a later wave's depend on what an earlier one found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.estimation.estimates import (
    MIN_PASSAGES,
    Method,
    SystemEstimate,
    Target,
    interval_of_mean,
    no_gain,
    too_little_variation,
)
from concord.estimation.sample import EstimationError, Sample
from concord.estimation.slopes import CrossFit, cross_fit
from concord.estimation.system_data import Influence, degrees_of_freedom
from concord.sampling.draws import Wave, unit_weights, wave_weights
from concord.sampling.population import Population

MIN_CONTRIBUTIONS = 5.0
"""The effective number of units behind a variance that an interval needs."""
MIN_MISSES = 4.0
"""The sum of squared residuals that an interval needs, in squared steps between ratings."""


@dataclass(frozen=True, eq=False)
class WaveEstimate:
    """One wave's estimates; the first axis is (without the metrics, with them).

    means: (2, S). influence: (2, S, M), what each drawn unit contributes to the error for this
    set's mean. by_passage: (2, S, P), sums of each passage's part of the mean, for new passages.
    """

    means: NDArray[np.float64]
    influence: NDArray[np.float64]
    by_passage: NDArray[np.float64]


def complete_waves(
    population: Population, outcomes: NDArray[np.float64], waves: Sequence[Wave]
) -> list[Wave]:
    """The waves before the first with a drawn unit that is not completely rated.

    A first wave that drew nothing says nothing; none is complete then.
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


def estimate_wave(
    population: Population, outcomes: NDArray[np.float64], waves: Sequence[Wave]
) -> WaveEstimate:
    """The estimate of the last of these complete waves."""
    wave, size = waves[-1], population.size
    earlier = np.zeros(size, dtype=bool)
    for each in waves[:-1]:
        earlier |= each.drawn
    units, systems = population.units, population.systems
    n = len(population.names)
    counts = np.bincount(systems, minlength=n)
    history = np.where((earlier | wave.drawn)[units], outcomes, np.nan)
    fit = cross_fit(
        Sample(
            history, population.scores, systems, population.passages,
            population.names, population.metrics,
        ),
        unit_weights(waves, size)[units],
    )  # fmt: skip
    known, drawn = earlier[units], wave.drawn[units]
    p = np.where(drawn, wave.probabilities[units], 1.0)
    # A wave that drew fewer than expected has a larger error than its probabilities say.
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
    return WaveEstimate(np.array(means), np.array(influence), np.array(by_passage))


def estimate_design(
    population: Population,
    outcomes: NDArray[np.float64],
    waves: Sequence[Wave],
    *,
    target: Target = "set",
    method: Method = "auto",
    confidence: float = 0.95,
    parts: Sequence[WaveEstimate] | None = None,
) -> list[SystemEstimate]:
    """Estimate each system's mean outcome from the complete waves.

    outcomes: (N,), NaN where not rated. parts: what `estimate_wave` gave for each complete wave.
    Each estimate is as `estimate_systems` describes, with these differences. "auto" asks whether
    the metrics help, not whether rated and unrated candidates differ: by design they may. The plain
    mean is weighted by the design. For the target "set", draws of two units are independent, so
    that the variance is a sum over units; for "new" it is clustered by passage. Degrees of freedom
    are Satterthwaite's. There is no interval with fewer than MIN_PASSAGES rated passages, where
    ratings vary too little, and where the metrics predict the ratings so well that too few errors
    were seen to tell how many there are: fewer than MIN_CONTRIBUTIONS units (effectively) determine
    the variance, or all squared residuals amount to fewer than MIN_MISSES. "stratified" is no
    method here: a design has strata. Raises EstimationError for it, and where no wave is complete.
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
    is_known = weights > 0
    fit = cross_fit(
        Sample(
            np.where(is_known, outcomes, np.nan), population.scores, population.systems,
            population.passages, population.names, population.metrics,
        ),
        weights,
    )  # fmt: skip
    results = []
    for code, name in enumerate(population.names):
        rows = (population.systems == code) & is_known
        results.append(
            _estimate(
                name,
                np.asarray(means)[:, code],
                np.asarray(influence)[:, code],
                outcomes[rows],
                fit.part(rows),
                weights[rows],
                candidates=int(np.count_nonzero(population.systems == code)),
                passages=len(np.unique(population.passages[rows])),
                units=len(np.unique(population.units[rows])),
                target=target,
                method=method,
                confidence=confidence,
            )
        )
    return results


def _estimate(
    name: str,
    means: NDArray[np.float64],
    influence: NDArray[np.float64],
    y: NDArray[np.float64],
    fit: CrossFit,
    weights: NDArray[np.float64],
    *,
    candidates: int,
    passages: int,
    units: int,
    target: Target,
    method: Method,
    confidence: float,
) -> SystemEstimate:
    """One system's estimate; arrays are of (without metrics, with metrics), or rated candidates."""
    if not len(y):
        return SystemEstimate(
            name, None, None, None, "mean", None, 0, candidates, 0, None, None, None, None, None,
            "no candidate of this system is rated",
        )  # fmt: skip
    correlation = _correlation(fit.slope_part, y, weights)
    reason = no_gain(passages, correlation) if method == "auto" else ""
    is_plain = method == "mean" or bool(reason) or len(y) == candidates
    clusters = units if target == "set" else influence.shape[1]
    plain, powered = (
        Influence(float(mean), values, clusters, 0.0, target == "set", is_weighted=True)
        for mean, values in zip(means, influence, strict=True)
    )
    is_complete = len(y) == candidates
    refusals = [
        "" if is_complete else _no_interval(each, y, y - predicted, passages)
        for each, predicted in ((plain, fit.outcome_means), (powered, fit.predictions))
    ]
    used, no_interval = (plain, refusals[0]) if is_plain else (powered, refusals[1])
    se, ci = _interval(used, y, no_interval, confidence)
    return SystemEstimate(
        name,
        used.mean,
        se,
        ci,
        "all rated" if len(y) == candidates else "mean" if is_plain else "prediction-powered",
        _effective_n(se, y, weights, candidates, target),
        len(y),
        candidates,
        passages,
        correlation,
        plain.mean,
        _interval(plain, y, refusals[0], confidence)[1],
        used,
        plain,
        no_interval or reason,
    )


def _correlation(
    x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> float | None:
    if len(y) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    moments = np.cov(x, y, aweights=weights)
    return float(moments[0, 1] / math.sqrt(moments[0, 0] * moments[1, 1]))


def _no_interval(
    influence: Influence, y: NDArray[np.float64], residuals: NDArray[np.float64], passages: int
) -> str:
    """Why there is no interval; empty where there is one."""
    if passages < MIN_PASSAGES:
        return f"{passages} rated passages: an interval needs {MIN_PASSAGES} or more"
    if reason := too_little_variation(y):
        return reason
    squares = influence.by_passage**2
    total, spread = float(squares.sum()), float((squares**2).sum())
    effective = total**2 / spread if spread else 0.0
    misses = float((residuals**2).sum()) / float(np.diff(np.unique(y)).min()) ** 2
    if effective < MIN_CONTRIBUTIONS or misses < MIN_MISSES:
        return "too few errors of the metrics were seen to tell how many there are: rate more"
    return ""


def _interval(
    influence: Influence, y: NDArray[np.float64], no_interval: str, confidence: float
) -> tuple[float | None, tuple[float, float] | None]:
    """(standard error, interval)."""
    if no_interval:
        return None, None
    se = math.sqrt(influence.variance)
    degrees = degrees_of_freedom(influence.by_passage, influence.passages)
    half = float(scipy.stats.t.ppf((1 + confidence) / 2, degrees)) * se
    return se, interval_of_mean(influence.mean, half, y)


def _effective_n(
    se: float | None,
    y: NDArray[np.float64],
    weights: NDArray[np.float64],
    candidates: int,
    target: Target,
) -> float | None:
    """n' with V (1 / n' - 1 / N) = se^2, V the weighted variance of the ratings; without 1 / N
    for new passages."""
    if se is None:
        return None
    if len(y) < 2 or np.ptp(y) == 0:
        return float(len(y))
    variance = float(np.cov(y, aweights=weights))
    left = 1 / candidates if target == "set" else 0.0
    return float(1 / (se**2 / variance + left))
