"""Is the answer correct? Metrics' verdicts against people's, at thresholds tuned elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.meta.correctness.curves import auc
from concord.meta.correctness.division import Division
from concord.meta.correctness.resampling import Interval, intervals, resampled, sums_by_cluster
from concord.meta.correctness.retrieval import RankedLists
from concord.meta.correctness.thresholds import Rule, called, highest_f1, least_error
from concord.meta.correctness.verdicts import FIGURES, Confusion, confusion, indicators, reason
from concord.meta.figures import Figure
from concord.meta.inference import Sample
from concord.meta.pairs import wilson

# Shares of single answers: where these are independent, Wilson's interval is theirs.
SHARES = ("precision", "recall", "accuracy")


@dataclass(frozen=True)
class PointWise:
    """A metric on the reported part. threshold: the frozen one, of the turned scores (answers at or
    above it are called correct); None with `reason` where none could be tuned, or the metric is
    flawed. figures: by name, FIGURES of verdicts. auc: needs no threshold."""

    threshold: float | None
    confusion: Confusion | None
    figures: dict[str, Figure]
    auc: Figure
    reason: str = ""


def tuned(
    sample: Sample, correct: NDArray[np.bool_], tuning: NDArray[np.bool_], rule: Rule
) -> list[float | str]:
    """Each metric's threshold, tuned on the answers of the mask `tuning` alone, or why it has none.

    Rule "f1" takes the highest F1, "p1" the least error of P@1 over systems (`thresholds`).
    correct, tuning: (n,). A flawed metric (Sample.flaw) has none.
    """
    if rule == "p1":
        lists = RankedLists.of(sample.items, sample.systems)
        first = np.zeros(sample.n, dtype=bool)
        first[lists.groups.order[lists.groups.starts]] = True
        tuning = tuning & first
    found: list[float | str] = []
    for m, scores in enumerate(sample.scores):
        flaw = sample.flaw(m)
        if flaw:
            found.append(flaw)
            continue
        try:
            part = scores[tuning], correct[tuning]
            found.append(
                highest_f1(*part) if rule == "f1" else least_error(*part, sample.systems[tuning])
            )
        except ValueError as error:
            found.append(str(error))
    return found


def point_wise(
    sample: Sample,
    correct: NDArray[np.bool_],
    division: Division,
    thresholds: list[float | str],
    *,
    rng: np.random.Generator,
    draws: int,
) -> list[PointWise]:
    """A PointWise for each metric, on the reported part; thresholds as `tuned` gives them.

    Intervals resample passages, all metrics by the same draws and with the threshold held fixed;
    shares that are 0 or 1, or of which every passage has one answer, have Wilson's over passages.
    """
    part = sample.take(division.reported)
    right = correct[division.reported]
    frozen = [m for m, threshold in enumerate(thresholds) if not isinstance(threshold, str)]
    verdicts = [called(part.scores[m], float(thresholds[m])) for m in frozen]
    figures = dict(zip(frozen, _figures(verdicts, right, part.clusters, rng, draws), strict=True))
    found = []
    for m, threshold in enumerate(thresholds):
        flaw = sample.flaw(m)
        area = Figure.undefined(flaw) if flaw else auc(part.scores[m], right, part.clusters)
        if isinstance(threshold, str):
            missing = {name: Figure.undefined(threshold) for name in FIGURES}
            found.append(PointWise(None, None, missing, area, threshold))
        else:
            found.append(PointWise(threshold, figures[m][0], figures[m][1], area))
    return found


def always_correct(
    sample: Sample,
    correct: NDArray[np.bool_],
    division: Division,
    *,
    rng: np.random.Generator,
    draws: int,
) -> PointWise:
    """What calling every answer correct reaches on the reported part: what to beat."""
    right, clusters = correct[division.reported], sample.clusters[division.reported]
    every = np.ones(len(right), dtype=bool)
    counts, figures = _figures([every], right, clusters, rng, draws)[0]
    area = auc(np.zeros(len(right)), right, clusters)
    return PointWise(-np.inf, counts, figures, Figure(area.value, reason=area.reason))


def _figures(
    verdicts: list[NDArray[np.bool_]],
    correct: NDArray[np.bool_],
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    draws: int,
) -> list[tuple[Confusion, dict[str, Figure]]]:
    """Of each verdict: its counts and its FIGURES with intervals."""
    if not verdicts:
        return []
    cells = np.stack([indicators(one, correct) for one in verdicts])
    by_passage = sums_by_cluster(cells, clusters)  # (G, K, 4)
    passages = len(by_passage)
    alone = bool((by_passage[:, 0].sum(axis=1) == 1).all())
    counts = [confusion(one, correct) for one in verdicts]
    whole = by_passage.sum(axis=0).T  # (4, K)
    drawn = None
    if passages > 1:
        drawn = np.moveaxis(resampled(by_passage, rng, draws), -1, 0)  # (4, draws, K)
    found: list[dict[str, Figure]] = [{} for _ in verdicts]
    for name, figure in FIGURES.items():
        values = figure(whole)
        ends: list[Interval | None] = [None] * len(values)
        if drawn is not None:
            ends = intervals(figure(drawn), values)
        for k, value in enumerate(values.tolist()):
            why = reason(name, counts[k])
            if why:
                found[k][name] = Figure.undefined(why)
                continue
            ci = ends[k]
            if name in SHARES and (alone or value in (0.0, 1.0)):
                ci = wilson(value, _passages_of(name, by_passage[:, k]))
            elif value in (0.0, 1.0):
                ci = None  # no resample can differ
            found[k][name] = Figure(value, ci=ci)
    return list(zip(counts, found, strict=True))


def _passages_of(name: str, counts: NDArray[np.float64]) -> int:
    """How many passages have answers in a share's denominator; counts (G, 4)."""
    held = {"precision": (0, 1), "recall": (0, 2), "accuracy": (0, 1, 2, 3)}[name]
    return int(np.count_nonzero(counts[:, held].sum(axis=1)))
