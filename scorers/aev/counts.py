"""The counts from which AEv is computed: clipped matches, n-grams and lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from concord.metrics.comparisons import check_items
from concord.metrics.items import Item
from scorers import bleu
from scorers.aev.preparation import TextPreparation
from scorers.batch import ITEMS_PER_BATCH, Batch
from scorers.ngrams import MAX_ORDER, BatchTexts, Integers

if TYPE_CHECKING:
    from scorers.session import Session

#: Number of columns of a table of counts: four orders of four kinds, and two lengths.
COLUMNS = 4 * MAX_ORDER + 2


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """Sufficient statistics of AEv, for an item or summed over items.

    table: shape (..., 18), integers in int64 or float64. The columns are, for orders 1 to 4 each,
    the candidates' clipped matches, the candidates' n-grams, the references' clipped matches and
    the references' n-grams; then |c| and |r|.
    """

    table: NDArray[np.int64] | NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.table.ndim < 1 or self.table.shape[-1] != COLUMNS:
            raise ValueError(
                f"a table of counts needs {COLUMNS} columns, but its shape is {self.table.shape}"
            )

    @property
    def candidate_matches(self) -> NDArray[np.float64]:
        """Matches by order, clipped at the highest count in any reference: (..., 4)."""
        return self._block(0)

    @property
    def candidate_ngrams(self) -> NDArray[np.float64]:
        """The candidates' n-grams by order: (..., 4)."""
        return self._block(1)

    @property
    def reference_matches(self) -> NDArray[np.float64]:
        """Matches by order, summed over the references: (..., 4)."""
        return self._block(2)

    @property
    def reference_ngrams(self) -> NDArray[np.float64]:
        """The references' n-grams by order: (..., 4)."""
        return self._block(3)

    @property
    def candidate_length(self) -> NDArray[np.float64]:
        """|c|, the candidates' length in counted words: (...,)."""
        return self.table[..., -2].astype(np.float64)

    @property
    def reference_length(self) -> NDArray[np.float64]:
        """|r|, the length of the reference closest in length, the shorter of two: (...,)."""
        return self.table[..., -1].astype(np.float64)

    def _block(self, kind: int) -> NDArray[np.float64]:
        start = kind * MAX_ORDER
        return self.table[..., start : start + MAX_ORDER].astype(np.float64)


def count_texts(texts: BatchTexts) -> NgramCounts:
    """Count every comparison of prepared texts: a table of shape (n comparisons, 18)."""
    candidate = bleu.ngram_statistics(texts)
    rows = len(texts.candidate)
    reference_matches = np.zeros((rows, MAX_ORDER), dtype=np.int64)
    reference_ngrams = np.zeros((rows, MAX_ORDER), dtype=np.int64)
    comparison = np.repeat(np.arange(rows), texts.reference_counts)
    lengths = texts.grams.lengths[texts.reference]
    for n in range(1, MAX_ORDER + 1):
        matches = texts.matches(n)
        repeats = texts.reference_counts[matches.comparison]
        clipped = np.minimum(np.repeat(matches.count, repeats), matches.row_reference_count)
        np.add.at(reference_matches[:, n - 1], np.repeat(matches.comparison, repeats), clipped)
        np.add.at(reference_ngrams[:, n - 1], comparison, np.maximum(0, lengths - (n - 1)))
    columns: list[Integers] = [
        candidate.matches,
        candidate.ngrams,
        reference_matches,
        reference_ngrams,
        np.stack([candidate.candidate_length, candidate.reference_length], axis=1),
    ]
    return NgramCounts(np.concatenate(columns, axis=1))


def item_counts(
    items: Sequence[Item], preparation: TextPreparation, session: Session
) -> NgramCounts:
    """Count each item, references joint: a table of shape (n items, 18) in int64.

    Raises ValueError for an item without references, JavaError when the tokeniser fails again after
    a restart.
    """
    check_items(items)
    tables = [np.zeros((0, COLUMNS), dtype=np.int64)]
    for start in range(0, len(items), ITEMS_PER_BATCH):
        batch = Batch.of(items[start : start + ITEMS_PER_BATCH], session.services)
        tables.append(count_texts(preparation.texts(batch)).table.astype(np.int64))
    return NgramCounts(np.concatenate(tables))
