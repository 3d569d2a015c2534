"""Overlap of a judgment set with the training data of a learned metric.

It is found by the hashes that are stored with a checkpoint: the same passage and question, or the
same question and candidate. It is therefore also found in a set that was renamed, cut or merged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.documents.statistics import RunStatistics, TrainingRow
from concord.meta.board import SetArrays
from scorers import Metric, ModelError
from scorers.learned.metric import LearnedMetric
from scorers.learned.training_items import TrainingMatches, match_training_items

Mask = NDArray[np.bool_]

#: LERC's settings (MOCHA, Section 5.1); BOTH: a figure over constituents of both settings.
OUT_OF_DOMAIN, ALL_DATA, BOTH = "OOD", "AD", "mixed"


def add_training_rows(statistics: RunStatistics, metric: Metric, judgment_set: JudgmentSet) -> None:
    """Add "training" to each row of a run's statistics, if the metric is a trained one.

    `setting` is OOD if none of the row's constituents has training data, AD if all have, else
    mixed; without constituents the set counts as one. The counts are those of `TrainingOverlap`. If
    the checkpoint has no record of its training data or is missing, `known` is False and `setting`
    None.
    """
    if not isinstance(metric, LearnedMetric):
        return
    frame = frames.frame(judgment_set)
    try:
        items = frames.items(judgment_set, range(frame.n_candidates))
        matches = match_training_items(metric.folder, items)
        constituents = frozenset(metric.card.extra.get("constituents", ()))
    except ModelError:
        none = np.zeros(frame.n_candidates, dtype=bool)
        matches = TrainingMatches(none, none, (none, none), is_known=False)
        constituents = frozenset()
    in_domain = _in_domain(frame, matches, constituents)
    for grouping, rows in statistics["rows"].items():
        for row in rows:
            mask = np.ones(frame.n_candidates, dtype=bool)
            if grouping:
                mask = frame.labels[grouping] == row["group"]
            row["training"] = _training_row(matches, mask, in_domain)


def _in_domain(frame: SetArrays, matches: TrainingMatches, constituents: frozenset[str]) -> Mask:
    """Mask of the candidates whose constituent has training data, by its name or its items."""
    labels = frame.labels["constituent"]
    in_domain = np.zeros(len(labels), dtype=bool)
    for name in np.unique(labels):
        mask = labels == name
        in_domain[mask] = str(name) in constituents or matches.overlap(mask).any
    return in_domain


def _training_row(matches: TrainingMatches, mask: Mask, in_domain: Mask) -> TrainingRow:
    overlap = matches.overlap(mask)
    group = in_domain[mask]
    setting = ALL_DATA if group.all() else BOTH if group.any() else OUT_OF_DOMAIN
    return {
        "setting": setting if overlap.is_known else None,
        "items": overlap.items,
        "answered": overlap.same_candidate,
        "asked": overlap.same_question,
        "share": overlap.share,
        "known": overlap.is_known,
    }
