"""System-wise evaluation: people's P@1, MAP and MRR of systems, and metrics' estimates of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy

from concord.arrays import Booleans, Floats, Integers
from concord.inference import Estimate
from concord.meta.correctness.retrieval import MEASURES, Measure, RankedLists
from concord.meta.inference import ScoredSample

EstimateBy = Literal["threshold", "probability"]
ESTIMATES: tuple[EstimateBy, ...] = get_args(EstimateBy)
MIN_SYSTEMS = 2


@dataclass(frozen=True, slots=True)
class SystemErrors:
    """Errors of a metric's estimates of systems.

    rmse: root mean square over systems of estimate - people's value, 0 is best. sigma: population
    standard deviation of the absolute errors. kendall: tau-b of the two rankings, with its p.
    """

    rmse: Estimate
    kendall: Estimate
    sigma: float | None = None


def system_errors(estimated: Floats, people: Floats) -> SystemErrors:
    """Errors of estimates, compared with people's values; both (S,), NaN where a system has none.

    AVA (section 6.2) prints RMSE ± sigma and does not say what sigma is; the standard deviation of
    the absolute errors, divided by S, gives Table 5's from Table 7's TREC-QA systems (0.041 ±
    0.029, 0.020 ± 0.012). tau-b is scipy's kendalltau, as there, exact for small numbers of
    systems. Undefined for fewer than two systems, tau for fewer than three.
    """
    if estimated.shape != people.shape or estimated.ndim != 1:
        raise ValueError(f"estimated {estimated.shape} and people {people.shape} must match")
    has_both = np.isfinite(estimated) & np.isfinite(people)
    count = int(np.count_nonzero(has_both))
    if count < MIN_SYSTEMS:
        reason = f"too few judged systems: {count} ({MIN_SYSTEMS} are needed)"
        undefined = Estimate(None, reason=reason)
        return SystemErrors(rmse=undefined, kendall=undefined)
    a, h = estimated[has_both], people[has_both]
    errors = np.abs(a - h)
    return SystemErrors(
        rmse=Estimate(float(np.sqrt(np.mean(errors**2)))),
        kendall=_ranking(a, h),
        sigma=float(errors.std()),
    )


def _ranking(a: Floats, h: Floats) -> Estimate:
    """tau-b of few systems, without an interval."""
    if len(a) < 3:
        return Estimate(None, reason=f"too few systems to rank: {len(a)} (3 are needed)")
    if np.ptp(a) == 0:
        return Estimate(None, reason="the metric finds all systems equal")
    if np.ptp(h) == 0:
        return Estimate(None, reason="people find all systems equal")
    tau = scipy.stats.kendalltau(a, h)
    return Estimate(float(tau.statistic), p=float(tau.pvalue), n=len(a))


@dataclass(frozen=True)
class Estimates:
    """A metric's estimates of systems. values: (S,), by measure; empty with a `reason` where the
    metric has none. errors: of these values, by measure."""

    values: dict[Measure, Floats]
    errors: dict[Measure, SystemErrors]
    reason: str = ""


@dataclass(frozen=True)
class SystemWise:
    """People's values of S systems and metrics' estimates of them.

    lists: (S,), number of questions that each system answers. measures: only P@1 where every system
    has one answer for each question. people: (S,), by measure. metrics: in the sample's order.
    """

    systems: tuple[str, ...]
    lists: Integers
    measures: tuple[Measure, ...]
    people: dict[Measure, Floats]
    metrics: list[Estimates]


def system_wise(
    sample: ScoredSample,
    correct: Booleans,
    thresholds: Sequence[Estimate],
    estimate: EstimateBy = "threshold",
    *,
    mixed: bool = False,
) -> SystemWise:
    """Compare metrics' estimates of systems with people's values on the reported part.

    sample: of the reported part. correct: people's verdicts, (n,). thresholds: tuned on other
    answers (`tune_thresholds`). estimate: "threshold" counts an answer as correct where its
    oriented score is at or above the threshold; "probability" uses the score as the probability
    that the answer is correct, and is undefined for a metric with scores outside of [0, 1]. mixed:
    keep only questions with both correct and wrong candidates (`of_mixed_items`); thresholds must
    then be tuned on such questions too.
    """
    lists = RankedLists.from_candidates(sample.items, sample.systems, correct if mixed else None)
    measures: tuple[Measure, ...] = ("p1",) if lists.single else MEASURES
    verdicts = correct.astype(np.float64)
    people = {measure: lists.by_system(measure, verdicts) for measure in measures}
    estimates = []
    for m, threshold in enumerate(thresholds):
        if reason := _no_estimate(sample, m, threshold, estimate):
            undefined = Estimate(None, reason=reason)
            errors = SystemErrors(rmse=undefined, kendall=undefined)
            estimates.append(Estimates({}, dict.fromkeys(measures, errors), reason))
            continue
        relevance = sample.scores[m]
        if estimate == "threshold":
            relevance = np.asarray(relevance >= threshold.value, dtype=np.float64)
        values = {measure: lists.by_system(measure, relevance) for measure in measures}
        estimates.append(
            Estimates(values, {one: system_errors(values[one], people[one]) for one in measures})
        )
    n_lists = np.bincount(lists.systems, minlength=len(sample.system_names))
    return SystemWise(
        systems=sample.system_names,
        lists=n_lists,
        measures=measures,
        people=people,
        metrics=estimates,
    )


def _no_estimate(sample: ScoredSample, m: int, threshold: Estimate, estimate: EstimateBy) -> str:
    """Why the metric gives no estimates of systems; empty where it does."""
    if sample.missing[m]:
        return sample.undefined_reason(m)
    if estimate == "threshold":
        return threshold.reason
    if sample.scores[m].min() < 0 or sample.scores[m].max() > 1:
        return "its scores are not probabilities: some are outside 0 to 1"
    return ""
