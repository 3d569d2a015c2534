"""What viewers from whom labels are hidden see of figures that rest on these labels.

Somebody who submits scores chooses them, so that every figure answers a question about the labels.
The figures of `release_row` are the only answers; whatever else rests on hidden labels is withheld
(`is_withheld`): figures of groups, intervals, p-values, ranks, comparisons and all analyses. How
much n submissions can learn is in docs/explanation/security.md.
"""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, frames, hidden
from concord.documents.board import BoardRow
from concord.documents.figures import FigureRow
from concord.documents.statistics import PairsRow
from concord.meta.influence import label_influence

STEP = 0.05
DECIMALS = 2
WITHHELD = "withheld: labels are hidden"
TOO_FEW = "withheld: too few hidden labels, or one of them could move it by more than a step"


def is_withheld(judgment_set: JudgmentSet, by: str = "", group: str = "") -> bool:
    """Whether figures of the set, or of one group of it, rest on labels hidden from its viewer."""
    splits = hidden.viewer_splits(judgment_set)
    is_visible = by == "split" and bool(group) and not splits & {hidden.WHOLE, group}
    return bool(splits) and not is_visible


def release_row(judgment_set: JudgmentSet, by: str | None, row: BoardRow) -> BoardRow:
    """The row of a complete run with those figures that the set's viewer may see.

    Where it rests on hidden labels, Pearson's r and the accuracy on pairs of the whole set are
    rounded to STEP and have no interval. They are withheld where fewer than MIN_HIDDEN_LABELS
    labels are hidden, and where one label could move them by more than STEP; so is all else.
    """
    if not is_withheld(judgment_set, by or "", row["group"] or ""):
        return row
    withheld: FigureRow = {"value": None, "reason": WITHHELD}
    pearson, pairs = withheld, _withheld_pairs(row["pairs"]["n"], WITHHELD)
    if not by:
        pearson, pairs = _coarse(judgment_set, row), _coarse_pairs(judgment_set, row["pairs"])
    return {**row, "pearson": pearson, "spearman": withheld, "kendall": withheld, "pairs": pairs}


def _coarse(judgment_set: JudgmentSet, row: BoardRow) -> FigureRow:
    mask = hidden.viewer_masks(judgment_set).candidates & frames.board_frame(judgment_set).judged
    value, too_few = row["pearson"]["value"], mask.sum() < settings.MIN_HIDDEN_LABELS
    if value is None or too_few or _influence(row["run"], criteria.chosen(judgment_set)) > STEP:
        return {"value": None, "reason": TOO_FEW}
    return {"value": _round(value), "p": None, "ci": None}


def _coarse_pairs(judgment_set: JudgmentSet, row: PairsRow) -> PairsRow:
    """One label moves the accuracy by 1 / n, which is at most a step."""
    accuracy, n = row["accuracy"], int(hidden.viewer_masks(judgment_set).pairs.sum())
    if not row["n"]:
        return row
    if accuracy is None or n < settings.MIN_HIDDEN_LABELS:
        return _withheld_pairs(row["n"], TOO_FEW)
    return {"n": row["n"], "accuracy": _round(accuracy)}


def _withheld_pairs(n: int, reason: str) -> PairsRow:
    return {"n": n, "accuracy": None, "value": None, "reason": reason}


def _round(value: float) -> float:
    return round(round(value / STEP) * STEP, DECIMALS) + 0.0


@lru_cache(maxsize=4096)
def _influence(pk: int, criterion: str) -> float:
    """The `label_influence` on Pearson's r of a complete run; its scores do not change."""
    run = MetricRun.objects.defer(None).select_related("judgment_set").get(pk=pk)
    judgment_set = run.judgment_set
    criteria.restore(judgment_set, criterion)
    frame = frames.board_frame(judgment_set)
    judged = frame.judged
    scores, gold = run.score_array[: frame.n_candidates][judged], frame.gold[judged]
    ends = [gold.min(), gold.max(), *(judgment_set.scale or ())]
    weights = None if frame.weights is None else frame.weights[judged]
    return label_influence(scores, gold, min(ends), max(ends), weights)
