"""Hidden labels: what a set's viewer may not see.

Only the set's editors see gold scores, ratings and figures of single items of a hidden split. Which
figures over many items others see is the rule of `benchmarks.runs.services.releasing`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from benchmarks.sets.models import HiddenLabels, JudgmentSet
from benchmarks.sets.services import frames
from core import audit

WHOLE = ""


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


def content_hash(judgment_set: JudgmentSet) -> str:
    """The set's content hash, or a keyed hash of it for a viewer from whom labels are hidden.

    From the plain hash, few hidden labels could be guessed by trying all values. The key is the
    set's own, so that the hash stays the same when SECRET_KEY is changed.
    """
    if not viewer_masks(judgment_set):
        return judgment_set.content_hash
    key = bytes.fromhex(judgment_set.pseudonym_key)
    text = f"content hash {judgment_set.content_hash}"
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


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
