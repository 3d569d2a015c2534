"""Point-wise evaluation: a metric's verdicts on single answers, compared with people's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Integers
from concord.inference import (
    Estimate,
    clustered_share,
    estimates_of_sums,
    resampled_sums,
    sums_by_cluster,
)
from concord.meta.correctness.curves import auc
from concord.meta.correctness.division import Division
from concord.meta.correctness.retrieval import RankedLists
from concord.meta.correctness.thresholds import (
    Rule,
    metric_verdicts,
    tune_by_f1,
    tune_by_system_error,
)
from concord.meta.correctness.verdicts import (
    FIGURES,
    Confusion,
    count_confusion,
    indicators,
    undefined_reason,
)
from concord.meta.inference import ScoredSample

# The figures that are a share of answers.
SHARES = ("precision", "recall", "accuracy")


@dataclass(frozen=True)
class PointWise:
    """One metric on the reported part.

    threshold: as tuned, on the scale of the oriented scores; the metric calls answers at or above
    it correct. None with a `reason` where it could not be tuned. figures: by the names of
    `verdicts.FIGURES`. auc: area under the ROC curve; needs no threshold.
    """

    threshold: float | None
    confusion: Confusion | None
    figures: dict[str, Estimate]
    auc: Estimate
    reason: str = ""


def tune_thresholds(
    sample: ScoredSample, correct: Booleans, tuning: Booleans, rule: Rule
) -> list[Estimate]:
    """Each metric's threshold, tuned only on the answers of the mask `tuning`.

    Rule "f1" maximises F1; rule "p1" minimises the error of P@1 over systems (`thresholds`).
    correct, tuning: (n,). A threshold is undefined where no answer can tune it, and for a metric
    with undefined figures (`Sample.undefined_reason`).
    """
    if rule == "p1":
        lists = RankedLists.from_candidates(sample.items, sample.systems)
        first = np.zeros(sample.n, dtype=bool)
        first[lists.groups.order[lists.groups.starts]] = True
        tuning = tuning & first
    systems, thresholds = sample.systems[tuning], []
    for m, scores in enumerate(sample.scores):
        flaw = sample.undefined_reason(m)
        if flaw:
            thresholds.append(Estimate(None, reason=flaw))
            continue
        part = scores[tuning], correct[tuning]
        try:
            by_f1 = rule == "f1"
            tuned = tune_by_f1(*part) if by_f1 else tune_by_system_error(*part, systems)
            thresholds.append(Estimate(tuned))
        except ValueError as error:
            thresholds.append(Estimate(None, reason=str(error)))
    return thresholds


def point_wise(
    sample: ScoredSample,
    correct: Booleans,
    division: Division,
    thresholds: Sequence[Estimate],
    *,
    rng: np.random.Generator,
    draws: int,
) -> list[PointWise]:
    """A PointWise for each metric on the reported part; `thresholds` from `tune_thresholds`.

    Intervals: `clustered_share` by passage for SHARES; the bootstrap over passages, with the same
    draws for all metrics, for other figures. They hold the threshold fixed.
    """
    part = sample.select_candidates(division.reported)
    right = correct[division.reported]
    tuned = {m: one.value for m, one in enumerate(thresholds) if one.value is not None}
    verdicts = [metric_verdicts(part.scores[m], threshold) for m, threshold in tuned.items()]
    figures = dict(zip(tuned, _figures(verdicts, right, part.clusters, rng, draws), strict=True))
    rows = []
    for m, threshold in enumerate(thresholds):
        flaw = sample.undefined_reason(m)
        area = Estimate(None, reason=flaw) if flaw else auc(part.scores[m], right, part.clusters)
        if threshold.value is None:
            none = dict.fromkeys(FIGURES, threshold)
            rows.append(
                PointWise(
                    threshold=None, confusion=None, figures=none, auc=area, reason=threshold.reason
                )
            )
        else:
            rows.append(PointWise(threshold.value, *figures[m], area))
    return rows


def always_correct_baseline(
    sample: ScoredSample,
    correct: Booleans,
    division: Division,
    *,
    rng: np.random.Generator,
    draws: int,
) -> PointWise:
    """The baseline that calls every answer of the reported part correct."""
    right, clusters = correct[division.reported], sample.clusters[division.reported]
    every = np.ones(len(right), dtype=bool)
    counts, figures = _figures([every], right, clusters, rng, draws)[0]
    area = auc(np.zeros(len(right)), right, clusters)
    return PointWise(-np.inf, counts, figures, Estimate(area.value, reason=area.reason))


def _figures(
    verdicts: list[Booleans],
    correct: Booleans,
    clusters: Integers,
    rng: np.random.Generator,
    draws: int,
) -> list[tuple[Confusion, dict[str, Estimate]]]:
    """Of each verdict: its counts and its FIGURES with intervals."""
    if not verdicts:
        return []
    cells = np.stack([indicators(called, correct) for called in verdicts], axis=1)
    sums = sums_by_cluster(cells, clusters)  # (4, K, G)
    resampled = resampled_sums(sums, rng, draws)
    counts = [count_confusion(called, correct) for called in verdicts]
    rows: list[dict[str, Estimate]] = [{} for _ in verdicts]
    for name, figure in FIGURES.items():
        figures = estimates_of_sums(figure, sums, resampled, "share")
        for k, (called, one) in enumerate(zip(verdicts, figures, strict=True)):
            if undefined := undefined_reason(name, counts[k]):
                rows[k][name] = Estimate(None, reason=undefined)
            elif name in SHARES:
                hits, part = _share_of(name, called, correct)
                rows[k][name] = clustered_share(hits[part].astype(np.float64), clusters[part])
            else:
                rows[k][name] = one
    return list(zip(counts, rows, strict=True))


def _share_of(name: str, called: Booleans, correct: Booleans) -> tuple[Booleans, Booleans]:
    """The hits, (n,), and the mask of the answers of which a share of SHARES is taken."""
    if name == "precision":
        return correct, called
    return (called, correct) if name == "recall" else (called == correct, np.ones_like(called))
