"""Hidden labels: what a set's viewer may not see, and which figures would reveal it.

Only the set's editors see gold scores, ratings and figures of single items of a hidden split;
others see aggregates. An aggregate over few items, an exact one, or the difference of two can also
reveal labels. Aggregates over fewer than MIN_HIDDEN_LABELS hidden labels are therefore withheld,
with further groups until the withheld groups have as many labels together. The others are rounded.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from numpy.typing import NDArray

from benchmarks.sets.models import HiddenLabels, JudgmentSet
from benchmarks.sets.services import frames
from concord.documents.board import BoardRow
from concord.documents.figures import FigureRow
from concord.meta.table import COEFFICIENTS
from core import audit

WHOLE = ""
DECIMALS = 3
TOO_FEW = "withheld: too few hidden labels"


@dataclass(frozen=True)
class HiddenMasks:
    """Masks of the hidden items, shape (n_candidates,) and (n_pairs,). True if any is hidden."""

    candidates: NDArray[np.bool_]
    pairs: NDArray[np.bool_]

    def __bool__(self) -> bool:
        return bool(self.candidates.any() or self.pairs.any())


def viewer_masks(judgment_set: JudgmentSet) -> HiddenMasks:
    """The items whose labels are hidden from the set's viewer; none for its editors."""
    return _masks(judgment_set, viewer_splits(judgment_set))


def viewer_splits(judgment_set: JudgmentSet) -> set[str]:
    """The splits that are hidden from the set's viewer; an empty name means all."""
    return set() if judgment_set.viewer.hidden_labels else hidden_splits(judgment_set)


def public_masks(judgment_set: JudgmentSet) -> HiddenMasks:
    """The items whose labels are hidden from all but editors, for any viewer."""
    return _masks(judgment_set, hidden_splits(judgment_set))


def hidden_splits(judgment_set: JudgmentSet) -> set[str]:
    """The hidden splits of the set; an empty name means all. Cached on the object."""
    splits: set[str] | None = getattr(judgment_set, "_hidden_splits", None)
    if splits is None:
        rows = HiddenLabels.objects.filter(set_name=judgment_set.name)
        splits = set(rows.values_list("split", flat=True))
        judgment_set._hidden_splits = splits  # type: ignore[attr-defined]
    return splits


def sets_with_any(judgment_sets: Iterable[JudgmentSet]) -> set[str]:
    """The names of the sets that have hidden labels; one query."""
    names = {judgment_set.name for judgment_set in judgment_sets}
    rows = HiddenLabels.objects.filter(set_name__in=names)
    return set(rows.values_list("set_name", flat=True))


def pair_keys(judgment_set: JudgmentSet) -> dict[str, bytes]:
    """By hidden split, the key that decides in which order the members of its pairs are shown."""
    rows = HiddenLabels.objects.filter(set_name=judgment_set.name)
    return {split: key.encode() for split, key in rows.values_list("split", "pair_key")}


def hide(judgment_set: JudgmentSet, split: str, *, at: datetime) -> bool:
    """Hide the labels of a split, or with "" of all, in every version.

    Returns False if they were hidden already.
    """
    _clear_cache(judgment_set)
    with transaction.atomic():
        _, is_new = HiddenLabels.objects.get_or_create(
            set_name=judgment_set.name, split=split, defaults={"created_at": at}
        )
        if is_new:
            _record(judgment_set, "labels.hidden", split)
    return is_new


def reveal(judgment_set: JudgmentSet, split: str) -> bool:
    """Show the labels of a split to everybody again. Returns False if they were not hidden."""
    _clear_cache(judgment_set)
    rows = HiddenLabels.objects.filter(set_name=judgment_set.name, split=split)
    with transaction.atomic():
        were_hidden = bool(rows.delete()[0])
        if were_hidden:
            _record(judgment_set, "labels.revealed", split)
    return were_hidden


def _record(judgment_set: JudgmentSet, action: str, split: str) -> None:
    about = {"split": split or "all"}
    audit.record(None, action, judgment_set, after=about, judgment_set=judgment_set)


def withheld_groups(judgment_set: JudgmentSet, by: str = WHOLE) -> frozenset[str]:
    """The groups whose figures over candidates are withheld from the viewer; {""}: the whole
    set."""
    masks = viewer_masks(judgment_set)
    if not masks:
        return frozenset()
    frame = frames.frame(judgment_set)
    labels = frame.labels[by] if by else np.full(len(masks.candidates), WHOLE)
    # The candidates of complete waves, where they have weights: no figure uses the others.
    judged = frames.board_frame(judgment_set).judged
    return _groups_to_withhold(_counts(labels, masks.candidates & judged))


def withheld_pair_groups(judgment_set: JudgmentSet, by: str = WHOLE) -> frozenset[str]:
    """As `withheld_groups`, for figures over minimal pairs. `by` may also be "phenomenon"; with a
    grouping that pairs do not have, all pairs are one group."""
    masks = viewer_masks(judgment_set)
    if not masks:
        return frozenset()
    labels = frames.frame(judgment_set).pair_labels.get(by)
    if labels is None:
        labels = np.full(len(masks.pairs), WHOLE)
    return _groups_to_withhold(_counts(labels, masks.pairs))


def guard_rows(
    judgment_set: JudgmentSet, by: str | None, rows: Iterable[BoardRow]
) -> list[BoardRow]:
    """A board's rows with the figures withheld or rounded that the viewer may not see exactly."""
    all_rows = list(rows)
    if not viewer_masks(judgment_set):
        return all_rows
    groups = withheld_groups(judgment_set, by or WHOLE)
    pair_groups = withheld_pair_groups(judgment_set, by or WHOLE)
    phenomena = withheld_pair_groups(judgment_set, "phenomenon")
    undefined: FigureRow = {"value": None, "reason": TOO_FEW}
    guarded_rows: list[BoardRow] = []
    for row in all_rows:
        group, pairs = row["group"] or WHOLE, row["pairs"]
        if group in pair_groups:
            pairs = {"n": pairs["n"], "accuracy": None, "value": None, "reason": TOO_FEW}
        elif by_phenomenon := pairs.get("by_phenomenon"):
            shown = {name: one for name, one in by_phenomenon.items() if name not in phenomena}
            pairs = {**pairs, "by_phenomenon": shown}
        guarded: BoardRow = {**row, "pairs": round_floats(pairs)}
        for name in COEFFICIENTS:
            guarded[name] = round_floats(undefined if group in groups else row[name])
        guarded_rows.append(guarded)
    return guarded_rows


def round_floats(value: Any) -> Any:  # noqa: ANN401 - JSON
    """A JSON value with all floats rounded: from exact ones, labels could be solved for."""
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, dict):
        return {name: round_floats(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [round_floats(one) for one in value]
    return value


def content_hash(judgment_set: JudgmentSet) -> str:
    """The set's content hash, or a keyed hash of it for a viewer from whom labels are hidden.

    From the plain hash, few hidden labels could be guessed by trying all values.
    """
    if not viewer_masks(judgment_set):
        return judgment_set.content_hash
    key = f"concord content hash {settings.SECRET_KEY}".encode()
    return hmac.new(key, judgment_set.content_hash.encode(), hashlib.sha256).hexdigest()


def _clear_cache(judgment_set: JudgmentSet) -> None:
    judgment_set.__dict__.pop("_hidden_splits", None)


def _masks(judgment_set: JudgmentSet, splits: set[str]) -> HiddenMasks:
    n, n_pairs = judgment_set.n_candidates, judgment_set.n_pairs
    if not splits:
        return HiddenMasks(np.zeros(n, dtype=bool), np.zeros(n_pairs, dtype=bool))
    if WHOLE in splits:
        return HiddenMasks(np.ones(n, dtype=bool), np.ones(n_pairs, dtype=bool))
    frame = frames.frame(judgment_set)
    names = sorted(splits)
    return HiddenMasks(
        np.isin(frame.labels["split"], names), np.isin(frame.pair_labels["split"], names)
    )


def _counts(labels: NDArray[np.str_], mask: NDArray[np.bool_]) -> dict[str, int]:
    """The number of masked items by label; labels without one are missing."""
    names, counts = np.unique(labels[mask], return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def _groups_to_withhold(counts: dict[str, int]) -> frozenset[str]:
    """The groups with too few hidden labels, and further ones until they have enough together, so
    that the difference of the total and the others reveals none."""
    smallest_first = sorted(counts, key=lambda name: (counts[name], name))
    groups: list[str] = []
    total = 0
    for name in smallest_first:
        is_enough = not groups or total >= settings.MIN_HIDDEN_LABELS
        if counts[name] >= settings.MIN_HIDDEN_LABELS and is_enough:
            break
        groups.append(name)
        total += counts[name]
    return frozenset(groups)
