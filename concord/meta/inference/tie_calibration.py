"""Pairwise accuracy with tie calibration, acc*_eq (Deutsch, Foster and Freitag 2023, Ties Matter:
Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Floats, Integers
from concord.inference import Estimate
from concord.meta.inference.sample import Grouping, SampleError, ScoredSample

# Above this number pairs are sampled; the standard error of an accuracy is then at most 0.0005.
MAX_PAIRS = 1_000_000


@dataclass(frozen=True, eq=False)
class CandidatePairs:
    """P pairs of candidates; both candidates of a pair are in one group.

    first, second: int64 (P,), positions of the candidates. gold: int8 (P,), the sign of the
    difference of their gold scores. weights: float64 (P,), sum 1; every group has the same total
    weight. groups: number of groups with two candidates or more. too_few: number of other groups.
    sampled: whether only a random part of the pairs is used.
    """

    first: Integers
    second: Integers
    gold: NDArray[np.int8]
    weights: Floats
    groups: int
    too_few: int
    sampled: bool

    @cached_property
    def tied(self) -> float:
        """The share of pairs that people tie: the accuracy of a metric that ties every pair."""
        return float(self.weights[self.gold == 0].sum())

    def signed_gaps(self, scores: Floats) -> Floats:
        """The difference of the two scores of each pair."""
        return scores[self.first] - scores[self.second]

    def accuracy(self, scores: Floats, epsilon: float) -> float:
        """The weight of pairs ordered, or tied (within epsilon), as people do; in [0, 1]."""
        gaps = self.signed_gaps(scores)
        signs = np.where(np.abs(gaps) <= epsilon, 0, np.sign(gaps))
        return float(self.weights[signs == self.gold].sum())

    def best_epsilon(self, scores: Floats) -> float:
        """The smallest epsilon with the highest accuracy; it is 0 or the distance of a pair."""
        gaps = self.signed_gaps(scores)
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
    tied: share of evaluated pairs that people tie. pairs: number of pairs. groups, too_few,
    sampled: as in CandidatePairs.
    """

    metric: str
    figure: Estimate
    epsilon: float | None
    in_sample: bool
    tied: float | None
    pairs: int
    groups: int
    too_few: int
    sampled: bool


def candidate_pairs(
    sample: ScoredSample, grouping: Grouping = "item", rng: np.random.Generator | None = None
) -> CandidatePairs:
    """All pairs of candidates within each group, or `rng`'s choice of them where there are more
    than a million. SampleError where there are and no generator was given."""
    groups = sample.groups(grouping)
    quota = MAX_PAIRS // max(1, len(groups))
    firsts, seconds, weights = [], [], []
    paired = groups.sizes >= 2
    sampled = False
    for which, positions in groups.buckets(1):
        size = positions.shape[1]
        if size < 2:
            continue
        every = size * (size - 1) // 2
        if every <= quota or len(groups) * every <= MAX_PAIRS:
            left, right = np.triu_indices(size, 1)
            first, second = positions[:, left], positions[:, right]
        elif rng is None:
            raise SampleError(f"a group of {size} candidates has too many pairs: pass a generator")
        else:
            sampled = True
            left = rng.integers(size, size=(len(which), max(1, quota)))
            right = (left + rng.integers(1, size, size=left.shape)) % size
            first = np.take_along_axis(positions, left, axis=1)
            second = np.take_along_axis(positions, right, axis=1)
        firsts.append(groups.order[first].ravel())
        seconds.append(groups.order[second].ravel())
        weights.append(np.full(first.size, 1.0 / first.shape[1]))
    first_candidates, second_candidates = (
        np.concatenate([*parts, np.empty(0, np.int64)]) for parts in (firsts, seconds)
    )
    signs = np.sign(sample.gold[first_candidates] - sample.gold[second_candidates]).astype(np.int8)
    shares = np.concatenate([*weights, np.empty(0)]) / max(1, np.count_nonzero(paired))
    n_groups = int(np.count_nonzero(paired))
    return CandidatePairs(
        first=first_candidates,
        second=second_candidates,
        gold=signs,
        weights=shares,
        groups=n_groups,
        too_few=len(groups) - n_groups,
        sampled=sampled,
    )


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
    weight; groups of one candidate are left out and counted. The figure of a metric with a constant
    score is undefined; by the formula it would be `tied`.
    """
    if tuned_on is not None and tuned_on.metrics != sample.metrics:
        raise SampleError("epsilon must be tuned on the same metrics")
    pairs = candidate_pairs(sample, grouping, rng)
    tuning = pairs if tuned_on is None else candidate_pairs(tuned_on, grouping, rng)
    source = sample if tuned_on is None else tuned_on
    rows = []
    for m, name in enumerate(sample.metrics):
        reason = (
            sample.undefined_reason(m) or (source.missing[m] and source.undefined_reason(m)) or ""
        )
        if not len(pairs.first) or not len(tuning.first):
            reason = reason or "no two candidates can be compared"
        epsilon = None if reason else tuning.best_epsilon(source.scores[m])
        figure = (
            Estimate(None, reason=reason)
            if epsilon is None
            else Estimate(pairs.accuracy(sample.scores[m], epsilon))
        )
        rows.append(
            TieCalibrated(
                metric=name,
                figure=figure,
                epsilon=epsilon,
                in_sample=tuned_on is None,
                tied=pairs.tied if len(pairs.first) else None,
                pairs=len(pairs.first),
                groups=pairs.groups,
                too_few=pairs.too_few,
                sampled=pairs.sampled,
            )
        )
    return rows
