"""One metric against gold scores: calibration, confusion and corrected rates."""

from __future__ import annotations

import numpy as np

from benchmarks.analyses import samples
from benchmarks.analyses.kinds.judge.people import JudgedSample
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.documents.conversion import fill
from concord.documents.judge import CalibrationPart, ConfusionPart, RateRow, RatesPart
from concord.judges import (
    confusion_matrix,
    system_rates,
    verdicts_out_of_fold,
)
from concord.meta import correctness

CHECK_SHARE = 0.5
MIN_LABELLED = 10


def calibration(sample: JudgedSample) -> CalibrationPart:
    """The bins of the judge's labels."""
    found = correctness.calibration(sample.labels.values, sample.gold, sample.clusters)
    return {
        "own": not sample.labels.off_scale,
        "error": found.error.value or 0.0,
        "expected": found.expected,
        "bins": [
            {
                "low": row.low,
                "high": row.high,
                "n": row.n,
                "grade": row.score,
                "gold": row.people.to_json(),
            }
            for row in found.bins
        ],
    }


def confusion(sample: JudgedSample) -> ConfusionPart | None:
    """The matrix over the whole points of the scale; None on a scale that has too many."""
    low, high = sample.scale
    points = np.arange(np.ceil(low), np.floor(high) + 1)
    matrix = confusion_matrix(sample.labels.values, sample.gold, points)
    return None if matrix is None else {"points": matrix.points, "counts": matrix.counts}


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
    part: RatesPart = {
        "is_check": False,
        "threshold": threshold,
        "tpr_p": None,
        "tnr_p": None,
        "systems": [],
        "reason": "",
    }
    if not used.any():
        return part | {"reason": "the candidates' systems are unknown"}
    gold, clusters = frame.gold[used], frame.clusters[used]
    truth = np.where(np.isnan(gold), np.nan, (gold >= threshold).astype(float))
    labels = truth.copy()
    if not np.isnan(labels).any():
        part["is_check"] = True
        passages = np.unique(clusters)
        hidden = np.random.default_rng(seed).permutation(passages)
        labels[np.isin(clusters, hidden[: int(len(passages) * CHECK_SHARE)])] = np.nan
    counts = [int(np.count_nonzero(labels == verdict)) for verdict in (0, 1)]
    if min(counts) < MIN_LABELLED:
        reason = f"people found {counts[1]} labelled answers correct and {counts[0]} wrong"
        return part | {"reason": f"{reason}; {MIN_LABELLED} of each are needed"}
    names, codes = np.unique(systems[used], return_inverse=True)
    accepted = verdicts_out_of_fold(scores[used], labels, clusters)
    rates = system_rates(accepted, labels, codes.reshape(-1), clusters, tuple(map(str, names)))
    for code, row in enumerate(rates.systems):
        share = float(truth[codes == code].mean()) if part["is_check"] else None
        part["systems"].append(fill(RateRow, row, truth=share))
    return part | {"tpr_p": rates.tpr_p, "tnr_p": rates.tnr_p}
