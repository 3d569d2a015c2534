"""Simulated raters.

With probability `ability` a rater understands a candidate, and gives its true score plus bias and
normal noise, rounded to the scale. Otherwise the rater guesses; all points of the scale are then
equally likely. A spammer only guesses, and is fast. So `ability` is MACE's competence (Hovy et al.
2013, Learning whom to trust with MACE) on an ordinal scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Median seconds for one rating; MOCHA's authors estimate 9 to 15 for theirs (appendix D).
SECONDS, SPAM_SECONDS = 10.0, 1.0
SECONDS_SPREAD = 0.4


class SimulationError(ValueError):
    """Invalid parameters of a crowd; the message names the parameter."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Parameters of simulated workers.

    ability: 0 (only guesses) to 1. bias: scale points added to every judged score. noise: standard
    deviation of a judged score, in scale points. spam: share of spammers, 0 to 1. low, high: the
    ends of the scale, integers. Raises SimulationError for values out of range.
    """

    ability: float = 0.8
    bias: float = 0.0
    noise: float = 0.6
    spam: float = 0.0
    low: int = 1
    high: int = 5

    def __post_init__(self) -> None:
        for name, maximum in (("ability", 1.0), ("spam", 1.0), ("noise", np.finfo(float).max)):
            value = getattr(self, name)
            if not 0 <= value <= maximum:
                ends = "0 or above" if maximum > 1 else "from 0 to 1"
                raise SimulationError(f"{name} must be {ends}, not {value:g}")
        if not np.isfinite(self.bias):
            raise SimulationError(
                f"bias must be a finite number of scale points, not {self.bias:g}"
            )
        if not self.low < self.high:
            raise SimulationError(f"low must be below high; the scale is {self.low} to {self.high}")

    def spammers(self, workers: int, seed: int) -> NDArray[np.bool_]:
        """Which workers are spammers, shape (workers,); their number is `spam` * `workers`,
        rounded."""
        is_spammer = np.zeros(workers, dtype=np.bool_)
        is_spammer[: round(self.spam * workers)] = True
        return np.asarray(np.random.default_rng([seed, workers]).permutation(is_spammer))

    def raters(self, workers: int, seed: int) -> list[SimulatedRater]:
        """The crowd's workers, each with a random generator; reproducible by the seed."""
        return [
            SimulatedRater(self, bool(spammer), np.random.default_rng([seed, number]))
            for number, spammer in enumerate(self.spammers(workers, seed))
        ]

    def rate(
        self, true: ArrayLike, guessing: ArrayLike, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Ratings of candidates with these true scores, on the scale.

        `true` and `guessing` are broadcast; `guessing` is True where a spammer rates.
        """
        scores, spam = np.broadcast_arrays(np.asarray(true, np.float64), np.asarray(guessing, bool))
        judged = np.rint(scores + self.bias + self.noise * rng.standard_normal(scores.shape))
        guesses = rng.integers(self.low, self.high + 1, size=scores.shape)
        understood = ~spam & (rng.random(scores.shape) < self.ability)
        ratings = np.where(understood, judged, guesses)
        return np.clip(ratings, self.low, self.high).astype(np.int64)


class SimulatedRater:
    """One worker of a crowd."""

    def __init__(self, crowd: Crowd, spammer: bool, rng: np.random.Generator) -> None:
        self.crowd, self.spammer, self.rng = crowd, spammer, rng

    def rate(self, true: float) -> int:
        """A rating of a candidate whose true score is `true`."""
        return int(self.crowd.rate(true, self.spammer, self.rng))

    def seconds(self) -> float:
        """Time of a rating: log-normal around the median, which is much shorter for spammers."""
        median = SPAM_SECONDS if self.spammer else SECONDS
        return round(float(median * self.rng.lognormal(0.0, SECONDS_SPREAD)), 1)


def latent_score(key: str, low: int, high: int, seed: int) -> float:
    """A true score for a candidate whose score is unknown, uniform on the scale.

    It depends on `key` and `seed` only, so it is the same for all workers in all processes.
    """
    digest = sha256(f"{seed}:{key}".encode("utf-8", "surrogatepass")).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return low + share * (high - low)
