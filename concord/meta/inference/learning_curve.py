"""Learning curves: the stability of the ranking of metrics by the number of passages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Counts, Floats, Integers
from concord.meta.inference.draws import Progress, Steps
from concord.meta.inference.estimators import Coefficient, estimator
from concord.meta.inference.sample import SampleError, ScoredSample

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MIN_PASSAGES = 10


@dataclass(frozen=True)
class LearningPoint:
    """A point of the learning curve.

    passages: number of passages, drawn without replacement. candidates: their mean number of
    judged candidates. agreement: mean Kendall's tau-b, in [-1, 1], of the rankings of metrics on
    two disjoint samples of that many passages; low, high contain 95% of the draws. same_best: the
    share of draws in which both rankings have the same best metric. None where no draw is defined.
    """

    passages: int
    candidates: float
    agreement: float | None
    low: float | None
    high: float | None
    same_best: float | None


def learning_curve_steps(
    sample: ScoredSample,
    coefficient: Coefficient = "pearson",
    *,
    rng: np.random.Generator,
    draws: int = 200,
) -> Steps[list[LearningPoint]]:
    """Agreement of the rankings of metrics on two disjoint samples of passages, by sample size.

    Each draw splits the passages at random. The first k passages of each half rank the metrics by
    pooled correlation, and the two rankings are compared. So a point shows how well two studies of
    k passages would agree; a comparison with the ranking on all passages would overstate this,
    because it contains the same passages. The largest k is half of the passages. Raises SampleError
    for fewer than twenty passages or fewer than two metrics with a figure.
    """
    defined = np.flatnonzero(sample.has_figures)
    passages = int(sample.clusters.max(initial=-1)) + 1
    if len(defined) < 2:
        raise SampleError("a ranking needs at least two metrics with scores for all candidates")
    half = passages // 2
    if half < MIN_PASSAGES:
        raise SampleError(
            f"too few passages for a learning curve: {passages} ({2 * MIN_PASSAGES} are needed)"
        )
    figures = estimator(sample.select_metrics(defined.tolist()), coefficient)
    sizes = sorted({max(MIN_PASSAGES // 2, round(share * half)) for share in (*SHARES, 1.0)})
    orders = np.stack([rng.permutation(passages) for _ in range(draws)])
    points: list[LearningPoint] = []
    for step, size in enumerate(sizes):
        samples = (orders[:, :size], orders[:, half : half + size])
        first, second = (figures.resampled(_counts(drawn, passages)) for drawn in samples)
        points.append(_point(size, float(sample.n / passages * size), first, second))
        yield Progress(step + 1, len(sizes))
    return points


def _counts(drawn: Integers, passages: int) -> Counts:
    counts = np.zeros((len(drawn), passages), dtype=np.int32)
    np.put_along_axis(counts, drawn, 1, axis=1)
    return counts


def _point(passages: int, candidates: float, first: Floats, second: Floats) -> LearningPoint:
    taus, same = [], []
    for a, b in zip(first, second, strict=True):
        if np.isnan(a).any() or np.isnan(b).any():
            continue
        tau = float(scipy.stats.kendalltau(a, b).statistic)
        if not np.isnan(tau):
            taus.append(tau)
            same.append(float(np.argmax(a) == np.argmax(b)))
    low, high = np.quantile(taus, (0.025, 0.975)).tolist() if taus else (None, None)
    return LearningPoint(
        passages=passages,
        candidates=candidates,
        agreement=float(np.mean(taus)) if taus else None,
        low=low,
        high=high,
        same_best=float(np.mean(same)) if taus else None,
    )
