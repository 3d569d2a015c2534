"""One metric against gold scores: calibration, confusion and corrected rates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.analyses import samples
from benchmarks.analyses.kinds.judge.people import JudgedSample
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.judges import (
    ConfusionMatrix,
    SystemRate,
    confusion_matrix,
    system_rates,
    verdicts_out_of_fold,
)
from concord.meta import correctness

CHECK_SHARE = 0.5
MIN_LABELLED = 10


@dataclass(frozen=True)
class CalibrationPart:
    """Of the judge's labels: see `concord.meta.correctness.Calibration`. own: whether they are its
    own scores; else they are grades that are fitted on other passages."""

    own: bool
    bins: list[correctness.Bin]
    error: float
    expected: float


@dataclass(frozen=True, kw_only=True)
class CheckedRate(SystemRate):
    """truth: people's share where labels were hidden for the check, else None."""

    truth: float | None


@dataclass(frozen=True, kw_only=True)
class RatesPart:
    """The share of each system's answers that are correct. is_check: every candidate is rated, and
    the labels of half of the passages were hidden. threshold: the lowest score of people for a
    correct answer. reason: why there are no rates."""

    is_check: bool = False
    threshold: float
    tpr_p: float | None = None
    tnr_p: float | None = None
    systems: list[CheckedRate] = field(default_factory=list)
    reason: str = ""


def calibration(sample: JudgedSample) -> CalibrationPart:
    """The bins of the judge's labels."""
    found = correctness.calibration(sample.labels.values, sample.gold, sample.clusters)
    return CalibrationPart(
        own=not sample.labels.off_scale,
        bins=found.bins,
        error=found.error.value or 0.0,
        expected=found.expected,
    )


def confusion(sample: JudgedSample) -> ConfusionMatrix | None:
    """The matrix over the whole points of the scale; None on a scale that has too many."""
    low, high = sample.scale
    points = np.arange(np.ceil(low), np.floor(high) + 1)
    return confusion_matrix(sample.labels.values, sample.gold, points)


def rates(judgment_set: JudgmentSet, run: MetricRun, seed: int) -> RatesPart:
    """Each system's share of correct answers in the set.

    If every candidate is rated, the labels of half of the passages, drawn with `seed`, are hidden,
    and the estimates stand beside the truth.
    """
    frame = frames.frame(judgment_set)
    scores = samples.oriented_scores(run)[: frame.n_candidates]
    systems = frame.labels["system"]
    used = np.isfinite(scores) & (systems != "")
    scale = samples.people_scale(judgment_set)
    threshold = correctness.default_gold_threshold(frame.gold, scale)
    part = RatesPart(threshold=threshold)
    if not used.any():
        return replace(part, reason="the candidates' systems are unknown")
    gold, clusters = frame.gold[used], frame.clusters[used]
    truth = np.where(np.isnan(gold), np.nan, (gold >= threshold).astype(float))
    labels = truth.copy()
    if not np.isnan(labels).any():
        part = replace(part, is_check=True)
        passages = np.unique(clusters)
        hidden = np.random.default_rng(seed).permutation(passages)
        labels[np.isin(clusters, hidden[: int(len(passages) * CHECK_SHARE)])] = np.nan
    counts = [int(np.count_nonzero(labels == verdict)) for verdict in (0, 1)]
    if min(counts) < MIN_LABELLED:
        reason = f"people found {counts[1]} labelled answers correct and {counts[0]} wrong"
        return replace(part, reason=f"{reason}; {MIN_LABELLED} of each are needed")
    names, codes = np.unique(systems[used], return_inverse=True)
    accepted = verdicts_out_of_fold(scores[used], labels, clusters)
    rates = system_rates(accepted, labels, codes.reshape(-1), clusters, tuple(map(str, names)))
    shares = [
        float(truth[codes == code].mean()) if part.is_check else None
        for code in range(len(rates.systems))
    ]
    checked = [
        CheckedRate(**vars(row), truth=share)
        for row, share in zip(rates.systems, shares, strict=True)
    ]
    return replace(part, systems=checked, tpr_p=rates.tpr_p, tnr_p=rates.tnr_p)
