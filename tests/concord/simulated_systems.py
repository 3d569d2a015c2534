"""Systems by ratings and by choices on data whose truth is known, for `simulated_statistics`."""

from __future__ import annotations

import numpy as np
import scipy

from concord.estimation import EstimationSample, SystemEstimate, differences, estimate_systems
from concord.formats.preferences import Preference
from concord.inference import Estimate
from concord.preferences import Ranking, rank_systems, side_bias
from concord.preferences.best_worst import BestWorst, system_scores
from tests.concord.simulated_inference import Data, Statistic, same

PAIRS = (("a", "b"), ("a", "c"), ("b", "c"))


def estimated(data: Data) -> Estimate:
    """The mean of a set, half of whose passages are rated, less its truth."""
    full = data.twice
    outcomes = full.gold
    rated = np.where(full.clusters <= data.clusters.max(), outcomes, np.nan)
    (row,) = estimate_systems(
        EstimationSample(rated, full.correlated(0.7)[:, None], np.zeros(full.n, dtype=np.int64),
                         full.clusters, ("a",), ("m",))
    )  # fmt: skip
    truth = float(outcomes.mean())
    return _estimate(row).transformed(lambda value: value - truth)


def difference(data: Data, effect: float) -> Estimate:
    """Of two systems on new passages."""
    full = data.twice
    shared = full.normal()
    outcomes = np.concatenate([shared + full.normal() + gap for gap in (effect, 0.0)])
    scores = outcomes + full.rng.normal(size=2 * full.n)
    clusters = np.tile(full.clusters, 2)
    rated = np.where(clusters <= data.clusters.max(), outcomes, np.nan)
    of_system = np.repeat([0, 1], full.n)
    sample = EstimationSample(rated, scores[:, None], of_system, clusters, ("a", "b"), ("m",))
    rows = estimate_systems(sample, target="new")
    (found,), _ = differences(rows)
    return Estimate(found.value, *found.ci, found.p)


def _estimate(row: SystemEstimate) -> Estimate:
    low, high = row.ci or (None, None)
    return Estimate(row.mean, low, high, reason=row.reason)


def ranking(data: Data, effect: float) -> Ranking:
    """Three systems; the first beats each of the others by the effect. Each question has one of the
    pairs, and three of five drawn raters, who differ in what they prefer."""
    kinds = np.arange(data.n) % 3
    values, items, raters = data.ratings(kinds)
    shares = np.array([0.5 + effect, 0.5 + effect, 0.5])[kinds[items]]
    return rank_systems(
        [
            Preference(f"q{data.clusters[item]}", f"p{item}", *PAIRS[kinds[item]],
                       "first" if hit else "second", f"w{rater}")
            for item, hit, rater in zip(
                items, values < scipy.special.ndtri(shares), raters, strict=True
            )
        ]
    )  # fmt: skip


def win_probability(data: Data, effect: float) -> Estimate:
    return next(row.estimate for row in ranking(data, effect).systems if row.system == "a")


def strength_difference(data: Data, effect: float) -> Estimate:
    found = ranking(data, effect)
    if not found.differences:
        return Estimate(None, reason=found.reason or found.no_interval)
    return Estimate(found.differences[0].log_odds, p=found.differences[0].p)


def side(data: Data, effect: float) -> Estimate:
    """Choices by thirty raters, each of one question."""
    rows = [
        Preference(f"q{group}", f"p{k}", "a", "b", "first" if hit else "second",
                   f"w{data.rng.integers(30)}", 1)
        for k, (group, hit) in enumerate(zip(data.clusters, data.hits(0.5 + effect), strict=True))
    ]  # fmt: skip
    found = side_bias(rows)
    assert found is not None
    return found


def best_worst(data: Data, effect: float) -> Estimate:
    """A set of three systems for each item, ordered by one of thirty raters."""
    utilities = data.normal(3) + np.array([effect, 0.0, 0.0])
    order = np.argsort(-utilities, axis=1)
    return system_scores(
        [
            BestWorst(f"q{group}", f"s{item}", f"w{data.rng.integers(30)}",
                      tuple(map(str, one)), tuple("abc"[k] for k in one), None)
            for item, (group, one) in enumerate(zip(data.clusters, order, strict=True))
        ]
    )["a"].score  # fmt: skip


SYSTEMS: dict[str, Statistic] = {
    "estimation.estimate_systems": Statistic(
        lambda data, _: estimated(data), lambda _: 0.0, 0.0, repeats=3.0
    ),
    "estimation.differences": Statistic(difference, same, 0.4, 0.0),
    "preferences.rank_systems": Statistic(
        win_probability, lambda effect: 0.5 + effect, 0.2, repeats=0.5
    ),
    "preferences.rank_systems (differences)": Statistic(
        strength_difference, None, 0.2, 0.0, repeats=0.5
    ),
    "preferences.side_bias": Statistic(side, lambda effect: 0.5 + effect, 0.1, 0.0, repeats=0.5),
    "preferences.system_scores": Statistic(best_worst, lambda _: 0.0, 0.0, repeats=0.5),
}
