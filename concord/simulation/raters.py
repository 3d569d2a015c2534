"""How a simulated worker rates.

With probability `ability` the worker understands a candidate, and gives its true score plus their
bias and normal noise, rounded to the scale; otherwise they guess, all points being as likely. A
spammer only guesses, and fast. So `ability` is MACE's competence (Hovy et al. 2013, Learning
whom to trust with MACE) on an ordinal scale.
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
    """A crowd that cannot be; the message says which figure is off."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """What simulated workers have in common.

    ability: 0 (only guesses) to 1. bias: scale points added to every judged score. noise: standard
    deviation of a judged score, in scale points. spam: share of workers who are spammers, 0 to 1.
    low, high: the scale's ends, whole numbers. Raises SimulationError for figures out of range.
    """

    ability: float = 0.8
    bias: float = 0.0
    noise: float = 0.6
    spam: float = 0.0
    low: int = 1
    high: int = 5

    def __post_init__(self) -> None:
        for name, most in (("ability", 1.0), ("spam", 1.0), ("noise", np.finfo(float).max)):
            value = getattr(self, name)
            if not 0 <= value <= most:
                ends = "0 or above" if most > 1 else "from 0 to 1"
                raise SimulationError(f"{name} is {ends}, not {value:g}")
        if not np.isfinite(self.bias):
            raise SimulationError(f"bias is a number of scale points, not {self.bias:g}")
        if not self.low < self.high:
            raise SimulationError(f"a scale from {self.low} to {self.high} has no two points")

    def spammers(self, workers: int, seed: int) -> NDArray[np.bool_]:
        """Which of `workers` are spammers, shape (workers,): the share, to the nearest worker."""
        found = np.zeros(workers, dtype=np.bool_)
        found[: round(self.spam * workers)] = True
        return np.asarray(np.random.default_rng([seed, workers]).permutation(found))

    def raters(self, workers: int, seed: int) -> list[SimulatedRater]:
        """The crowd's workers, each with randomness of their own; the same seed, the same ones."""
        return [
            SimulatedRater(self, bool(spammer), np.random.default_rng([seed, number]))
            for number, spammer in enumerate(self.spammers(workers, seed))
        ]

    def rate(
        self, true: ArrayLike, guessing: ArrayLike, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Ratings of candidates with these true scores; both arguments broadcast together.

        `guessing` says where a spammer rates. Each rating lies on the scale.
        """
        scores, spam = np.broadcast_arrays(np.asarray(true, np.float64), np.asarray(guessing, bool))
        judged = np.rint(scores + self.bias + self.noise * rng.standard_normal(scores.shape))
        guesses = rng.integers(self.low, self.high + 1, size=scores.shape)
        understood = ~spam & (rng.random(scores.shape) < self.ability)
        chosen = np.where(understood, judged, guesses)
        return np.clip(chosen, self.low, self.high).astype(np.int64)


class SimulatedRater:
    """One worker of a crowd."""

    def __init__(self, crowd: Crowd, spammer: bool, rng: np.random.Generator) -> None:
        self.crowd, self.spammer, self.rng = crowd, spammer, rng

    def rate(self, true: float) -> int:
        """A rating of a candidate whose true score is `true`."""
        return int(self.crowd.rate(true, self.spammer, self.rng))

    def seconds(self) -> float:
        """How long this rating took them: log-normal about the median, far shorter for spam."""
        median = SPAM_SECONDS if self.spammer else SECONDS
        return round(float(median * self.rng.lognormal(0.0, SECONDS_SPREAD)), 1)


def latent_score(key: str, low: int, high: int, seed: int) -> float:
    """A true score for the candidate `key` where none is known, uniform on the scale.

    It depends on key and seed alone, so that all workers, in whatever process, agree on it.
    """
    digest = sha256(f"{seed}:{key}".encode("utf-8", "surrogatepass")).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return low + share * (high - low)
