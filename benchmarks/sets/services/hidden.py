"""Hidden labels: what a set's viewer may not see, and which figures would tell it all the same.

Of candidates and pairs in a hidden split, gold scores, ratings and figures of single items leave
to the set's editors alone; others get aggregates. Aggregates tell too: over few items, or with many
digits, or by the difference of two. So those over fewer than MIN_HIDDEN_LABELS hidden labels are
withheld, and further groups until what is withheld holds as many; the others are rounded.
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
from concord.meta.documents.board import BoardRow
from concord.meta.documents.figures import FigureRow
from concord.meta.table import COEFFICIENTS
from core import audit

WHOLE = ""
DECIMALS = 3
TOO_FEW = "withheld: it rests on too few hidden labels"


@dataclass(frozen=True)
class Hidden:
    """What is hidden from a set's viewer: masks of shape (n_candidates,) and (n_pairs,)."""

    candidates: NDArray[np.bool_]
    pairs: NDArray[np.bool_]

    def __bool__(self) -> bool:
        return bool(self.candidates.any() or self.pairs.any())


def of(judgment_set: JudgmentSet) -> Hidden:
    """What is hidden from the set's viewer; nothing from its editors."""
    splits = set() if judgment_set.viewer.hidden_labels else splits_of(judgment_set)
    return _masks(judgment_set, splits)


def from_everybody(judgment_set: JudgmentSet) -> Hidden:
    """What is hidden from all but editors, whoever looks."""
    return _masks(judgment_set, splits_of(judgment_set))


def splits_of(judgment_set: JudgmentSet) -> set[str]:
    """The hidden splits of the set, in any version; an empty name stands for all of them.

    Looked up once for each object that stands for the set, which lives no longer than a page.
    """
    known: set[str] | None = getattr(judgment_set, "_hidden_splits", None)
    if known is None:
        found = HiddenLabels.objects.filter(set_name=judgment_set.name)
        known = set(found.values_list("split", flat=True))
        judgment_set._hidden_splits = known  # type: ignore[attr-defined]
    return known


def sets_with_any(judgment_sets: Iterable[JudgmentSet]) -> set[str]:
    """The names of those of the sets that have hidden labels; one query."""
    names = {one.name for one in judgment_sets}
    found = HiddenLabels.objects.filter(set_name__in=names)
    return set(found.values_list("set_name", flat=True))


def keys_of(judgment_set: JudgmentSet) -> dict[str, bytes]:
    """By hidden split, the key that decides how its pairs are shown."""
    found = HiddenLabels.objects.filter(set_name=judgment_set.name)
    return {split: key.encode() for split, key in found.values_list("split", "pair_key")}


def hide(judgment_set: JudgmentSet, split: str, *, at: datetime) -> bool:
    """Hide the labels of a split, or with "" of all, in every version; False: they were hidden."""
    _forget(judgment_set)
    with transaction.atomic():
        _, is_new = HiddenLabels.objects.get_or_create(
            set_name=judgment_set.name, split=split, defaults={"created_at": at}
        )
        if is_new:
            _note(judgment_set, "labels.hidden", split)
    return is_new


def reveal(judgment_set: JudgmentSet, split: str) -> bool:
    """Show them to everybody again; False: they were not hidden."""
    _forget(judgment_set)
    found = HiddenLabels.objects.filter(set_name=judgment_set.name, split=split)
    with transaction.atomic():
        were_hidden = bool(found.delete()[0])
        if were_hidden:
            _note(judgment_set, "labels.revealed", split)
    return were_hidden


def _note(judgment_set: JudgmentSet, action: str, split: str) -> None:
    about = {"split": split or "all"}
    audit.record(None, action, judgment_set, after=about, judgment_set=judgment_set)


def withheld(judgment_set: JudgmentSet, by: str = WHOLE) -> frozenset[str]:
    """The groups of a grouping whose figures over candidates the viewer does not get; {""} is the
    whole set."""
    mask = of(judgment_set)
    if not mask:
        return frozenset()
    frame = frames.frame(judgment_set)
    labels = frame.labels[by] if by else np.full(len(mask.candidates), WHOLE)
    return _too_few(_counts(labels, mask.candidates & frame.judged))


def withheld_pairs(judgment_set: JudgmentSet, by: str = WHOLE) -> frozenset[str]:
    """As `withheld`, of figures over minimal pairs, which have groups of their own: `by` may be
    "phenomenon", and groupings that pairs do not have are of no group."""
    mask = of(judgment_set)
    if not mask:
        return frozenset()
    labels = frames.frame(judgment_set).pair_labels.get(by)
    found = np.full(len(mask.pairs), WHOLE) if labels is None else labels
    return _too_few(_counts(found, mask.pairs))


def guarded_rows(
    judgment_set: JudgmentSet, by: str | None, rows: Iterable[BoardRow]
) -> list[BoardRow]:
    """A board's rows as the viewer may have them: figures withheld or rounded."""
    every = list(rows)
    mask = of(judgment_set)
    if not mask:
        return every
    groups = withheld(judgment_set, by or WHOLE)
    pair_groups = withheld_pairs(judgment_set, by or WHOLE)
    phenomena = withheld_pairs(judgment_set, "phenomenon")
    undefined: FigureRow = {"value": None, "reason": TOO_FEW}
    found: list[BoardRow] = []
    for row in every:
        group, pairs = row["group"] or WHOLE, row["pairs"]
        if group in pair_groups:
            pairs = {"n": pairs["n"], "accuracy": None, "value": None, "reason": TOO_FEW}
        elif by_phenomenon := pairs.get("by_phenomenon"):
            shown = {name: one for name, one in by_phenomenon.items() if name not in phenomena}
            pairs = {**pairs, "by_phenomenon": shown}
        guarded: BoardRow = {**row, "pairs": rounded(pairs)}
        for name in COEFFICIENTS:
            guarded[name] = rounded(undefined if group in groups else row[name])
        found.append(guarded)
    return found


def rounded(value: Any) -> Any:
    """Every number in a JSON value to three decimals: an exact one is an equation in the labels."""
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return value


def content_hash(judgment_set: JudgmentSet) -> str:
    """The set's content hash; keyed for those from whom labels are hidden, since few labels could
    be found by trying all of them."""
    if not of(judgment_set):
        return judgment_set.content_hash
    key = f"concord content hash {settings.SECRET_KEY}".encode()
    return hmac.new(key, judgment_set.content_hash.encode(), hashlib.sha256).hexdigest()


def _forget(judgment_set: JudgmentSet) -> None:
    judgment_set.__dict__.pop("_hidden_splits", None)


def _masks(judgment_set: JudgmentSet, splits: set[str]) -> Hidden:
    n, n_pairs = judgment_set.n_candidates, judgment_set.n_pairs
    if not splits:
        return Hidden(np.zeros(n, dtype=bool), np.zeros(n_pairs, dtype=bool))
    if WHOLE in splits:
        return Hidden(np.ones(n, dtype=bool), np.ones(n_pairs, dtype=bool))
    frame = frames.frame(judgment_set)
    names = sorted(splits)
    return Hidden(np.isin(frame.labels["split"], names), np.isin(frame.pair_labels["split"], names))


def _counts(labels: NDArray[np.str_], chosen: NDArray[np.bool_]) -> dict[str, int]:
    """How many of the chosen each label has, of those that have any."""
    names, counts = np.unique(labels[chosen], return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def _too_few(counts: dict[str, int]) -> frozenset[str]:
    """The groups to withhold: what they hold together is not told by what the others hold."""
    least = settings.MIN_HIDDEN_LABELS
    smallest_first = sorted(counts, key=lambda name: (counts[name], name))
    found: list[str] = []
    for name in smallest_first:
        together = sum(counts[one] for one in found)
        if counts[name] >= least and (not found or together >= least):
            break
        found.append(name)
    return frozenset(found)
