"""System-wise evaluation: people's P@1, MAP and MRR of systems, and metrics' estimates of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from concord.meta.correctness.retrieval import MEASURES, Measure, RankedLists
from concord.meta.correctness.systems import SystemErrors, system_errors
from concord.meta.figures import Figure
from concord.meta.inference import Sample

Estimate = Literal["threshold", "probability"]
ESTIMATES: tuple[Estimate, ...] = ("threshold", "probability")


@dataclass(frozen=True)
class Estimates:
    """A metric's values by system, (S,), and their errors, by measure; empty with a reason."""

    values: dict[Measure, NDArray[np.float64]]
    errors: dict[Measure, SystemErrors]
    reason: str = ""


@dataclass(frozen=True)
class SystemWise:
    """systems: S names. lists: how many questions each answers, (S,). measures: P@1 alone where
    each gives one answer a question. people: by measure, (S,). metrics: as in the sample."""

    systems: tuple[str, ...]
    lists: NDArray[np.int64]
    measures: tuple[Measure, ...]
    people: dict[Measure, NDArray[np.float64]]
    metrics: list[Estimates]


def system_wise(
    sample: Sample,
    correct: NDArray[np.bool_],
    thresholds: list[float | str],
    estimate: Estimate = "threshold",
    *,
    mixed: bool = False,
) -> SystemWise:
    """Of the reported part's sample and people's verdicts, (n,), with thresholds tuned elsewhere.

    Estimate "threshold" counts an answer whose turned score reaches the threshold as correct;
    "probability" takes the score for the chance that it is, and is undefined for a metric whose
    scores leave [0, 1]. `mixed` keeps only questions with both correct and wrong candidates
    (`of_mixed_items`); thresholds must then be tuned on such questions too.
    """
    lists = RankedLists.from_candidates(sample.items, sample.systems, correct if mixed else None)
    measures: tuple[Measure, ...] = ("p1",) if lists.single else MEASURES
    verdicts = correct.astype(np.float64)
    people = {measure: lists.by_system(measure, verdicts) for measure in measures}
    estimates = []
    for m, threshold in enumerate(thresholds):
        relevance = _relevance(sample, m, threshold, estimate)
        if isinstance(relevance, str):
            undefined = Figure.undefined(relevance)
            errors = SystemErrors(undefined, sigma=None, kendall=undefined)
            estimates.append(Estimates({}, dict.fromkeys(measures, errors), relevance))
            continue
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


def _relevance(
    sample: Sample, m: int, threshold: float | str, estimate: Estimate
) -> NDArray[np.float64] | str:
    if sample.missing[m]:
        return sample.undefined_reason(m)
    scores: NDArray[np.float64] = sample.scores[m]
    if estimate == "threshold":
        if isinstance(threshold, str):
            return threshold
        return np.asarray(scores >= threshold, dtype=np.float64)
    if scores.min() < 0 or scores.max() > 1:
        return "its scores are not probabilities: some are outside 0 to 1"
    return scores
