"""Comparison of two versions of a judgment set: added, removed and changed candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.viewers import PUBLIC, Viewer
from concord.meta import pearson

# Smaller differences of gold scores are rounding errors.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class GoldChange:
    """A candidate of both versions whose gold score differs. None: not judged."""

    key: str
    text: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


@dataclass(frozen=True)
class VersionChanges:
    """What changed from `first` to `second`.

    changes: in descending order. text_changed: ids whose texts differ. correlation: Pearson's r of
    the gold scores of the candidates that both versions judged.
    """

    first: JudgmentSet
    second: JudgmentSet
    common: int
    added: list[str]
    removed: list[str]
    changes: list[GoldChange]
    text_changed: list[str]
    pairs: tuple[int, int]
    correlation: float | None
    mean_change: float | None


def versions_of(name: str, viewer: Viewer = PUBLIC) -> list[JudgmentSet]:
    """The versions of a set that the viewer may see, latest first."""
    visible = JudgmentSet.objects.visible_to(viewer).numbered()
    versions = list(visible.filter(name=name).order_by("-version"))
    for version in versions:
        version.viewer = viewer
    return versions


def compare(first: JudgmentSet, second: JudgmentSet) -> VersionChanges:
    """What changed from `first` to `second`, by candidate; two queries.

    Gold scores that are hidden from the viewer count as missing.
    """
    before, after = _gold(first), _gold(second)
    common = [key for key in before if key in after]
    changes = [
        GoldChange(key, after[key][0], before[key][1], after[key][1])
        for key in common
        if not _equal(before[key][1], after[key][1])
    ]
    changes.sort(key=lambda one: (-abs(one.change if one.change is not None else np.inf), one.key))
    both = [
        (before[key][1], after[key][1])
        for key in common
        if before[key][1] is not None and after[key][1] is not None
    ]
    gold = np.array(both, dtype=np.float64).reshape(-1, 2)
    return VersionChanges(
        first=first,
        second=second,
        common=len(common),
        added=[key for key in after if key not in before],
        removed=[key for key in before if key not in after],
        changes=changes,
        text_changed=[key for key in common if before[key][0] != after[key][0]],
        pairs=(first.n_pairs, second.n_pairs),
        correlation=_pearson(gold),
        mean_change=float((gold[:, 1] - gold[:, 0]).mean()) if len(gold) else None,
    )


def _gold(judgment_set: JudgmentSet) -> dict[str, tuple[str, float | None]]:
    rows = judgment_set.candidates.order_by("position").values_list("key", "text", "gold")
    masked = hidden.viewer_masks(judgment_set).candidates
    return {
        key: (text, None if masked[position] else gold)
        for position, (key, text, gold) in enumerate(rows.iterator(chunk_size=5000))
    }


def _equal(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is after
    return abs(before - after) <= TOLERANCE


def _pearson(gold: NDArray[np.float64]) -> float | None:
    if len(gold) < 3 or np.ptp(gold[:, 0]) <= TOLERANCE or np.ptp(gold[:, 1]) <= TOLERANCE:
        return None
    return pearson(gold[:, 0], gold[:, 1]).value
