"""System-wise evaluation: people's P@1, MAP and MRR of systems, and metrics' estimates of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.documents.correctness import EstimateBy as EstimateBy
from concord.inference import Estimate
from concord.meta.correctness.retrieval import MEASURES, Measure, RankedLists
from concord.meta.correctness.systems import SystemErrors, system_errors
from concord.meta.inference import ScoredSample

ESTIMATES: tuple[EstimateBy, ...] = ("threshold", "probability")


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
