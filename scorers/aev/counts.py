"""What AEv is computed from: clipped matches, n-grams and lengths, of items and their sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from concord.metrics.comparisons import build_comparisons, check_items
from concord.metrics.items import Item
from scorers import bleu
from scorers.aev.preparation import Preparation
from scorers.batch import Batch, Texts
from scorers.ngrams import MAX_ORDER, Integers

if TYPE_CHECKING:
    from scorers.session import Session

#: Columns of a table of counts: four each of four kinds, and two lengths.
WIDTH = 4 * MAX_ORDER + 2
_ITEMS_PER_BATCH = 2048


@dataclass(frozen=True, eq=False)
class Counts:
    """Sufficient statistics of AEv for anything they are summed over.

    table: shape (..., 18), integers in int64 or float64: by order 1 to 4 the candidates' clipped
    matches and n-grams, the references' clipped matches and n-grams; then |c| and |r|. The counts
    of a set are the sum of its items' tables.
    """

    table: NDArray[np.int64] | NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.table.ndim < 1 or self.table.shape[-1] != WIDTH:
            raise ValueError(f"counts have {WIDTH} columns, not shape {self.table.shape}")

    @property
    def candidate_matches(self) -> NDArray[np.float64]:
        """An n-gram counts as often as the candidate and its richest reference share it: (..., 4).

        So are the other three.
        """
        return self._block(0)

    @property
    def candidate_ngrams(self) -> NDArray[np.float64]:
        return self._block(1)

    @property
    def reference_matches(self) -> NDArray[np.float64]:
        """An n-gram counts as often as each reference shares it with the candidate."""
        return self._block(2)

    @property
    def reference_ngrams(self) -> NDArray[np.float64]:
        return self._block(3)

    @property
    def candidate_length(self) -> NDArray[np.float64]:
        """|c|, in words that are counted: (...,)."""
        return self.table[..., -2].astype(np.float64)

    @property
    def reference_length(self) -> NDArray[np.float64]:
        """|r|, of the reference closest in length, the shorter of two: (...,)."""
        return self.table[..., -1].astype(np.float64)

    def _block(self, kind: int) -> NDArray[np.float64]:
        start = kind * MAX_ORDER
        return self.table[..., start : start + MAX_ORDER].astype(np.float64)


def counts_of(texts: Texts) -> Counts:
    """Count every comparison of prepared texts: a table of shape (n comparisons, 18)."""
    precision = bleu.statistics(texts)
    rows = len(texts.candidate)
    shared = np.zeros((rows, MAX_ORDER), dtype=np.int64)
    present = np.zeros((rows, MAX_ORDER), dtype=np.int64)
    comparison = np.repeat(np.arange(rows), texts.reference_counts)
    lengths = texts.grams.lengths[texts.reference]
    for n in range(1, MAX_ORDER + 1):
        found = texts.matches(n)
        repeats = texts.reference_counts[found.comparison]
        clipped = np.minimum(np.repeat(found.count, repeats), found.row_reference_count)
        np.add.at(shared[:, n - 1], np.repeat(found.comparison, repeats), clipped)
        np.add.at(present[:, n - 1], comparison, np.maximum(0, lengths - (n - 1)))
    ends = np.stack([precision.candidate_length, precision.reference_length], axis=1)
    parts: list[Integers] = [precision.matches, precision.ngrams, shared, present, ends]
    return Counts(np.concatenate(parts, axis=1))


def item_counts(items: Sequence[Item], preparation: Preparation, session: Session) -> Counts:
    """Count each item, references joint: a table of shape (n items, 18) in int64.

    Raises ValueError for an item without references, JavaError when the tokeniser fails for good.
    """
    services = session._services
    check_items(items)
    tables = [np.zeros((0, WIDTH), dtype=np.int64)]
    for start in range(0, len(items), _ITEMS_PER_BATCH):
        part = items[start : start + _ITEMS_PER_BATCH]
        texts = (text for item in part for text in (item.candidate, *item.references))
        tokens = {preparation.tokens: services.tokenise(preparation.tokens, texts)}
        batch = Batch(build_comparisons(part, "joint"), services, tokens, {})
        tables.append(counts_of(preparation.texts(batch)).table.astype(np.int64))
    return Counts(np.concatenate(tables))
