"""Every public test and interval of the library on data whose truth is known, by its name."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.inference import Estimate, clustered_mean, clustered_share, sign_flips
from concord.meta import inference, kendall, pair_accuracy, pearson, spearman
from concord.meta.board import Formula
from concord.meta.correctness.curves import auc
from concord.meta.inference import Coefficient, ScoredSample, run_steps
from concord.meta.inference.correlations import left_out_steps
from tests.concord.simulated_agreement import AGREEMENT
from tests.concord.simulated_inference import Data, Statistic

DRAWS = 400
SHARE = 0.8


def signed(data: Data, effect: float) -> NDArray[np.float64]:
    """-1, 0 or 1, seven in ten of them 0; the mean is the effect."""
    value = data.normal()
    low, high = (scipy.special.ndtri(share) for share in (0.15 - effect / 2, 0.85 - effect / 2))
    return (value > high).astype(np.float64) - (value < low)


def sample(data: Data, *correlations: float) -> ScoredSample:
    """Metrics with these correlations with people."""
    return ScoredSample.from_scores(
        {f"m{k}": data.correlated(r) for k, r in enumerate(correlations)},
        data.gold, items=data.clusters, clusters=data.clusters,
    )  # fmt: skip


def correlation(coefficient: Coefficient, data: Data, effect: float) -> Estimate:
    steps = inference.bootstrap_steps(sample(data, effect), coefficient, rng=data.rng, draws=DRAWS)
    return run_steps(steps).figure(0)


def paired(data: Data, effect: float) -> Estimate:
    steps = inference.bootstrap_steps(
        sample(data, 0.6, 0.6 - effect), "pearson", rng=data.rng, draws=DRAWS
    )
    result = inference.compare_pairs(run_steps(steps))
    assert result.low is not None and result.high is not None
    value, *ends, p = (float(x[0, 1]) for x in (result.delta, result.low, result.high, result.p))
    return Estimate(value, *ends, p)


def swapped(data: Data, effect: float) -> Estimate:
    steps = inference.perm_both_steps(
        sample(data, 0.6, 0.6 - effect), "pearson", rng=data.rng, draws=DRAWS, unit="passage"
    )
    result = run_steps(steps)
    return Estimate(float(result.delta[0, 1]), p=float(result.p[0, 1]))


def spearman_of(r: float) -> float:
    """Of normal values with Pearson's r."""
    return 6 / math.pi * math.asin(r / 2)


def kendall_of(r: float) -> float:
    """Of normal values with Pearson's r."""
    return 2 / math.pi * math.asin(r)


def area_of(effect: float) -> float:
    return float(scipy.special.ndtr(effect / math.sqrt(2)))


def area(data: Data, effect: float) -> Estimate:
    correct = data.hits(0.5) > 0
    return auc(data.normal() + effect * correct, correct, data.clusters)


def figure(
    coefficient: Formula, data: Data, effect: float, *, is_weighted: bool = False
) -> Estimate:
    weights = np.random.default_rng(0).uniform(0.5, 2, data.n) if is_weighted else None
    return coefficient(data.correlated(effect), data.gold, data.clusters, weights)


def right_pairs(data: Data, effect: float) -> Estimate:
    return pair_accuracy(data.hits(effect), np.full(data.n, 0.5), data.clusters)


def right_of_two(data: Data, effect: float) -> Estimate:
    """Two metrics on the same pairs, right in 0.7 + effect and 0.7 of them."""
    better = np.stack([data.hits(0.7 + effect), data.hits(0.7)])
    result = inference.mcnemar(better, np.full(better.shape, 0.5), data.clusters)
    return Estimate(float(result.delta[0, 1]), p=float(result.p[0, 1]))


def jackknifed_difference(data: Data, effect: float) -> Estimate:
    return run_steps(left_out_steps(sample(data, 0.6, 0.6 - effect), "pearson")).difference(0, 1)


def same(effect: float) -> float:
    return effect


STATISTICS: dict[str, Statistic] = {
    "concord.inference.means.clustered_mean": Statistic(
        lambda data, effect: clustered_mean(data.normal() + effect, data.clusters, null=0.0),
        same, 0.3, 0.0,
    ),
    "concord.inference.means.clustered_share": Statistic(
        lambda data, effect: clustered_share(data.hits(effect), data.clusters), same, SHARE
    ),
    "concord.inference.means.sign_flips": Statistic(
        lambda data, effect: sign_flips(signed(data, effect), data.clusters, draws=999),
        same, 0.1, 0.0,
    ),
    "concord.inference.resampling.resampled_estimate": Statistic(
        partial(correlation, "pearson"), same, 0.3, 0.0
    ),
    "concord.meta.inference.bootstrap.bootstrap_steps": Statistic(
        partial(correlation, "kendall_b"), kendall_of, 0.5, 0.0, repeats=0.5
    ),
    "concord.meta.inference.figures.compare_pairs": Statistic(paired, same, 0.2, 0.0),
    "concord.meta.inference.swaps.perm_both_steps": Statistic(swapped, None, 0.2, 0.0),
    "concord.meta.correlation.pearson": Statistic(
        partial(figure, pearson, is_weighted=True), same, 0.3, 0.0
    ),
    "concord.meta.correlation.spearman": Statistic(
        partial(figure, spearman), spearman_of, 0.3, 0.0
    ),
    "concord.meta.correlation.kendall": Statistic(partial(figure, kendall), kendall_of, 0.3, 0.0),
    "concord.meta.inference.correlations.left_out_steps": Statistic(
        jackknifed_difference, same, 0.2, 0.0
    ),
    "concord.meta.pairs.pair_accuracy": Statistic(right_pairs, same, SHARE),
    "concord.meta.inference.minimal_pairs.mcnemar": Statistic(right_of_two, None, 0.1, 0.0),
    "concord.meta.correctness.curves.auc": Statistic(area, area_of, 1.0),
    **AGREEMENT,
}  # fmt: skip
