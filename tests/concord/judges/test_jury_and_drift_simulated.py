"""Coverage of a jury's gain, and false alarms and power of drift, where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from concord.judges.drift import Rejudged, drift_report
from concord.judges.jury import jury_report

pytestmark = pytest.mark.slow

SETS = 300
NIGHTS, YEARS = 365, 100
ITEMS = 4
"""In a passage."""


def within(share, expected, n, deviations=3.0):
    """Whether a share of n is near the expected one."""
    return abs(share - expected) < deviations * np.sqrt(expected * (1 - expected) / n)


def by_passage(rng, passages, spread=0.5, shape=()):
    """Standard normal values, (*shape, n), of which a part is shared within the passage."""
    own = rng.normal(size=(*shape, passages * ITEMS))
    shared = np.repeat(rng.normal(size=(*shape, passages)), ITEMS, axis=-1)
    return np.sqrt(spread) * shared + np.sqrt(1 - spread) * own


@pytest.mark.parametrize("passages", [30, 100])
@pytest.mark.parametrize("noise", [(1.0, 1.0, 1.0), (0.7, 1.0, 3.0)])
def test_the_interval_of_the_gain_holds_it(passages, noise):
    """Judges = gold + an error that all have + their own. r of a mean with the weights w is
    1 / sqrt(1 + shared^2 + sum of w^2 noise^2)."""
    rng, spreads, shared = np.random.default_rng(passages), np.array(noise), 0.5
    clusters = np.repeat(np.arange(passages), ITEMS)

    def r(weights):
        return 1 / np.sqrt(1 + shared**2 + np.sum((weights * spreads) ** 2))

    covered = {"mean": [], "weighted": []}
    for seed in range(SETS):
        gold, common, *own = by_passage(rng, passages, shape=(5,))
        judges = {
            f"j{k}": gold + shared * common + spread * error
            for k, (spread, error) in enumerate(zip(spreads, own, strict=True))
        }
        report = jury_report(judges, gold, clusters, graded=True, seed=seed, draws=300)
        chosen = np.array([row.chosen for row in report.judges]) / 2
        best = chosen @ [r(np.eye(3)[k]) for k in range(3)]
        halves = np.array([row.weights for row in report.judges]).T
        truth = {"mean": r(np.full(3, 1 / 3)), "weighted": np.mean([r(one) for one in halves])}
        for jury in report.juries:
            low, high = jury.gain.ci
            covered[jury["rule"]].append(low <= truth[jury["rule"]] - best <= high)
    shares = {rule: float(np.mean(values)) for rule, values in covered.items()}
    print(f"{passages} passages, noise {noise}: {shares}")
    # More than 95% where judges are nearly equal: which one is chosen varies then.
    assert all(share > 0.93 for share in shares.values()), shares


def test_the_interval_of_the_gain_of_a_vote_holds_it():
    """Answers are right with a probability that a passage shares, so that errors are dependent."""
    passages, clusters = 60, np.repeat(np.arange(60), ITEMS)
    right = np.array([[0.9, 0.6], [0.85, 0.6], [0.85, 0.5]])
    vote = np.mean([a * b + a * c + b * c - 2 * a * b * c for a, b, c in right.T])
    alone, rng, covered = right.mean(axis=1), np.random.default_rng(1), []
    for seed in range(SETS):
        hard = rng.integers(0, 2, passages)[clusters]
        gold = rng.integers(0, 2, passages * ITEMS).astype(float)
        hits = rng.random((3, len(gold))) < right[:, hard]
        answers = np.where(hits, gold, 1 - gold)
        judges = {f"j{k}": row for k, row in enumerate(answers)}
        report = jury_report(judges, gold, clusters, graded=False, seed=seed, draws=300)
        best = sum(row.chosen / 2 * alone[k] for k, row in enumerate(report.judges))
        low, high = report.juries[0].gain.ci
        covered.append(low <= vote - best <= high)
    print(f"majority: {np.mean(covered)}")
    assert np.mean(covered) > 0.93


def looks(rng, passages, right, nights, *, of_all):
    """Whether each night finds a fall, (nights,), for a judge that never changes: its answers to an
    item are right with the item's own probability, drawn anew every night."""
    clusters = np.repeat(np.arange(passages), ITEMS)
    gold = np.ones(passages * ITEMS)
    ability = np.clip(right + 0.2 * by_passage(rng, passages), 0, 1)
    base, *later = (rng.random((nights + 1, len(gold))) < ability).astype(float)
    judges = {str(night): Rejudged(base, one) for night, one in enumerate(later)}
    report = drift_report(
        judges, gold, clusters, graded=False, looks=of_all, categories=["no", "yes"]
    )
    return np.array([row.verdict == "agreement fell" for row in report.judges.values()])


def test_false_alarms_of_one_look_and_of_a_year_of_nights():
    rng = np.random.default_rng(2)
    one = np.mean([looks(rng, 50, 0.8, 1, of_all=1)[0] for _ in range(2000)])
    years = [looks(rng, 50, 0.8, NIGHTS, of_all=NIGHTS).any() for _ in range(YEARS)]
    uncorrected = [looks(rng, 50, 0.8, NIGHTS, of_all=1).any() for _ in range(30)]
    print(f"one look {one}, a year {np.mean(years)}, uncorrected {np.mean(uncorrected)}")
    assert within(one, 0.05, 2000)
    assert np.mean(years) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / YEARS)
    assert np.mean(uncorrected) > 0.3


@pytest.mark.parametrize("of_all", [1, NIGHTS])
def test_the_detectable_fall_is_seen_in_four_of_five_sets(of_all):
    rng, passages = np.random.default_rng(3), 100
    clusters, gold = np.repeat(np.arange(passages), ITEMS), np.zeros(passages * ITEMS)

    def row_of(drop):
        base = 9 + by_passage(rng, passages)
        now = base + drop + by_passage(rng, passages)
        judges = {"j": Rejudged(base, now)}
        report = drift_report(judges, gold, clusters, graded=True, looks=of_all)
        return report.judges["j"]

    detectable = np.mean([row_of(0).fall.detectable for _ in range(50)])
    seen = np.mean([row_of(detectable).verdict == "agreement fell" for _ in range(SETS)])
    print(f"{of_all} looks: a fall of {detectable:.3f} is seen in {seen:.3f}")
    assert within(seen, 0.8, SETS)


def test_a_replaced_judge_of_equal_quality_raises_no_alarm():
    """Its difference is the same every night: the evidence of the nights must not be added."""
    rng, passages, alarms = np.random.default_rng(4), 50, []
    clusters, gold = np.repeat(np.arange(passages), ITEMS), np.ones(passages * ITEMS)
    for _ in range(2000):
        base, now = (
            (0.3 * by_passage(rng, passages) + rng.normal(size=(2, len(gold)))) < 1
        ).astype(float)
        report = drift_report(
            {"j": Rejudged(base, now)}, gold, clusters, graded=False, looks=NIGHTS,
            categories=["no", "yes"],
        )  # fmt: skip
        alarms.append(report.judges.j.verdict == "agreement fell")
    print(f"replaced: {np.mean(alarms)}")
    assert np.mean(alarms) < 0.002
