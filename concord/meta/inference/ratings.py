"""Single ratings of candidates, and ways to hold some of them out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.meta.inference.sample import Sample, SampleError


@dataclass(frozen=True, eq=False)
class SingleRatings:
    """R ratings of the candidates of a sample that have two or more.

    candidates: int64 (R,), positions in `sample`, ascending. values: float64 (R,). raters: int64
    (R,), or None where nobody knows who gave which. sample: the candidates with two ratings or
    more; their gold is the mean of the ratings. counts: int64 (n,), ratings of each.
    """

    candidates: NDArray[np.int64]
    values: NDArray[np.float64]
    raters: NDArray[np.int64] | None
    sample: Sample
    counts: NDArray[np.int64]

    @classmethod
    def of(
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
        of, value = np.asarray(candidates, dtype=np.int64), np.asarray(values, dtype=np.float64)
        if of.ndim != 1 or of.shape != value.shape:
            raise SampleError(f"candidates {of.shape} and values {value.shape} must be one vector")
        if not np.isfinite(value).all():
            raise SampleError("a rating is not finite")
        n = len(np.asarray(items))
        if len(of) and not (of.min() >= 0 and of.max() < n):
            raise SampleError(f"a rating is of none of the {n} candidates")
        rater = None
        if raters is not None:
            rater = np.unique(np.asarray(raters), return_inverse=True)[1].reshape(-1)
            if rater.shape != of.shape:
                raise SampleError(f"raters {rater.shape} must be one for each of {len(of)} ratings")
            if len(np.unique(np.stack([of, rater]), axis=1).T) != len(of):
                raise SampleError("a rater rated one candidate twice")
        counts = np.bincount(of, minlength=n)
        means = np.bincount(of, weights=value, minlength=n) / np.maximum(counts, 1)
        several = counts >= 2
        if not several.any():
            raise SampleError("no candidate has two ratings")
        # The sample's one "metric" is a placeholder; ratings take its place draw by draw.
        sample = Sample.of(
            {"rater": means},
            np.where(several, means, np.nan),
            items=items,
            systems=systems,
            clusters=clusters,
        )
        kept = np.flatnonzero(several[of])
        kept = kept[np.argsort(of[kept], kind="stable")]
        position = np.cumsum(several) - 1
        return cls(
            position[of[kept]],
            value[kept],
            None if rater is None else rater[kept],
            sample,
            counts[several],
        )

    @property
    def starts(self) -> NDArray[np.int64]:
        return (np.cumsum(self.counts) - self.counts).astype(np.int64)

    def one_held_out(self, rng: np.random.Generator) -> Sample:
        """One rating of each candidate, chosen at random, against the mean of its others."""
        chosen = self.starts + rng.integers(self.counts)
        held = self.values[chosen]
        others = (self.sample.gold * self.counts - held) / (self.counts - 1)
        return replaced(self.sample, held, others)

    def rater_held_out(self, rater: int) -> tuple[NDArray[np.int64], Sample]:
        """The candidates a rater rated, and their ratings against the means of the others'."""
        if self.raters is None:
            raise SampleError("it is not known who gave which rating")
        mine = np.flatnonzero(self.raters == rater)
        of, held = self.candidates[mine], self.values[mine]
        others = (self.sample.gold[of] * self.counts[of] - held) / (self.counts[of] - 1)
        chosen = np.zeros(self.sample.n, dtype=bool)
        chosen[of] = True
        return of, replaced(self.sample.take(chosen), held, others)

    def halves(self, rng: np.random.Generator) -> Sample:
        """The means of two random halves of each candidate's ratings; one is left out of an odd
        number, so that both halves have as many."""
        order = np.lexsort((rng.random(len(self.values)), self.candidates))
        place = np.arange(len(order)) - np.repeat(self.starts, self.counts)
        size = self.counts // 2
        half = np.repeat(size, self.counts)
        shuffled, n = self.values[order], self.sample.n
        one, other = (
            np.bincount(self.candidates[part], weights=shuffled[part], minlength=n) / size
            for part in (place < half, (place >= half) & (place < 2 * half))
        )
        return replaced(self.sample, one, other)


def replaced(sample: Sample, scores: NDArray[np.float64], gold: NDArray[np.float64]) -> Sample:
    """The sample's candidates with other scores, as its only metric, and other gold."""
    return Sample(
        ("rater",),
        scores[None],
        gold,
        sample.items,
        sample.systems,
        sample.clusters,
        sample.system_names,
    )
