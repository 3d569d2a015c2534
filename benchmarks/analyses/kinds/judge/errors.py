"""One metric against gold scores: calibration, confusion, where it fails, and corrected rates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.kinds.judge.people import JudgedSample
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.documents.judge import (
    BinRow,
    CalibrationPart,
    CandidateRow,
    ConfusionPart,
    FailureRow,
    RatesPart,
)
from concord.judges import (
    GroupError,
    confusion_matrix,
    grade_calibration,
    group_errors,
    score_bands,
    system_rates,
    verdicts_out_of_fold,
)
from concord.judges.calibration import GradeCalibration
from concord.meta.board import GROUPINGS
from concord.meta.correctness import default_gold_threshold

MAX_GROUPS = 15
WORST = 3
CHECK_SHARE = 0.5
MIN_LABELLED = 10


def calibration(sample: JudgedSample) -> CalibrationPart:
    """The bins of the recalibrated grades, and of the judge's own scores on people's scale."""
    fitted = grade_calibration(sample.grades, sample.gold, sample.clusters)
    own = None
    if sample.is_on_scale:
        own = grade_calibration(sample.scores, sample.gold, sample.clusters)
    return {
        "bins": _bin_rows(fitted),
        "error": fitted.error,
        "own_bins": [] if own is None else _bin_rows(own),
        "own_error": None if own is None else own.error,
    }


def _bin_rows(calibration: GradeCalibration) -> list[BinRow]:
    return [
        {
            "low": row.low,
            "high": row.high,
            "n": row.n,
            "grade": row.grade,
            "gold": row.gold.to_json(),
        }
        for row in calibration.bins
    ]


def confusion(sample: JudgedSample) -> ConfusionPart | None:
    """The matrix over the whole points of the scale; None on a scale that has too many."""
    low, high = sample.scale
    points = np.arange(np.ceil(low), np.floor(high) + 1)
    own = sample.is_on_scale
    matrix = confusion_matrix(sample.scores if own else sample.grades, sample.gold, points)
    if matrix is None:
        return None
    return {"points": matrix.points, "counts": matrix.counts, "own": own}


def failures(judgment_set: JudgmentSet, sample: JudgedSample) -> list[FailureRow]:
    """The groups with the largest errors, and the worst candidates of each."""
    frame = frames.frame(judgment_set)
    labels = {name: frame.labels[name][sample.positions] for name in GROUPINGS}
    labels["score"] = score_bands(sample.gold, sample.scale)
    errors = group_errors(sample.grades, sample.gold, labels, sample.clusters)[:MAX_GROUPS]
    distance = np.abs(sample.grades - sample.gold)
    worst = {
        (row.grouping, row.group): _worst(distance, labels[row.grouping] == row.group)
        for row in errors
    }
    keys = _keys(judgment_set, sample.positions[np.concatenate([*worst.values(), []]).astype(int)])
    return [
        _failure_row(row, [_candidate(sample, i, keys) for i in worst[row.grouping, row.group]])
        for row in errors
    ]


def _worst(distance: NDArray[np.float64], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    rows = np.flatnonzero(mask)
    return rows[np.argsort(-distance[rows], kind="stable")[:WORST]]


def _keys(judgment_set: JudgmentSet, positions: NDArray[np.int64]) -> dict[int, str]:
    rows = judgment_set.candidates.filter(position__in=positions.tolist())
    return dict(rows.values_list("position", "key"))


def _candidate(sample: JudgedSample, row: int, keys: dict[int, str]) -> CandidateRow:
    return {
        "key": keys[int(sample.positions[row])],
        "grade": float(sample.grades[row]),
        "gold": float(sample.gold[row]),
    }


def _failure_row(row: GroupError, candidates: list[CandidateRow]) -> FailureRow:
    return {
        "grouping": row.grouping,
        "group": row.group,
        "n": row.n,
        "bias": row.bias.to_json(),
        "error": row.error,
        "p": row.p,
        "differs": row.differs,
        "candidates": candidates,
    }


def rates(judgment_set: JudgmentSet, run: MetricRun, seed: int) -> RatesPart:
    """Each system's share of correct answers in the set.

    If every candidate is rated, the labels of half of the passages, drawn with `seed`, are hidden,
    and the estimates stand beside the truth.
    """
    frame = frames.frame(judgment_set)
    scores = samples.oriented_scores(run)[: frame.n_candidates]
    systems = frame.labels["system"]
    used = np.isfinite(scores) & (systems != "")
    scale = judgment_set.scale
    threshold = default_gold_threshold(frame.gold, scale)
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
    for row, code in zip(rates.systems, range(len(names)), strict=True):
        part["systems"].append(
            {
                "system": row.system,
                "labelled": row.labelled,
                "unlabelled": row.unlabelled,
                "raw": row.raw,
                "corrected": row.corrected.to_json(),
                "powered": row.powered.to_json(),
                "plain": row.plain.to_json(),
                "tpr": row.tpr,
                "tnr": row.tnr,
                "truth": float(truth[codes == code].mean()) if part["is_check"] else None,
            }
        )
    return part | {"tpr_p": rates.tpr_p, "tnr_p": rates.tnr_p}
