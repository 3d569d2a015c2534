"""Statistics of a metric run for the leaderboard, computed once when the run completes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Booleans, Floats, Integers
from concord.documents.board import BoardRow
from concord.documents.figures import FigureRow
from concord.documents.statistics import RunStatistics, StatisticsRow, SystemMeanRow
from concord.inference import Estimate, clustered_mean
from concord.meta.breakdowns import natural_key
from concord.meta.correlation import kendall, pearson, spearman
from concord.meta.pairs import pairs_by_phenomenon

# Increase it when the definition of a figure changes: older stored statistics are recomputed.
REVISION = 7
Formula = Callable[[Floats, Floats, Integers, Floats | None], Estimate]
# The first four come from the set's file, the others are derived (breakdowns.py).
GROUPINGS = ("constituent", "system", "category", "split", "type", "length", "references")


@dataclass(frozen=True)
class SetArrays:
    """A judgment set as arrays, without its texts.

    `gold`, `clusters` and each of `labels` (one per grouping) have shape (n_candidates,); each of
    `pair_labels` (the groupings and "phenomenon") and `pair_clusters` have shape (n_pairs,).
    Clusters are passages. `weights` (n_candidates,) are design weights, above 0 where a candidate
    is judged; None where all count alike. `reason` says why no correlation is defined, whatever the
    metric; empty if they are. `unrated_draws`: how many candidates were drawn but not judged.
    """

    gold: Floats
    clusters: Integers
    labels: dict[str, NDArray[np.str_]]
    pair_labels: dict[str, NDArray[np.str_]] = field(default_factory=dict)
    pair_clusters: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    weights: Floats | None = None
    reason: str = ""
    unrated_draws: int = 0

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return len(self.gold)

    @property
    def judged(self) -> Booleans:
        """Whether each candidate has a gold score, (N,)."""
        return np.isfinite(self.gold)


def run_statistics(
    frame: SetArrays,
    scores: Floats,
    *,
    higher_is_better: bool,
    groupings: Sequence[str] = GROUPINGS,
) -> RunStatistics:
    """The rows of a run, overall and by each of `groupings`, and its means per system, as JSON.

    `scores` has one value per candidate, then two per pair (better, worse). The scores of a
    metric with `higher_is_better` False are negated before they are compared with people.
    """
    oriented = scores if higher_is_better else -scores
    rows = {"": [_row(frame, oriented)]}
    for grouping in groupings:
        names = sorted(set(frame.labels[grouping].tolist()) - {""}, key=natural_key)
        rows[grouping] = [_row(frame, oriented, grouping, name) for name in names]
    return {"revision": REVISION, "rows": rows, "systems": _systems(frame, scores)}


def row_order(row: BoardRow) -> tuple[tuple[float, str], bool, float, str]:
    """Sort key of a board's rows: by group, then by Pearson's r, best first, undefined last."""
    value = row["pearson"]["value"]
    return (natural_key(row["group"] or ""), value is None, -(value or 0.0), row["metric"])


def _row(
    frame: SetArrays, oriented: Floats, grouping: str = "", group: str | None = None
) -> StatisticsRow:
    mask = frame.judged
    members = oriented[frame.n_candidates :]
    better, worse = members[0::2], members[1::2]
    unlabelled = np.zeros(len(better), dtype="<U1")
    paired = np.ones(len(better), dtype=bool)
    if grouping:
        mask = mask & (frame.labels[grouping] == group)
        paired = frame.pair_labels.get(grouping, unlabelled) == group
    phenomena = frame.pair_labels.get("phenomenon", unlabelled)[paired]
    scores, gold = oriented[: frame.n_candidates][mask], frame.gold[mask]
    weights = None if frame.weights is None else frame.weights[mask]

    def figure(coefficient: Formula) -> FigureRow:
        if frame.reason:
            return {"value": None, "reason": frame.reason}
        return coefficient(scores, gold, frame.clusters[mask], weights).to_json()

    return {
        "group": group,
        "n": len(gold),
        "pearson": figure(pearson),
        "spearman": figure(spearman),
        "kendall": figure(kendall),
        "pairs": pairs_by_phenomenon(
            better[paired], worse[paired], phenomena, frame.pair_clusters[paired]
        ),
    }


def _systems(frame: SetArrays, scores: Floats) -> list[SystemMeanRow]:
    """The metric's mean (not negated) per system, over all its candidates."""
    systems = frame.labels["system"]
    rows: list[SystemMeanRow] = []
    for system in sorted(set(systems.tolist()) - {""}):
        mask = systems == system
        mean = clustered_mean(scores[: frame.n_candidates][mask], frame.clusters[mask])
        rows.append({"system": system, "n": int(mask.sum()), "mean": mean.to_json()})
    return rows
