"""Learning curves: the stability of the ranking of metrics by the number of passages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from concord.meta.inference.bootstrap import Resampling
from concord.meta.inference.draws import Progress, Steps
from concord.meta.inference.estimators import Coefficient
from concord.meta.inference.sample import Sample, SampleError

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MIN_PASSAGES = 10


@dataclass(frozen=True, slots=True)
class LearningPoint:
    """One size of a judgment set.

    passages: how many were drawn, without replacement. candidates: their mean number of judged
    candidates. agreement: mean Kendall's tau-b, in [-1, 1], of the ranking of metrics on two
    disjoint halves of so many passages; low, high: 95% of the draws lie between. same_best: the
    share of draws in which both halves put the same metric first. All NaN where no draw has one.
    """

    passages: int
    candidates: float
    agreement: float
    low: float
    high: float
    same_best: float


def learning_curve_steps(
    sample: Sample,
    coefficient: Coefficient = "pearson",
    *,
    rng: np.random.Generator,
    draws: int = 200,
) -> Steps[list[LearningPoint]]:
    """Rankings by pooled correlation on two samples of passages that share none, by their size.

    Each draw splits the passages at random; the first k of each half rank the metrics, and the two
    rankings are compared. So a point says how far two studies of k passages each would agree, which
    a comparison with the ranking on all passages would overstate: that holds the same passages. The
    largest k is half of the passages. Raises SampleError below twenty passages or two metrics with
    a figure.
    """
    defined = np.flatnonzero(sample.has_figures)
    passages = int(sample.clusters.max(initial=-1)) + 1
    if len(defined) < 2:
        raise SampleError("a ranking needs two metrics with a score for every candidate")
    half = passages // 2
    if half < MIN_PASSAGES:
        raise SampleError(
            f"{passages} passages are too few for a learning curve (it takes {2 * MIN_PASSAGES})"
        )
    resampling = Resampling(sample.select_metrics(defined.tolist()), coefficient, "none")
    sizes = sorted({max(MIN_PASSAGES // 2, round(share * half)) for share in (*SHARES, 1.0)})
    of_passage = np.bincount(sample.clusters, minlength=passages)
    orders = np.stack([rng.permutation(passages) for _ in range(draws)])
    points = []
    for step, size in enumerate(sizes):
        first = _figures(resampling, orders[:, :size], passages)
        second = _figures(resampling, orders[:, half : half + size], passages)
        points.append(_point(size, of_passage, first, second))
        yield Progress(step + 1, len(sizes))
    return points


def _figures(
    resampling: Resampling, passages_drawn: NDArray[np.int64], passages: int
) -> NDArray[np.float64]:
    counts = np.zeros((len(passages_drawn), passages), dtype=np.int32)
    np.put_along_axis(counts, passages_drawn, 1, axis=1)
    return resampling.values(counts, None)


def _point(
    size: int,
    of_passage: NDArray[np.int64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> LearningPoint:
    taus, same = [], []
    for a, b in zip(first, second, strict=True):
        if np.isnan(a).any() or np.isnan(b).any():
            continue
        tau = float(stats.kendalltau(a, b).statistic)
        if not np.isnan(tau):
            taus.append(tau)
            same.append(float(np.argmax(a) == np.argmax(b)))
    candidates = float(of_passage.mean() * size)
    if not taus:
        return LearningPoint(size, candidates, *[float("nan")] * 4)
    low, high = np.quantile(taus, (0.025, 0.975))
    return LearningPoint(
        size, candidates, float(np.mean(taus)), float(low), float(high), float(np.mean(same))
    )
