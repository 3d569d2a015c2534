"""acc*_eq against mt-metrics-eval, against a search over all thresholds, and on held-out data."""

from __future__ import annotations

import numpy as np
import pytest

from concord.meta.inference import SampleError, ScoredSample, tie_calibrated_accuracy
from concord.meta.inference import tie_calibration as module
from concord.meta.inference.tie_calibration import candidate_pairs
from tests.concord.meta.inference.made_up import GOLDEN, all_pairs, gappy_sample, golden_sample


@pytest.mark.parametrize("grouping", ["none", "item"])
def test_accuracy_and_epsilon_are_those_of_mt_metrics_eval(grouping):
    sample = golden_sample()
    for name, row in zip(sample.metrics, tie_calibrated_accuracy(sample, grouping), strict=True):
        expected = GOLDEN["tie_calibration"][name][grouping]
        assert row.figure.value == pytest.approx(expected["acc_eq"], abs=1e-9)
        assert row.epsilon == pytest.approx(expected["epsilon"], abs=1e-9)
        assert row.in_sample


@pytest.mark.parametrize("grouping", ["none", "item", "sys"])
def test_without_ties_of_the_metric_accuracy_at_zero_is_acc23(grouping):
    sample = golden_sample()
    pairs = candidate_pairs(sample, grouping)
    for m, name in enumerate(sample.metrics):
        expected = GOLDEN["correlations"][name][grouping]["acc23"]
        assert pairs.accuracy(sample.scores[m], 0.0) == pytest.approx(expected, abs=1e-9)


def plain_accuracy(sample, m, epsilon) -> float:
    """The mean over items of the share of pairs that agree."""
    shares = []
    for item in np.unique(sample.items):
        rows = np.flatnonzero(sample.items == item)
        right = []
        for i, j in all_pairs(len(rows)):
            gap = sample.scores[m][rows[i]] - sample.scores[m][rows[j]]
            sign = 0 if abs(gap) <= epsilon else np.sign(gap)
            right.append(sign == np.sign(sample.gold[rows[i]] - sample.gold[rows[j]]))
        if right:
            shares.append(np.mean(right))
    return float(np.mean(shares))


def test_with_missing_entries_the_best_of_all_thresholds_is_found():
    sample = gappy_sample(1)
    for m, row in enumerate(tie_calibrated_accuracy(sample)):
        scores = sample.scores[m]
        thresholds = np.unique(np.append(np.abs(scores[:, None] - scores).ravel(), 0.0))
        accuracies = [plain_accuracy(sample, m, epsilon) for epsilon in thresholds]
        assert row.figure.value == pytest.approx(max(accuracies), abs=1e-9)
        assert plain_accuracy(sample, m, row.epsilon) == pytest.approx(row.figure.value, abs=1e-9)


def test_epsilon_tuned_on_one_split_is_evaluated_on_another():
    sample = gappy_sample(2, items=60)
    dev = sample.items < 30
    tuned = tie_calibrated_accuracy(sample.select_candidates(dev))
    result = tie_calibrated_accuracy(
        sample.select_candidates(~dev), tuned_on=sample.select_candidates(dev)
    )
    best = tie_calibrated_accuracy(sample.select_candidates(~dev))
    for m, row in enumerate(result):
        assert not row.in_sample
        assert row.epsilon == tuned[m].epsilon
        expected = plain_accuracy(sample.select_candidates(~dev), m, row.epsilon)
        assert row.figure.value == pytest.approx(expected, abs=1e-9)
        assert row.figure.value <= best[m].figure.value + 1e-12


def test_an_opinionless_metric_is_undefined_and_what_it_would_reach_is_told():
    base = gappy_sample()
    sample = ScoredSample.from_scores(
        {"good": base.scores[0], "same": np.zeros(base.n)}, base.gold, items=base.items
    )
    good, same = tie_calibrated_accuracy(sample)
    assert same.figure.value is None and "the same score, 0" in same.figure.reason
    pairs = candidate_pairs(sample)
    assert good.tied == pytest.approx(pairs.accuracy(np.zeros(sample.n), 0.0))


def test_too_many_pairs_are_sampled_with_a_generator_only(monkeypatch):
    sample = golden_sample()
    whole = tie_calibrated_accuracy(sample, "none")
    monkeypatch.setattr(module, "MAX_PAIRS", 40_000)
    with pytest.raises(SampleError, match="pass a generator"):
        tie_calibrated_accuracy(sample, "none")
    result = tie_calibrated_accuracy(sample, "none", rng=np.random.default_rng(0))
    for some, every in zip(result, whole, strict=True):
        assert some.pairs == 40_000
        assert some.figure.value == pytest.approx(every.figure.value, abs=0.012)


def test_no_two_candidates_make_no_figure():
    sample = ScoredSample.from_scores({"m": np.arange(3.0)}, np.arange(3.0), items=np.arange(3))
    row = tie_calibrated_accuracy(sample)[0]
    assert row.figure.reason == "no two candidates can be compared"
