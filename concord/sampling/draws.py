"""Waves of draws: each unit is drawn independently, by a hash that can be recomputed.

A unit is drawn in a wave if hash(seed, wave, unit) in [0, 1) lies below its inclusion probability.
Draws of different units are independent given the probabilities, so a joint probability is a
product (Poisson sampling; Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, 3.5),
and the number of units drawn varies about its expectation. A unit that was drawn is in no later
wave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from concord.arrays import Booleans, Floats
from concord.estimation.sample import EstimationError


def unit_hashes(seed: int, wave: int, unit_ids: Sequence[str]) -> Floats:
    """The number in [0, 1) of each unit, from the first 53 bits of BLAKE2b of `seed:wave:unit`."""
    begin = blake2b(f"{seed}:{wave}:".encode(), digest_size=8)
    digests = bytearray()
    for unit in unit_ids:
        each = begin.copy()
        each.update(unit.encode())
        digests += each.digest()
    return np.asarray((np.frombuffer(bytes(digests), dtype=">u8") >> 11) / 2.0**53)


@dataclass(frozen=True, eq=False)
class Wave:
    """One wave's draws from M units.

    number: from 1. probabilities: float64 (M,), in (0, 1]; NaN for units that an earlier wave drew.
    drawn: bool (M,). Raises EstimationError for a probability outside of (0, 1], and for a drawn
    unit without one.
    """

    number: int
    probabilities: Floats
    drawn: Booleans

    def __post_init__(self) -> None:
        probabilities = self.probabilities[self.available]
        if not ((probabilities > 0) & (probabilities <= 1)).all():
            raise EstimationError(f"wave {self.number}: a probability is not in (0, 1]")
        if (self.drawn & ~self.available).any():
            raise EstimationError(f"wave {self.number}: a unit without a probability was drawn")

    @property
    def available(self) -> Booleans:
        """Whether each unit could be drawn, (M,)."""
        return ~np.isnan(self.probabilities)


def draw_wave(number: int, probabilities: Floats, unit_ids: Sequence[str], *, seed: int) -> Wave:
    """Draw the units whose hash is below their probability; NaN is never drawn."""
    drawn = unit_hashes(seed, number, unit_ids) < np.nan_to_num(probabilities)
    return Wave(number, probabilities, drawn)


def available_units(waves: Sequence[Wave], size: int) -> Booleans:
    """Whether each of `size` units can still be drawn after these waves."""
    available = np.ones(size, dtype=bool)
    for wave in waves:
        available &= ~wave.drawn
    return available


def wave_weights(waves: Sequence[Wave]) -> Floats:
    """The weight of each wave's estimate, (T,), with sum 1; empty without waves.

    Proportional to `wave_information`, which depends only on the probabilities, which are fixed
    before the wave is drawn. A wave that draws all remaining units has the weight 1, because its
    estimate has no error.
    """
    raw = wave_information(waves)
    if np.isinf(raw).any():
        raw = np.isinf(raw).astype(np.float64)
    return np.asarray(raw / raw.sum()) if len(raw) else raw


def wave_information(waves: Sequence[Wave]) -> Floats:
    """The inverse of the variance of each wave's estimate, (T,), for residuals of variance 1.

    Infinite for a wave that draws all remaining units.
    """
    information = np.empty(len(waves))
    for position, wave in enumerate(waves):
        probabilities = wave.probabilities[wave.available]
        left = (1 - probabilities).sum() * len(probabilities)
        information[position] = probabilities.sum() / left if left > 0 else np.inf
    return information


def unit_weights(waves: Sequence[Wave], size: int) -> Floats:
    """The design weight of each unit, (M,): 0 where it was not drawn.

    A unit drawn in wave t has the weight w_t / p_t, plus w_u for each later wave u, which counts it
    as known. A weighted sum over the drawn units is unbiased for the sum over all units.
    """
    weights = np.zeros(size)
    is_known = np.zeros(size, dtype=bool)
    for wave, share in zip(waves, wave_weights(waves), strict=True):
        weights[is_known] += share
        weights[wave.drawn] += share / wave.probabilities[wave.drawn]
        is_known |= wave.drawn
    return weights
