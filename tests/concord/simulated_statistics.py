"""Every public test and interval of the library on data whose truth is known, by its name."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import scipy

from concord.arrays import Booleans
from concord.inference import (
    Estimate,
    clustered_mean,
    clustered_share,
    estimates_of_sums,
    jackknifed_estimate,
    moment_sums,
    pearson_of_sums,
    resampled_sums,
    sign_flips,
    sums_by_cluster,
)
from concord.meta import inference, kendall, pair_accuracy, pearson, spearman
from concord.meta.board import Formula
from concord.meta.comparing import ComparisonOptions, compare_steps
from concord.meta.correctness import auc, optimisation_test, point_wise, rerank, system_errors
from concord.meta.correctness.division import Division
from concord.meta.inference import Coefficient, Resample, ScoredSample, run_steps
from concord.meta.inference.correlations import left_out_steps
from concord.meta.judged_pairs import JudgedPairs, choice_accuracy
from concord.meta.sentinels import differences_from_sentinels
from tests.concord.simulated_agreement import AGREEMENT
from tests.concord.simulated_inference import Codes, Data, Statistic, same
from tests.concord.simulated_judges import JUDGES
from tests.concord.simulated_systems import SYSTEMS

DRAWS = 400
SHARE = 0.8


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


def resampled_mean(data: Data, effect: float) -> Estimate:
    sums = sums_by_cluster(np.stack([data.normal() + effect, np.ones(data.n)]), data.clusters)
    resampled = resampled_sums(sums[:, None], data.rng, DRAWS)
    return estimates_of_sums(lambda of: of[0] / of[1], sums[:, None], resampled, null=0.0)[0]


def jackknifed(data: Data, effect: float) -> Estimate:
    sums = moment_sums(data.correlated(effect)[None], data.gold, data.clusters)[:, 0]
    return jackknifed_estimate(pearson_of_sums, sums, "correlation", null=0.0)


def family(data: Data, effect: float) -> Estimate:
    """Of four metrics; p is the least of all pairs, which are adjusted for their number."""
    options = ComparisonOptions(draws=DRAWS)
    result = run_steps(compare_steps(sample(data, 0.6, 0.6, 0.6, 0.6 - effect), options))
    rows = result["metrics"]
    p = [one for row in result["tests"]["holm"] for one in row if one is not None]
    return Estimate((rows[0]["value"] or 0.0) - (rows[3]["value"] or 0.0), p=min(p))


def from_sentinels(data: Data, effect: float) -> Estimate:
    """Of a metric from the better of two sentinels, 0.4 and 0.2."""
    steps = inference.bootstrap_steps(
        sample(data, 0.4 + effect, 0.4, 0.2), "pearson", rng=data.rng, draws=DRAWS
    )
    return differences_from_sentinels(run_steps(steps), ["m1", "m2"])["m0"]


def by_williams(data: Data, effect: float) -> Estimate:
    result = inference.williams(sample(data.independent, 0.6, 0.6 - effect))
    return Estimate(float(result.delta[0, 1]), p=float(result.p[0, 1]))


def f1(data: Data, effect: float) -> Estimate:
    """Verdicts of people and of a metric are above 0; their scores correlate by the effect."""
    every = np.ones(data.n, dtype=bool)
    (row,) = point_wise(
        sample(data, effect), data.gold > 0, Division(~every, every), [Estimate(0.0)],
        rng=data.rng, draws=DRAWS,
    )  # fmt: skip
    return row.figures["f1"]


def candidates(data: Data, effect: float = 0.0) -> tuple[ScoredSample, Booleans, Codes]:
    """(three candidates to each question, whether people find them correct, clusters); half of the
    variance is between questions."""
    questions = np.repeat(np.arange(data.n), 3)
    shared, own = data.normal()[questions], data.rng.normal(size=3 * data.n)
    gold = (shared + own) / 2**0.5
    score = 0.7 * gold + 0.51**0.5 * data.rng.normal(size=3 * data.n) + effect
    clusters = data.clusters[questions]
    one = ScoredSample.from_scores({"m": score}, gold, items=questions, clusters=clusters)
    return one, gold > 0, clusters


def reranked(data: Data, effect: float) -> Estimate:
    """The mean gold score of what a metric ranks first, which correlates by 0.7 with people."""
    one, _, clusters = candidates(data)
    return (
        rerank(one.scores, one.gold, one.items, clusters, rng=data.rng, draws=DRAWS)
        .metrics[0]
        .picked
    )


def overestimated(data: Data, effect: float) -> Estimate:
    """By a metric that calls too many answers correct; a fifth of the passages tunes."""
    one, correct, clusters = candidates(data, effect)
    tuning = clusters % 5 == 0
    return optimisation_test(
        one, correct, data.rng.normal(size=(2, one.n)), Division(tuning, ~tuning), [Estimate(0.0)],
        rng=data.rng, draws=DRAWS,
    ).metrics[0].random.gap  # fmt: skip


def choices(data: Data, effect: float) -> Estimate:
    n = data.n
    pairs = JudgedPairs(np.arange(n), np.arange(n, 2 * n), np.ones(n), data.clusters)
    return choice_accuracy(pairs, np.concatenate([data.hits(effect), np.full(n, 0.5)])).accuracy


def of_systems(resample: Resample, data: Data, effect: float) -> Estimate:
    """The correlation of twelve systems' means; systems are drawn where they are resampled."""
    # Without a correlation, and with one variance.
    places = 3**0.5 * np.linspace(-1, 1, 12) * (11 / 13) ** 0.5, np.resize([1, -1, -1, 1], 12)
    means = np.array(places) if resample == "instances" else data.rng.normal(size=(2, 12))
    means /= 2
    gold, scores = means[0], effect * means[0] + (1 - effect**2) ** 0.5 * means[1]
    gold, scores = (np.add.outer(data.normal(), one) for one in (gold, scores))
    systems = np.tile(np.arange(12), data.n)
    one = ScoredSample.from_scores(
        {"m": (scores + data.normal(12)).ravel()}, (gold + data.normal(12)).ravel(),
        items=np.repeat(np.arange(data.n), 12), clusters=np.repeat(data.clusters, 12),
        systems=systems,
    )  # fmt: skip
    steps = inference.system_bootstrap_steps(one, "pearson", resample, rng=data.rng, draws=DRAWS)
    return run_steps(steps).figure(0)


def errors_of_systems(data: Data, effect: float) -> Estimate:
    """Kendall's tau-b of as many systems as there are clusters."""
    people, own = data.rng.normal(size=(2, int(data.clusters.max()) + 1))
    return system_errors(effect * people + (1 - effect**2) ** 0.5 * own, people).kendall


STATISTICS: dict[str, Statistic] = {
    "inference.clustered_mean": Statistic(
        lambda data, effect: clustered_mean(data.normal() + effect, data.clusters, null=0.0),
        same, 0.3, 0.0, repeats=3.0),
    "inference.clustered_share": Statistic(
        lambda data, effect: clustered_share(data.hits(effect), data.clusters),
        same, SHARE, repeats=3.0,
    ),
    "inference.sign_flips": Statistic(
        lambda data, effect: sign_flips(data.signed(effect), data.clusters, draws=999),
        same, 0.1, 0.0,
    ),
    "inference.resampled_estimate": Statistic(
        partial(correlation, "pearson"), same, 0.3, 0.0
    ),
    "meta.bootstrap_steps": Statistic(
        partial(correlation, "kendall_b"), kendall_of, 0.5, 0.0, repeats=0.5
    ),
    "meta.compare_pairs": Statistic(paired, same, 0.2, 0.0),
    "meta.perm_both_steps": Statistic(swapped, None, 0.2, 0.0),
    "meta.pearson": Statistic(
        partial(figure, pearson, is_weighted=True), same, 0.3, 0.0, repeats=3.0),
    "meta.spearman": Statistic(
        partial(figure, spearman), spearman_of, 0.3, 0.0, repeats=3.0),
    "meta.kendall": Statistic(partial(figure, kendall), kendall_of, 0.3, 0.0, repeats=3.0),
    "meta.left_out_steps": Statistic(
        jackknifed_difference, same, 0.2, 0.0, repeats=3.0),
    "meta.pair_accuracy": Statistic(right_pairs, same, SHARE, repeats=3.0),
    "meta.mcnemar": Statistic(right_of_two, None, 0.1, 0.0),
    "meta.auc": Statistic(area, area_of, 1.0),
    "inference.estimates_of_sums": Statistic(resampled_mean, same, 0.3, 0.0),
    "inference.jackknifed_estimate": Statistic(jackknifed, same, 0.3, 0.0, repeats=3.0),
    "meta.compare_steps": Statistic(family, None, 0.3, 0.0, repeats=0.25),
    "meta.differences_from_sentinels": Statistic(from_sentinels, same, 0.2, 0.0),
    "meta.williams": Statistic(by_williams, None, 0.2, 0.0, repeats=3.0),
    "meta.point_wise": Statistic(f1, lambda r: 0.5 + math.asin(r) / math.pi, 0.7),
    "meta.rerank": Statistic(reranked, lambda _: 0.341, 0.0),
    "meta.optimisation_test": Statistic(
        overestimated, lambda effect: float(scipy.special.ndtr(effect)) - 0.5, 0.3
    ),
    "meta.choice_accuracy": Statistic(choices, same, SHARE, repeats=3.0),
    "meta.system_bootstrap_steps (instances)": Statistic(
        partial(of_systems, "instances"), same, 0.6, repeats=0.5
    ),
    "meta.system_bootstrap_steps (both)": Statistic(
        partial(of_systems, "both"), same, 0.6, 0.0, repeats=0.5
    ),
    "meta.system_errors": Statistic(errors_of_systems, None, 0.5, 0.0, repeats=3.0),
    **AGREEMENT,
    **JUDGES,
    **SYSTEMS,
}  # fmt: skip
