"""Corrected shares of correct answers by system: coverage, equality of rates, thresholds."""

from __future__ import annotations

import numpy as np
import pytest

from concord.judges.system_rates import (
    clustered_corrected_rate,
    equality_p,
    system_rates,
    verdicts_out_of_fold,
)


def simulate(rng, *, passages=120, answers=5, labelled=40, rates=((0.6, 0.9, 0.8),)):
    """(accepted, correct, systems, clusters, truth): correct answers and the judge's errors depend
    on each other within a passage. rates: (share correct, TPR, TNR) of each system."""
    accepted, correct, systems, clusters, truth = [], [], [], [], []
    for code, (share, tpr, tnr) in enumerate(rates):
        # Beta variables around the rates: answers to one passage are alike.
        def per_passage(mean):
            return np.repeat(rng.beta(4 * mean, 4 * (1 - mean), passages), answers)

        is_correct = rng.random(passages * answers) < per_passage(share)
        hit = rng.random(passages * answers) < np.where(
            is_correct, per_passage(tpr), per_passage(tnr)
        )
        accepted.append(hit == is_correct)
        correct.append(is_correct.astype(float))
        systems.append(np.full(passages * answers, code))
        clusters.append(np.repeat(np.arange(passages), answers))
        truth.append(is_correct.mean())
    labels = np.concatenate(correct)
    cluster = np.concatenate(clusters)
    labels[cluster >= labelled] = np.nan
    return np.concatenate(accepted), labels, np.concatenate(systems), cluster, np.array(truth)


def test_corrected_rates_cover_the_truth_of_dependent_answers():
    rng = np.random.default_rng(5)
    covered, biased, trials = 0, 0, 300
    for _ in range(trials):
        accepted, correct, systems, clusters, truth = simulate(rng)
        (row,) = system_rates(accepted, correct, systems, clusters, ("a",)).systems
        low, high = row.corrected.ci
        covered += low <= truth[0] <= high
        biased += row.raw < low or row.raw > high
    assert 0.93 <= covered / trials <= 0.97  # an interval for other sets covers 0.98
    assert biased / trials > 0.05  # the raw share is often outside


def test_each_system_has_its_own_rates():
    """A judge that is lenient with one system: its raw shares are in the wrong order."""
    rng = np.random.default_rng(6)
    rates = ((0.7, 0.75, 0.95), (0.55, 0.98, 0.6))
    accepted, correct, systems, clusters, truth = simulate(
        rng, passages=600, labelled=250, answers=3, rates=rates
    )
    result = system_rates(accepted, correct, systems, clusters, ("strict", "lenient"))
    strict, lenient = result.systems
    assert strict.raw < lenient.raw and truth[0] > truth[1]
    assert strict.corrected.value > lenient.corrected.value
    for row, share in zip(result.systems, truth, strict=True):
        for figure in (row.corrected, row.powered, row.plain):
            assert figure.ci[0] <= share <= figure.ci[1]
        assert row.labelled == 750 and row.unlabelled == 1050
    assert result.tpr_p < 0.001 and result.tnr_p < 0.001


def test_there_is_no_rate_where_the_judge_may_be_guessing():
    rng = np.random.default_rng(7)
    accepted, correct, systems, clusters, _ = simulate(rng, rates=((0.5, 0.55, 0.5),))
    (row,) = system_rates(accepted, correct, systems, clusters, ("a",)).systems
    assert row.corrected.value is None and "may not tell right from wrong" in row.corrected.reason


def test_a_judge_without_known_errors_has_no_powered_interval():
    """On 40 labelled passages it was never wrong; that does not make it perfect."""
    rng = np.random.default_rng(11)
    accepted, correct, systems, clusters, _ = simulate(rng, answers=1, rates=((0.5, 0.9, 0.9),))
    labelled = np.isfinite(correct)
    accepted[labelled] = correct[labelled] == 1
    (row,) = system_rates(accepted, correct, systems, clusters, ("a",)).systems
    assert row.powered.ci is None and "only 0 errors of the judge are known" in row.powered.reason
    assert row.corrected.ci[1] - row.corrected.ci[0] > 0.1


def test_a_system_without_unlabelled_answers_has_peoples_share():
    rng = np.random.default_rng(8)
    accepted, correct, systems, clusters, truth = simulate(rng, labelled=120)
    (row,) = system_rates(accepted, correct, systems, clusters, ("a",)).systems
    assert row.corrected == row.plain
    assert row.plain.value == pytest.approx(truth[0])
    with pytest.raises(ValueError, match="judged no answer"):
        clustered_corrected_rate(accepted, correct, clusters)


def test_the_test_of_equal_rates_has_its_size():
    rng = np.random.default_rng(9)
    rejected, trials = 0, 400
    for _ in range(trials):
        rates = np.repeat(rng.beta(4, 1, 80), 6)
        hits, systems = rng.random(480) < rates, np.tile(np.arange(3), 160)
        rejected += equality_p(hits, systems, np.repeat(np.arange(80), 6)) <= 0.05
    assert 0.02 <= rejected / trials <= 0.08
    assert equality_p(hits[:3], np.arange(3), np.arange(3)) is None
    assert equality_p(np.ones(480, bool), systems, np.repeat(np.arange(80), 6)) is None


def test_a_verdicts_threshold_is_of_other_passages():
    scores = np.repeat([0.0, 1.0, 2.0, 3.0], 10)
    clusters = np.arange(40)
    correct = np.where(scores >= 2, 1.0, 0.0)
    np.testing.assert_array_equal(
        verdicts_out_of_fold(scores, correct, clusters), correct.astype(bool)
    )
    # Random labels: verdicts of other passages' thresholds are right half of the time.
    rng = np.random.default_rng(10)
    noise, labels = rng.normal(size=4000), rng.integers(0, 2, 4000).astype(float)
    verdicts = verdicts_out_of_fold(noise, labels, np.arange(4000))
    assert abs((verdicts == labels).mean() - 0.5) < 0.03
    with pytest.raises(ValueError, match="one verdict only"):
        verdicts_out_of_fold(scores, np.ones(40), clusters)
