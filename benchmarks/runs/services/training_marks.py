"""What a board says of a metric that was trained on judgments: was it trained on these?

Told by content, from the hashes that lie beside a checkpoint's card: the same passage and question,
or the same question and candidate. So a set that was renamed, cut or merged is still recognised.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.meta.board import SetArrays
from concord.meta.documents.statistics import RunStatistics, TrainingRow
from scorers import Metric, ModelError
from scorers.judges.metric import JudgeMetric
from scorers.learned.training_items import Matches, match_training_items

Mask = NDArray[np.bool_]

#: LERC's settings (MOCHA, Section 5.1), and where a figure is over constituents of both.
OUT_OF_DOMAIN, ALL_DATA, BOTH = "OOD", "AD", "mixed"


def mark(statistics: RunStatistics, metric: Metric, judgment_set: JudgmentSet) -> None:
    """Add to each row of a run's statistics its "training"; nothing for a metric without any.

    {"setting", "items", "answered", "asked", "known"}: `setting` is OOD where nothing of the
    row's constituents was trained on, AD where something of each was, else mixed; without
    constituents the whole set is one. The counts are those of `Overlap`. Where the checkpoint
    does not say what it was trained on, or is no longer there, `known` is False and `setting`
    None.
    """
    if not isinstance(metric, JudgeMetric):
        return
    frame = frames.frame(judgment_set)
    try:
        items = frames.items(judgment_set, range(frame.n_candidates))
        matches = match_training_items(metric.folder, items)
        named = frozenset(metric.card.extra.get("constituents", ()))
    except ModelError:
        nothing = np.zeros(frame.n_candidates, dtype=bool)
        matches, named = Matches(nothing, nothing, (nothing, nothing), is_known=False), frozenset()
    seen = _seen(frame, matches, named)
    for grouping, rows in statistics["rows"].items():
        for row in rows:
            chosen = np.ones(frame.n_candidates, dtype=bool)
            if grouping:
                chosen = frame.labels[grouping] == row["group"]
            row["training"] = _training(matches, chosen, seen)


def _seen(frame: SetArrays, matches: Matches, named: frozenset[str]) -> Mask:
    """Of each candidate: whether its constituent was trained on, by name or by what is in it."""
    labels = frame.labels["constituent"]
    seen = np.zeros(len(labels), dtype=bool)
    for name in np.unique(labels):
        chosen = labels == name
        seen[chosen] = str(name) in named or matches.overlap(chosen).any
    return seen


def _training(matches: Matches, chosen: Mask, seen: Mask) -> TrainingRow:
    overlap = matches.overlap(chosen)
    of_these = seen[chosen]
    setting = ALL_DATA if of_these.all() else BOTH if of_these.any() else OUT_OF_DOMAIN
    return {
        "setting": setting if overlap.is_known else None,
        "items": overlap.items,
        "answered": overlap.same_candidate,
        "asked": overlap.same_question,
        "share": overlap.share,
        "known": overlap.is_known,
    }
