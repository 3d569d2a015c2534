"""Hashes of the items that a learned metric was trained on, stored beside its card.

Each training item has two hashes of eight bytes: one of its question and candidate, one of its
passage and question. The texts are normalised: Unicode NFKC, without letter case and extra white
space. The hashes show which items of a set were trained on without the training data. Of more than
`MAX_HASHES` hashes only those below a bound are stored. This is a uniform sample, the same for
every checkpoint, so shares can be estimated. The probability of a chance match among 10,000 items
is about 1e-10.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Item
from scorers.encoders import file_sha256
from scorers.errors import CheckpointError
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder

if TYPE_CHECKING:
    from scorers.datasets.judgments import Judgment

FILE = "training_items.npy"

#: The maximum number of hashes in a file: two megabytes.
MAX_HASHES = 262_144

Hashes = NDArray[np.uint64]
Mask = NDArray[np.bool_]

_NO_HASHES: Hashes = np.zeros(0, dtype=np.uint64)
_NO_BOUND = 2**64 - 1


@dataclass(frozen=True, slots=True)
class TrainingOverlap:
    """How many items of a set a metric was trained on.

    Of the set's `items`, `same_candidate` were trained on with the same question and candidate, and
    `same_question` with the same passage and question and any candidate. Both are estimates when
    only a sample of the hashes is stored. `is_known` is False for a checkpoint without hashes.
    """

    items: int
    same_candidate: int
    same_question: int
    is_known: bool = True

    @property
    def share(self) -> float:
        """The share of the items whose passage and question were trained on, 0 to 1."""
        return self.same_question / self.items if self.items else 0.0

    @property
    def any(self) -> bool:
        """Whether any item of the set was trained on."""
        return self.same_question > 0 or self.same_candidate > 0


@dataclass(frozen=True, eq=False)
class TrainingMatches:
    """Which of some items were trained on: masks of shape (items,), as in `TrainingOverlap`.

    `decidable` marks the items whose hash lies below the bound, so that the stored sample decides
    about them: once for `same_candidate`, once for `same_question`. `is_known` is False for a
    checkpoint without hashes.
    """

    same_candidate: Mask
    same_question: Mask
    decidable: tuple[Mask, Mask]
    is_known: bool = True

    def overlap(self, selected: Mask) -> TrainingOverlap:
        """The overlap with the selected items."""
        same_candidate = _estimate_count(self.same_candidate[selected], self.decidable[0][selected])
        same_question = _estimate_count(self.same_question[selected], self.decidable[1][selected])
        return TrainingOverlap(int(selected.sum()), same_candidate, same_question, self.is_known)


def write_training_items(
    items: Iterable[Item], folder: Path, start: str = ""
) -> dict[str, int | str]:
    """Write the hashes of training items into a checkpoint; returns their entry in `Card.extra`.

    The hashes of `start`, the checkpoint that the training started from, are included. Raises
    CheckpointError when they cannot be read.
    """
    candidate_hashes, question_hashes = _hashes(list(items))
    start_hashes, bound = _read_hashes(start) if start else (_NO_HASHES, _NO_BOUND)
    hashes = np.unique(np.concatenate((candidate_hashes, question_hashes, start_hashes)))
    hashes = hashes[hashes <= np.uint64(bound)]
    stored = hashes[:MAX_HASHES]
    bound = int(stored[-1]) if len(stored) < len(hashes) else bound
    np.save(folder / FILE, stored)
    return {
        "hashes": len(stored),
        "of": len(hashes),
        "bound": bound,
        "sha256": file_sha256(folder / FILE),
    }


class TrainingRecord(TypedDict):
    """The entries of `Card.extra` about the training judgments.

    training_items: the file of their hashes. constituents: the names of their constituents.
    started_from: the origin of the checkpoint that the training started from.
    """

    training_items: dict[str, int | str]
    constituents: list[str]
    started_from: NotRequired[dict[str, Any]]


def training_record(judgments: Sequence[Judgment], folder: Path, start: str = "") -> TrainingRecord:
    """Write the hashes of training judgments and return their entries in `Card.extra`.

    With `start`, the hashes and the constituents include those of that checkpoint.
    """
    start_card = CheckpointCard.read(checkpoint_folder(start)) if start else None
    start_extra = start_card.extra if start_card else {}
    constituents = {judgment.constituent for judgment in judgments}
    constituents |= {*start_extra.get("constituents", ())}
    record: TrainingRecord = {
        "training_items": write_training_items((one.item for one in judgments), folder, start),
        "constituents": sorted(constituents - {""}),
    }
    if start_card:
        record["started_from"] = start_card.origin()
    return record


def overlap(checkpoint: str | Path, items: Sequence[Item]) -> TrainingOverlap:
    """How many of some items a checkpoint, given by name or folder, was trained on.

    Raises CheckpointError when its file of hashes is missing or is not the one that its card names.
    For a card that names no such file, `is_known` of the result is False.
    """
    return match_training_items(checkpoint, items).overlap(np.ones(len(items), dtype=bool))


def match_training_items(checkpoint: str | Path, items: Sequence[Item]) -> TrainingMatches:
    """Which of some items a checkpoint was trained on; see `overlap`."""
    folder = checkpoint_folder(str(checkpoint))
    if CheckpointCard.read(folder).extra.get("training_items") is None:
        none = np.zeros(len(items), dtype=bool)
        return TrainingMatches(none, none, (none, none), is_known=False)
    stored, bound = _read_hashes(folder)
    candidate_hashes, question_hashes = _hashes(items)
    decidable = (candidate_hashes <= np.uint64(bound), question_hashes <= np.uint64(bound))
    return TrainingMatches(
        np.isin(candidate_hashes, stored), np.isin(question_hashes, stored), decidable
    )


def _read_hashes(checkpoint: str | Path) -> tuple[Hashes, int]:
    """A checkpoint's hashes and their upper bound; no hashes if its card names none.

    Raises CheckpointError when the file is missing or is not the one that the card names.
    """
    folder = checkpoint_folder(str(checkpoint))
    entry = CheckpointCard.read(folder).extra.get("training_items")
    if entry is None:
        return _NO_HASHES, _NO_BOUND
    path = folder / FILE
    if not path.is_file() or file_sha256(path) != entry["sha256"]:
        raise CheckpointError(f"{path} is missing or is not the file that its card names")
    hashes: Hashes = np.load(path, allow_pickle=False)
    return hashes, int(entry["bound"])


def _estimate_count(matches: Mask, decidable: Mask) -> int:
    """The number of matches, extrapolated from the decidable items."""
    if not decidable.any():
        return 0
    return round(float(matches[decidable].mean()) * len(matches))


def _hashes(items: Sequence[Item]) -> tuple[Hashes, Hashes]:
    """The hashes of question and candidate, and of passage and question, of each item."""
    by_candidate = [_hash("answered", item.question, item.candidate) for item in items]
    by_question = [_hash("asked", item.passage, item.question) for item in items]
    return np.array(by_candidate, dtype=np.uint64), np.array(by_question, dtype=np.uint64)


def _hash(kind: str, one: str, other: str) -> int:
    text = "\x00".join((kind, _normalise(one), _normalise(other)))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _normalise(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
