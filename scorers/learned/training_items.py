"""What a learned metric was trained on, as hashes small enough to lie beside its card.

Of each training item two hashes of eight bytes are kept: of its question and candidate, and of its
passage and question, all normalised (Unicode NFKC, letter case and white space apart). Whether an
item of some set was trained on can then be told without the training data. Of more than `CAPACITY`
hashes those below a bound are kept: an even draw, and the same one for everybody, so shares can
still be told. A chance match among 10,000 items has a probability of about 1e-10.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Item
from scorers.errors import CheckpointError
from scorers.judgments import Judgment
from scorers.learned.card import Card
from scorers.learned.checkpoint import checkpoint_folder, file_sha256

FILE = "training_items.npy"

#: The most hashes a file holds: two megabytes.
CAPACITY = 262_144

Hashes = NDArray[np.uint64]
Mask = NDArray[np.bool_]

_NONE: Hashes = np.zeros(0, dtype=np.uint64)
_NO_BOUND = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a set a metric was trained on.

    `answered` of the set's `items` were trained on with the same question and candidate, `asked`
    with the same passage and question (the candidate maybe another). Where only a draw of the
    hashes was kept, both are estimates. `known` is False for a checkpoint that does not say.
    """

    items: int
    answered: int
    asked: int
    known: bool = True

    @property
    def share(self) -> float:
        """The share of the items whose passage and question were trained on, 0 to 1."""
        return self.asked / self.items if self.items else 0.0

    @property
    def any(self) -> bool:
        """Whether anything at all of the set was trained on."""
        return self.asked > 0 or self.answered > 0


@dataclass(frozen=True, eq=False)
class Matches:
    """Which of some items were trained on: masks of shape (items,), as in `Overlap`.

    `tellable` are those of which the kept draw of hashes can tell, of answered and of asked;
    `known` is False for a checkpoint that does not say.
    """

    answered: Mask
    asked: Mask
    tellable: tuple[Mask, Mask]
    known: bool = True

    def among(self, chosen: Mask) -> Overlap:
        """The overlap with some of the items."""
        answered = _estimated(self.answered[chosen], self.tellable[0][chosen])
        asked = _estimated(self.asked[chosen], self.tellable[1][chosen])
        return Overlap(int(chosen.sum()), answered, asked, self.known)


def write_training_items(
    items: Iterable[Item], folder: Path, start: str = ""
) -> dict[str, int | str]:
    """Write the hashes beside a card; returns what the card says of them, for `Card.extra`.

    The hashes of `start`, the checkpoint that a training started from, are added: its items have
    been trained on as well. Raises CheckpointError where they cannot be read.
    """
    answered, asked = _hashes(list(items))
    earlier, bound = _written(start) if start else (_NONE, _NO_BOUND)
    hashes = np.unique(np.concatenate((answered, asked, earlier)))
    hashes = hashes[hashes <= np.uint64(bound)]
    kept = hashes[:CAPACITY]
    bound = int(kept[-1]) if len(kept) < len(hashes) else bound
    np.save(folder / FILE, kept)
    return {
        "hashes": len(kept),
        "of": len(hashes),
        "bound": bound,
        "sha256": file_sha256(folder / FILE),
    }


class TrainingRecord(TypedDict):
    """What `Card.extra` says of the judgments trained on: the file of their hashes, and the names
    of their constituents; how the checkpoint that training started from was made."""

    training_items: dict[str, int | str]
    constituents: list[str]
    started_from: NotRequired[dict[str, Any]]


def training_record(judgments: Sequence[Judgment], folder: Path, start: str = "") -> TrainingRecord:
    """Write the hashes of judgments trained on; what `Card.extra` says of these judgments.

    With `start` both include what that checkpoint was trained on, and "started_from" says how it
    was made.
    """
    started = Card.read(checkpoint_folder(start)) if start else None
    earlier = started.extra if started else {}
    named = {one.constituent for one in judgments} | {*earlier.get("constituents", ())}
    record: TrainingRecord = {
        "training_items": write_training_items((one.item for one in judgments), folder, start),
        "constituents": sorted(named - {""}),
    }
    if started:
        record["started_from"] = started.origin()
    return record


def overlap(checkpoint: str | Path, items: Sequence[Item]) -> Overlap:
    """How much of some items a checkpoint, given by name or folder, was trained on.

    Raises CheckpointError where its file of hashes is missing or is not the one its card names. A
    card that names none gives an `Overlap` that is not `known`.
    """
    return matches(checkpoint, items).among(np.ones(len(items), dtype=bool))


def matches(checkpoint: str | Path, items: Sequence[Item]) -> Matches:
    """Which of some items a checkpoint was trained on; see `overlap`."""
    folder = checkpoint_folder(str(checkpoint))
    if Card.read(folder).extra.get("training_items") is None:
        none = np.zeros(len(items), dtype=bool)
        return Matches(none, none, (none, none), known=False)
    kept, bound = _written(folder)
    hashes = _hashes(items)
    answered, asked = (np.isin(one, kept) for one in hashes)
    most = np.uint64(bound)
    return Matches(answered, asked, (hashes[0] <= most, hashes[1] <= most))


def _written(checkpoint: str | Path) -> tuple[Hashes, int]:
    """A checkpoint's hashes and the bound below which all are there; none where its card has none.

    Raises CheckpointError where the file is missing or is not the one that the card names.
    """
    folder = checkpoint_folder(str(checkpoint))
    named = Card.read(folder).extra.get("training_items")
    if named is None:
        return _NONE, _NO_BOUND
    path = folder / FILE
    if not path.is_file() or file_sha256(path) != named["sha256"]:
        raise CheckpointError(f"{path} is missing or is not the file the card names")
    kept: Hashes = np.load(path, allow_pickle=False)
    return kept, int(named["bound"])


def _estimated(found: Mask, tellable: Mask) -> int:
    """How many were trained on, from those that would have been kept if they were."""
    if not tellable.any():
        return 0
    return round(float(found[tellable].mean()) * len(found))


def _hashes(items: Sequence[Item]) -> tuple[Hashes, Hashes]:
    answered = [_hash("answered", item.question, item.candidate) for item in items]
    asked = [_hash("asked", item.passage, item.question) for item in items]
    return np.array(answered, dtype=np.uint64), np.array(asked, dtype=np.uint64)


def _hash(kind: str, one: str, other: str) -> int:
    text = "\x00".join((kind, _normalised(one), _normalised(other)))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
