"""Pairwise accuracy with tie calibration, acc*_eq (Deutsch, Foster and Freitag 2023, Ties Matter:
Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from concord.arrays import Floats, Integers
from concord.documents.conversion import INLINE
from concord.inference import Estimate
from concord.meta.inference.sample import Grouping, SampleError, ScoredSample

# Above this number pairs are sampled; the standard error of an accuracy is then at most 0.0005.
MAX_PAIRS = 1_000_000


@dataclass(frozen=True, eq=False)
class CandidatePairs:
    """P pairs of candidates; both candidates of a pair are in one group.

    first, second: int64 (P,), positions of the candidates. gold: (P,), the sign of the difference
    of their gold scores. weights: float64 (P,), sum 1; every group has the same total weight.
    """

    first: Integers
    second: Integers
    gold: Floats
    weights: Floats

    @cached_property
    def tied(self) -> float:
        """The share of pairs that people tie: the accuracy of a metric that ties every pair."""
        return float(self.weights[self.gold == 0].sum())

    def accuracy(self, scores: Floats, epsilon: float) -> float:
        """The weight of pairs ordered, or tied (within epsilon), as people do; in [0, 1]."""
        gaps = scores[self.first] - scores[self.second]
        signs = np.where(np.abs(gaps) <= epsilon, 0, np.sign(gaps))
        return float(self.weights[signs == self.gold].sum())

    def best_epsilon(self, scores: Floats) -> float:
        """The smallest epsilon with the highest accuracy; it is 0 or the distance of a pair."""
        gaps = scores[self.first] - scores[self.second]
        distance = np.abs(gaps)
        order = np.argsort(distance, kind="stable")
        # When epsilon reaches a pair's distance, the metric ties the pair. Accuracy gains its
        # weight if people tie it too, and loses it if the pair was in the right order.
        change = np.where(self.gold == 0, self.weights, 0.0)
        change -= np.where((self.gold != 0) & (np.sign(gaps) == self.gold), self.weights, 0.0)
        gained = np.cumsum(change[order])
        sorted_distance = distance[order]
        last = np.append(sorted_distance[1:] != sorted_distance[:-1], True)
        thresholds, gained = sorted_distance[last], gained[last]
        if thresholds[0] > 0:
            thresholds, gained = np.append(0.0, thresholds), np.append(0.0, gained)
        # Sums of the same weights in another order differ by rounding; the least epsilon wins.
        return float(thresholds[np.argmax(gained >= gained.max() - 1e-12)])


@dataclass(frozen=True, slots=True)
class TieCalibrated:
    """One metric's accuracy; score differences of at most `epsilon` count as ties.

    in_sample: whether epsilon was tuned on the evaluated pairs, so that the accuracy is too high.
    tied: share of evaluated pairs that people tie. pairs: number of pairs.
    """

    figure: Annotated[Estimate, INLINE]
    epsilon: float | None
    in_sample: bool
    tied: float | None
    pairs: int


def candidate_pairs(
    sample: ScoredSample, grouping: Grouping = "item", rng: np.random.Generator | None = None
) -> CandidatePairs:
    """All pairs of candidates within each group, or `rng`'s choice of them where there are more
    than a million. SampleError where there are and no generator was given."""
    groups = sample.groups(grouping)
    quota = MAX_PAIRS // max(1, len(groups))
    sides = [np.empty((2, 0), dtype=np.int64)]
    weights = [np.empty(0)]
    for which, positions in groups.buckets(1):
        size = positions.shape[1]
        every = size * (size - 1) // 2
        if every <= quota or len(groups) * every <= MAX_PAIRS:
            left, right = (np.tile(side, (len(which), 1)) for side in np.triu_indices(size, 1))
        elif rng is None:
            raise SampleError(f"a group of {size} candidates has too many pairs: pass a generator")
        else:
            left = rng.integers(size, size=(len(which), max(1, quota)))
            right = (left + rng.integers(1, size, size=left.shape)) % size
        pairs = [np.take_along_axis(positions, side, axis=1).ravel() for side in (left, right)]
        sides.append(groups.order[np.stack(pairs)])
        weights.append(np.full(left.size, 1.0 / max(1, left.shape[1])))
    first, second = np.concatenate(sides, axis=1)
    shares = np.concatenate(weights) / max(1, int(np.count_nonzero(groups.sizes >= 2)))
    return CandidatePairs(first, second, np.sign(sample.gold[first] - sample.gold[second]), shares)


def tie_calibrated_accuracy(
    sample: ScoredSample,
    grouping: Grouping = "item",
    *,
    tuned_on: ScoredSample | None = None,
    rng: np.random.Generator | None = None,
) -> list[TieCalibrated]:
    """acc*_eq of every metric: the share of pairs that it orders, or ties, as people do.

    tuned_on: the sample, with the same metrics, on which epsilon is tuned, such as a dev split; by
    default the sample itself, as in the paper, and then `in_sample` is true. Groups have the same
    weight; groups of one candidate are left out. The figure of a metric with a constant score is
    undefined; by the formula it would be `tied`.
    """
    source = sample if tuned_on is None else tuned_on
    if source.metrics != sample.metrics:
        raise SampleError("epsilon must be tuned on the same metrics")
    pairs = candidate_pairs(sample, grouping, rng)
    tuning = pairs if tuned_on is None else candidate_pairs(tuned_on, grouping, rng)
    n_pairs, rows = len(pairs.first), []
    for m in range(len(sample.metrics)):
        reason = sample.undefined_reason(m)
        if not reason and source.missing[m]:
            reason = source.undefined_reason(m)
        if not reason and not (n_pairs and len(tuning.first)):
            reason = "no two candidates can be compared"
        epsilon, figure = None, Estimate(None, reason=reason)
        if not reason:
            epsilon = tuning.best_epsilon(source.scores[m])
            figure = Estimate(pairs.accuracy(sample.scores[m], epsilon))
        tied = pairs.tied if n_pairs else None
        rows.append(
            TieCalibrated(
                figure=figure,
                epsilon=epsilon,
                in_sample=tuned_on is None,
                tied=tied,
                pairs=n_pairs,
            )
        )
    return rows
