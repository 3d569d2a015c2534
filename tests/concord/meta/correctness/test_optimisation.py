"""Rerankers fitted to a metric, judged by people: does the metric survive being optimised?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from concord.inference import Estimate
from concord.meta import correctness
from concord.meta.correctness.optimisation import RIDGE, predictions, questions, top_picks
from concord.meta.inference import ScoredSample


def drawn(seed: int, instances: int = 600, each: int = 6) -> dict[str, np.ndarray]:
    """Candidates of some quality, some length, and an honest, noisy measure of quality."""
    rng = np.random.default_rng(seed)
    n = instances * each
    quality, length = rng.normal(size=n), rng.normal(size=n)
    return {
        "items": np.repeat(np.arange(instances), each),
        "gold": (quality > 0.5).astype(float),
        "quality": quality,
        "length": length,
        "hint": quality + rng.normal(size=n),
        "noise": rng.normal(size=n),
    }


def sample_of(scores: list[np.ndarray], gold: np.ndarray, items: np.ndarray) -> ScoredSample:
    named = {str(m): values for m, values in enumerate(scores)}
    return ScoredSample.from_scores(named, gold, items=items)


def survival(
    data: dict[str, np.ndarray], scores: list[np.ndarray], draws: int = 300
) -> correctness.OptimisationResult:
    items, right = data["items"], data["gold"] >= 0.5
    tuning = items % 2 == 0
    division = correctness.Division(tuning, ~tuning)
    thresholds = [Estimate(correctness.tune_by_f1(one[tuning], right[tuning])) for one in scores]
    return correctness.optimisation_test(
        sample_of(scores, data["gold"], items), right,
        np.stack([data["length"], data["hint"]]), division, thresholds,
        rng=np.random.default_rng(1), draws=draws,
    )  # fmt: skip


def test_people_themselves_survive_and_a_metric_fooled_by_length_does_not() -> None:
    data = drawn(1)
    fooled = data["quality"] + 2 * data["length"] + 0.5 * data["noise"]
    (people,) = survival(data, [data["gold"]]).metrics
    assert people.added.value == 0 and people.fitted.gap.value == 0 and people.own.gap.value == 0
    (long,) = survival(data, [fooled]).metrics
    assert long.added.ci is not None and long.added.ci[0] > 0.1
    assert long.fitted.metric.value > long.random.metric.value + 0.2  # type: ignore[operator]
    # What a reranker of the same features reaches with people's labels instead.
    assert long.labels.value > long.fitted.people.value + 0.1  # type: ignore[operator]


def test_an_honest_metric_is_not_called_fooled() -> None:
    """Noise that no feature knows cannot be exploited by a fitted reranker; it can by the metric's
    own picks, whose highest score is the luckiest."""
    data = drawn(2)
    noisy = data["quality"] + 1.5 * data["noise"]
    (result,) = survival(data, [noisy]).metrics
    assert result.fitted.people.value > result.random.people.value + 0.1  # type: ignore[operator]
    long = data["quality"] + 2 * data["length"] + 0.5 * data["noise"]
    (fooled,) = survival(data, [long]).metrics
    assert result.added.value < fooled.added.value / 2  # type: ignore[operator]
    assert result.own.gap.value > result.fitted.gap.value  # type: ignore[operator]


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_figures_are_those_of_a_plain_loop(seed: int, each: int) -> None:
    data = drawn(seed, instances=12, each=each)
    data["gold"] = np.random.default_rng(seed).integers(0, 2, 12 * each).astype(float)
    data["gold"][:2] = (0, 1)
    scores = [np.round(data["hint"]), data["noise"]]
    result = survival(data, scores, draws=20)
    assert (result.tuned, result.instances) == (6, 6)
    tuning, gold = data["items"] % 2 == 0, data["gold"]
    for k, own in enumerate(scores):
        threshold = correctness.tune_by_f1(own[tuning], gold[tuning] >= 0.5)
        seen = np.stack([data["length"], data["hint"], scores[1 - k]])
        fitted, labels = (by_sklearn(seen, target, data["items"], tuning) for target in (own, gold))
        means: dict[str, list[float]] = {}
        for item in range(1, 12, 2):
            at = np.flatnonzero(data["items"] == item)
            verdicts, right = (own[at] >= threshold).astype(float), gold[at]
            for name, values in (("own", own), ("fitted", fitted), ("labels", labels)):
                top = np.isclose(values[at], values[at].max(), rtol=0, atol=1e-8)
                means.setdefault(f"{name} metric", []).append(verdicts[top].mean())
                means.setdefault(f"{name} people", []).append(right[top].mean())
            means.setdefault("random gap", []).append(verdicts.mean() - right.mean())
            means.setdefault("best", []).append(right.max())
        mean = {name: np.mean(values) for name, values in means.items()}
        one = result.metrics[k]
        gap = mean["fitted metric"] - mean["fitted people"]
        assert one.own.metric.value == pytest.approx(mean["own metric"])
        assert one.own.people.value == pytest.approx(mean["own people"])
        assert one.fitted.gap.value == pytest.approx(gap, abs=1e-9)
        assert one.added.value == pytest.approx(gap - mean["random gap"], abs=1e-9)
        assert one.labels.value == pytest.approx(mean["labels people"])
        assert one.gold.value == pytest.approx(mean["fitted people"])
        assert result.best.value == pytest.approx(mean["best"])


def by_sklearn(
    features: np.ndarray, target: np.ndarray, items: np.ndarray, tuning: np.ndarray
) -> np.ndarray:
    """scikit-learn's ridge on what is centred within items and scaled."""

    def centred(values: np.ndarray) -> np.ndarray:
        result = values.astype(float).copy()
        for item in np.unique(items):
            result[items == item] -= result[items == item].mean()
        return result

    x = np.stack([centred(row) for row in features])
    y = centred(target)
    x = x / np.where(x[:, tuning].std(axis=1) > 0, x[:, tuning].std(axis=1), 1)[:, None]
    ridge = Ridge(alpha=RIDGE * tuning.sum(), fit_intercept=False)
    ridge.fit(x[:, tuning].T, y[tuning] / (y[tuning].std() or 1))
    return ridge.predict(x.T)


def test_what_is_reported_fits_no_reranker() -> None:
    """Other labels and scores in the reported part leave the predictions of the rest alone."""
    data = drawn(3, instances=40)
    tuning = data["items"] % 2 == 0
    features, groups = np.stack([data["length"], data["hint"]]), questions(data["items"], tuning)
    target = data["gold"][None]
    changed = np.where(tuning, target, 1 - target)
    assert np.array_equal(
        predictions(features, target, groups), predictions(features, changed, groups)
    )


def test_constant_features_and_targets_have_no_weight() -> None:
    items = np.repeat(np.arange(3), 2)
    groups = questions(items, np.ones(6, bool))
    features = np.stack([np.ones(6), np.array([0.0, 1] * 3)])
    result = predictions(features, np.stack([np.zeros(6), np.array([0.0, 1] * 3)]), groups)
    assert np.all(result[0] == 0)
    assert top_picks(result[0], groups).tolist() == [0.5] * 6
    assert top_picks(result[1], groups).tolist() == [0, 1] * 3


def test_a_metric_that_calls_everything_correct_adds_what_people_lose() -> None:
    """Its estimate stays 1; every passage has the same gap, so there is no interval."""
    items = np.repeat(np.arange(20), 3)
    gold = np.tile([1.0, 1.0, 0.0], 20)
    tuning = items < 10
    result = correctness.optimisation_test(
        sample_of([gold + 1], gold, items), gold > 0, gold[None],
        correctness.Division(tuning, ~tuning), [Estimate(-np.inf)],
        rng=np.random.default_rng(1), draws=50,
    )  # fmt: skip
    (one,) = result.metrics
    assert one.random.metric.value == one.fitted.metric.value == 1.0
    assert one.added.value == pytest.approx(-1 / 3) and one.added.ci is None


def test_what_cannot_be_had_says_why() -> None:
    data = drawn(4, instances=10, each=2)
    items, right = data["items"], data["gold"] >= 0.5
    features, sample = data["length"][None], sample_of([data["hint"]], data["gold"], items)
    every = np.ones(20, bool)
    rng = np.random.default_rng(1)
    first = items == 0
    alone = np.arange(20) == 0
    for tuning, which in ((alone, "tuning"), (~alone & first, "tuning")):
        result = correctness.optimisation_test(
            sample, right, features,
            correctness.Division(tuning, every & ~first), [Estimate(0.5)], rng=rng,
        )  # fmt: skip
        assert f"no question of the {which} part" in result.metrics[0].added.reason
    result = correctness.optimisation_test(
        sample, right, features,
        correctness.Division(~first, alone), [Estimate(0.5)], rng=rng,
    )  # fmt: skip
    assert "no question of the reported part" in result.chance.reason
    result = correctness.optimisation_test(
        sample, right, features,
        correctness.Division(~first, first),
        [Estimate(None, reason="people found no answer correct")],
        rng=rng,
    )  # fmt: skip
    (one,) = result.metrics
    assert one.added.reason == one.fitted.metric.reason == "people found no answer correct"
    assert one.fitted.people.value is not None and one.labels.value is not None


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of what optimising adds, with weights and threshold fixed by a large tuning part."""
    large = drawn(5, instances=1000)
    right = large["gold"] >= 0.5
    scores = large["quality"] + large["length"] + large["noise"]
    threshold = correctness.tune_by_f1(scores, right)
    covered, rounds, truth = 0, 120, None
    rng = np.random.default_rng(6)
    for turn in range(rounds + 1):
        data = drawn(100 + turn, instances=20_000 if turn == 0 else 60)
        joined = {name: np.concatenate([large[name], data[name]]) for name in large}
        joined["items"][len(right) :] += 1000
        tuning = joined["items"] < 1000
        metric = joined["quality"] + joined["length"] + joined["noise"]
        result = correctness.optimisation_test(
            sample_of([metric], joined["gold"], joined["items"]), joined["gold"] >= 0.5,
            np.stack([joined["length"], joined["hint"]]),
            correctness.Division(tuning, ~tuning), [Estimate(threshold)], rng=rng,
            draws=1 if turn == 0 else 200,
        )  # fmt: skip
        added = result.metrics[0].added
        if turn == 0:
            truth = added.value
            continue
        assert added.ci is not None and truth is not None
        covered += added.ci[0] <= truth <= added.ci[1]
    # Three standard errors of a share of 0.95 over 120 rounds are 0.06.
    assert covered / rounds >= 0.88, covered
