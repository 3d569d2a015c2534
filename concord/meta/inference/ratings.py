"""Individual ratings of candidates, and ways to hold some of them out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from concord.arrays import Floats, Integers
from concord.meta.inference.sample import SampleError, ScoredSample


@dataclass(frozen=True, eq=False)
class SingleRatings:
    """R ratings of the candidates of a sample that have two or more.

    candidates: int64 (R,), positions in `sample`, ascending. values: float64 (R,). raters: int64
    (R,), or None where nobody knows who gave which. sample: the candidates with two ratings or
    more; their gold is the mean of the ratings. counts: int64 (n,), ratings of each. positions:
    int64 (n,), of the sample's candidates among all those given.
    """

    candidates: Integers
    values: Floats
    raters: Integers | None
    sample: ScoredSample
    counts: Integers
    positions: Integers

    @classmethod
    def from_arrays(
        cls,
        candidates: ArrayLike,
        values: ArrayLike,
        *,
        items: ArrayLike,
        systems: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        raters: ArrayLike | None = None,
    ) -> SingleRatings:
        """Ratings in any order; `candidates` are positions in items, systems and clusters.

        Raises SampleError where shapes differ, a value is not finite, a candidate is out of range,
        no candidate has two ratings, or one rater rated a candidate twice.
        """
        codes, value = np.asarray(candidates, dtype=np.int64), np.asarray(values, dtype=np.float64)
        if codes.ndim != 1 or codes.shape != value.shape:
            raise SampleError(
                f"candidates {codes.shape} and values {value.shape} must be one vector"
            )
        if not np.isfinite(value).all():
            raise SampleError("a rating is not finite")
        n = len(np.asarray(items))
        if len(codes) and not (codes.min() >= 0 and codes.max() < n):
            raise SampleError(f"a rating is of none of the {n} candidates")
        rater = None
        if raters is not None:
            rater = np.unique(np.asarray(raters), return_inverse=True)[1].reshape(-1)
            if rater.shape != codes.shape:
                raise SampleError(
                    f"raters {rater.shape} must be one for each of {len(codes)} ratings"
                )
            if len(np.unique(np.stack([codes, rater]), axis=1).T) != len(codes):
                raise SampleError("a rater rated one candidate twice")
        counts = np.bincount(codes, minlength=n)
        means = np.bincount(codes, weights=value, minlength=n) / np.maximum(counts, 1)
        several = counts >= 2
        if not several.any():
            raise SampleError("no candidate has two ratings")
        # The sample's only metric is a placeholder; ratings replace it in each draw.
        sample = ScoredSample.from_scores(
            {"rater": means},
            np.where(several, means, np.nan),
            items=items,
            systems=systems,
            clusters=clusters,
        )
        keep = np.flatnonzero(several[codes])
        keep = keep[np.argsort(codes[keep], kind="stable")]
        position = np.cumsum(several) - 1
        return cls(
            position[codes[keep]],
            value[keep],
            None if rater is None else rater[keep],
            sample,
            counts[several],
            np.flatnonzero(several),
        )

    @property
    def starts(self) -> Integers:
        return (np.cumsum(self.counts) - self.counts).astype(np.int64)

    def hold_out_one(self, rng: np.random.Generator) -> ScoredSample:
        """One rating of each candidate, chosen at random, against the mean of its others."""
        return self._hold_out(self.starts + rng.integers(self.counts), self.sample)

    def hold_out_rater(self, rater: int) -> tuple[Integers, ScoredSample]:
        """The candidates a rater rated, and their ratings against the means of the others'."""
        if self.raters is None:
            raise SampleError("it is not known who gave which rating")
        indices = np.flatnonzero(self.raters == rater)
        candidates = self.candidates[indices]
        is_rated = np.zeros(self.sample.n, dtype=bool)
        is_rated[candidates] = True
        return candidates, self._hold_out(indices, self.sample.select_candidates(is_rated))

    def _hold_out(self, indices: Integers, sample: ScoredSample) -> ScoredSample:
        """Some ratings, (k,), against the means of the others of their candidates, the sample's."""
        counts, held_out = self.counts[self.candidates[indices]], self.values[indices]
        return replace_scores(sample, held_out, (sample.gold * counts - held_out) / (counts - 1))

    def split_halves(self, rng: np.random.Generator) -> ScoredSample:
        """The means of two random halves of each candidate's ratings; one is left out of an odd
        number, so that both halves have as many."""
        order = np.lexsort((rng.random(len(self.values)), self.candidates))
        rank = np.arange(len(order)) - np.repeat(self.starts, self.counts)
        size = self.counts // 2
        half = np.repeat(size, self.counts)
        shuffled, n = self.values[order], self.sample.n
        first, second = (
            np.bincount(self.candidates[part], weights=shuffled[part], minlength=n) / size
            for part in (rank < half, (rank >= half) & (rank < 2 * half))
        )
        return replace_scores(self.sample, first, second)


def replace_scores(sample: ScoredSample, scores: Floats, gold: Floats) -> ScoredSample:
    """The sample's candidates with other scores, as its only metric, and other gold."""
    return replace(sample, metrics=("rater",), scores=scores[None], gold=gold, unjudged=0)
