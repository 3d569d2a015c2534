"""A judge's answers on data whose truth is known, for `simulated_statistics`."""

from __future__ import annotations

import numpy as np

from concord import judges
from concord.formats.both_orders import BothOrders
from concord.inference import Estimate
from concord.judges import AltTestOptions, HumanLabels
from concord.judges.agreement import kappa_intervals
from concord.judges.drift import Rejudged
from concord.reliability import Ratings
from tests.concord.simulated_agreement import ratings
from tests.concord.simulated_inference import Codes, Data, Floats, Statistic, same

DRAWS = 400


def quality(data: Data) -> tuple[Floats, Floats]:
    """(of answers, the ratings of four people), (n,) and (n, 4); half of a rating is noise."""
    of_answers = data.normal()
    return of_answers, of_answers[:, None] + data.rng.normal(size=(data.n, 4))


def self_preference(data: Data, effect: float) -> Estimate:
    """The judge's own family is better by half a standard deviation."""
    is_own = data.rng.random(data.n) < 0.4
    true, people = quality(data)
    better = true + 0.5 * is_own
    scores = better + effect * is_own + 0.7 * data.normal()
    people = people + 0.5 * is_own[:, None]
    return judges.probe_self_preference(scores, people, is_own, data.clusters).figure


def verbosity(data: Data, effect: float) -> Estimate:
    """Longer answers are better."""
    true, people = quality(data)
    length = 5 + 0.5 * true + 0.75**0.5 * data.normal()
    scores = true + effect * length + 0.7 * data.normal()
    return judges.probe_verbosity(scores, people, 2**length - 1, data.clusters).figure


def change(data: Data, effect: float) -> Estimate:
    before = data.normal()
    after = before + effect + 0.5 * data.normal()
    verdicts = "up", "down", "none"
    return judges.probe_change(
        before, after, data.clusters, name="change", meaning="", verdicts=verdicts
    ).figure


def stability(data: Data, effect: float) -> Estimate:
    """Half of the variance of three answers lies between items."""
    answers = data.normal()[:, None] + data.rng.normal(size=(data.n, 3))
    return judges.probe_stability(answers, data.clusters).figure


def order_effect(data: Data, effect: float) -> Estimate:
    """Three in ten pairs depend on the order."""
    answers = {0: (1, 1), 1: (1, 2), -1: (2, 1)}
    pairs = [
        BothOrders(1, *answers[int(one)], question=f"q{group}")
        for one, group in zip(data.signed(effect), data.clusters, strict=True)
    ]
    return judges.probe_orders(pairs).bias


def fall(data: Data, effect: float) -> Estimate:
    """One in ten answers of a judge, who was right in 70%, changes. Two looks are planned, so that
    both bounds together have 95%."""
    changes, right = data.signed(effect, 0.1), data.hits(0.7)
    base = np.where(changes > 0, 1.0, np.where(changes < 0, 0.0, right))
    report = judges.drift_report(
        {"judge": Rejudged(base, base - changes)}, np.ones(data.n), data.clusters,
        graded=False, looks=2, categories=("wrong", "right"),
    )  # fmt: skip
    row = report.judges["judge"].fall
    return Estimate(row.value, row.low, row.high, row.p, reason=row.reason)


def corrected(data: Data, effect: float) -> Estimate:
    """As many labelled answers as others; the judge is right in nine of ten."""
    correct, labelled = (data.independent.hits(effect) for _ in range(2))
    accepted, seen = (
        np.where(data.independent.hits(0.9), one, 1 - one) for one in (correct, labelled)
    )
    return judges.corrected_rate(
        judged_correct=float(accepted.sum()), judged=data.n,
        correct_accepted=float(seen[labelled == 1].sum()), correct=float(labelled.sum()),
        wrong_rejected=float((1 - seen)[labelled == 0].sum()), wrong=float((1 - labelled).sum()),
    )  # fmt: skip


def rates(data: Data, effect: float) -> tuple[judges.SystemRates, Floats, Codes]:
    """Two systems; half of the passages are labelled. The judge's rates differ by the effect."""
    full = data.twice
    systems = full.rng.integers(2, size=full.n)
    correct = full.hits(0.6)
    is_right = np.where(systems == 1, full.hits(0.9), full.hits(0.9 - effect))
    accepted = np.where(is_right > 0, correct, 1 - correct) > 0
    known = np.where(full.clusters < full.clusters.max() / 2, correct, np.nan)
    return (
        judges.system_rates(accepted, known, systems, full.clusters, ("a", "b")),
        correct,
        systems,
    )


def system_rate(data: Data, effect: float) -> Estimate:
    """Less the share of the set, which is what it estimates."""
    found, correct, systems = rates(data, 0.0)
    truth = float(correct[systems == 0].mean())
    return found.systems[0].corrected.transformed(lambda share: share - truth)


def rates_differ(data: Data, effect: float) -> Estimate:
    found, *_ = rates(data, effect)
    one, other = (row.tpr for row in found.systems)
    return Estimate(None if one is None or other is None else other - one, p=found.tpr_p)


def system_difference(data: Data, effect: float) -> Estimate:
    """Two systems answer each item; people find one much better."""
    shared, own = data.normal(), [data.normal() + gap for gap in (effect, 0.0)]
    scores = np.concatenate([shared + one for one in own])
    gold, systems = np.repeat([2.0, 0.0], data.n), np.repeat([0, 1], data.n)
    clusters = np.tile(data.clusters, 2)
    (row,) = judges.system_differences(scores, gold, systems, clusters, ("a", "b"))
    return Estimate(row.judge, p=row.judge_p)


def versions(data: Data, effect: float) -> Estimate:
    scores = data.correlated(0.6 - effect), data.correlated(0.6)
    unseen = np.zeros(data.n, dtype=bool)
    return judges.compare_versions(
        *scores, data.gold, data.clusters, seen=unseen, rng=data.rng, draws=DRAWS
    ).difference


def kappa(data: Data, effect: float) -> Estimate:
    """The judge is a fourth rater."""
    table = ratings(data, 4).matrix()
    people = HumanLabels.from_ratings(Ratings.from_matrix(table[:, :3], data.clusters))
    return kappa_intervals(people, table[:, 3], rng=data.rng, draws=200)[0]


def rater_tests(data: Data, effect: float) -> tuple[Estimate, Estimate]:
    """(the advantage, the test of one rater). The judge's noise is as large as that of each of the
    four raters, or smaller by the effect."""
    true, people = quality(data)
    judge = true + (1 - effect) * data.rng.normal(size=data.n)
    labels = HumanLabels.from_ratings(Ratings.from_matrix(people, data.clusters))
    options = AltTestOptions(epsilon=0.0, draws=DRAWS, by_cluster=True)
    found = judges.alternative_annotator_test(labels, judge, options)
    one = next(iter(found.raters.values()))
    if one.judge_wins is None or one.rater_wins is None:
        return found.advantage, Estimate(None, reason=one.reason or "")
    return found.advantage, Estimate(one.judge_wins - one.rater_wins, p=one.p)


JUDGES: dict[str, Statistic] = {
    "judges.probe_self_preference": Statistic(self_preference, same, 0.4, 0.0, repeats=3.0),
    "judges.probe_verbosity": Statistic(verbosity, same, 0.3, 0.0, repeats=3.0),
    "judges.probe_change": Statistic(change, same, 0.2, 0.0, repeats=3.0),
    "judges.probe_stability": Statistic(stability, lambda _: 0.5, 0.0, repeats=3.0),
    "judges.probe_orders": Statistic(order_effect, same, 0.1, 0.0),
    "judges.drift_report": Statistic(fall, same, 0.05, 0.0, repeats=3.0),
    "judges.corrected_rate": Statistic(corrected, same, 0.6, repeats=3.0),
    "judges.system_rates": Statistic(system_rate, lambda _: 0.0, 0.0),
    "judges.system_rates (equal rates)": Statistic(rates_differ, None, 0.3, 0.0),
    "judges.system_differences": Statistic(system_difference, None, 0.4, 0.0, repeats=3.0),
    "judges.compare_versions": Statistic(versions, same, 0.2, 0.0),
    "judges.kappa_intervals": Statistic(kappa, lambda _: 0.4245, 0.0, repeats=0.25),
    "judges.alternative_annotator_test": Statistic(
        lambda data, effect: rater_tests(data, effect)[0], lambda _: 0.5, 0.0
    ),
    "judges.alternative_annotator_test (one rater)": Statistic(
        lambda data, effect: rater_tests(data, effect)[1], None, 0.5, 0.0
    ),
}
