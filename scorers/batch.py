"""A batch of comparisons with their tokenised texts and the values that metrics share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from concord.metrics.comparisons import Comparisons
from concord.metrics.items import Corpus
from scorers.document_frequencies import DocumentFrequencies
from scorers.ngrams import Integers, NGramTable, numbering, ranges
from scorers.services import Services

Result = TypeVar("Result")


class Batch:
    """Comparisons to score, with the values that the metrics share.

    tokens: for each tokeniser, a mapping from raw to tokenised texts. frequencies: for each
    tokeniser, the document frequencies of the corpus, one per reference position under "max" and
    one under "joint". corpus: the set, if a metric depends on it.
    """

    def __init__(
        self,
        comparisons: Comparisons,
        services: Services,
        tokens: Mapping[str, Mapping[str, str]],
        frequencies: Mapping[str, tuple[DocumentFrequencies, ...]],
        corpus: Corpus | None = None,
    ) -> None:
        self.corpus = corpus
        self.comparisons = comparisons
        self.services = services
        self.frequencies = frequencies
        self._tokens = tokens
        self._shared: dict[object, Any] = {}
        self.heartbeat: Callable[[], None] | None = None

    def __len__(self) -> int:
        return len(self.comparisons)

    def tick(self, _count: int) -> None:
        """Report that the work goes on; an exception raised by the heartbeat ends it."""
        if self.heartbeat:
            self.heartbeat()

    def shared(self, key: object, compute: Callable[[], Result]) -> Result:
        """Compute a value once for all metrics of this batch."""
        if key not in self._shared:
            self._shared[key] = compute()
        result: Result = self._shared[key]
        return result

    def texts(self, tokeniser: str) -> BatchTexts:
        """The comparisons' texts, tokenised."""
        return self.shared(
            ("texts", tokeniser), lambda: _index_texts(self.comparisons, self._tokens[tokeniser])
        )


@dataclass(frozen=True)
class BatchTexts:
    """The distinct tokenised texts of a batch, and the comparisons that use them.

    `candidate[i]` is comparison i's candidate as an index into `distinct`; its references are
    `reference[offsets[i]:offsets[i + 1]]`. `grams` are the n-grams of the distinct texts.
    """

    distinct: list[str]
    grams: NGramTable
    candidate: Integers
    reference: Integers
    offsets: Integers

    @cached_property
    def reference_counts(self) -> Integers:
        """The number of references of each comparison."""
        return np.diff(self.offsets)

    def select_single_reference(self, comparisons: Integers) -> BatchTexts:
        """The texts of some comparisons by index, each of which must have one reference."""
        return replace(
            self,
            candidate=self.candidate[comparisons],
            reference=self.reference[self.offsets[comparisons]],
            offsets=np.arange(len(comparisons) + 1),
        )

    @cached_property
    def _matches(self) -> dict[int, Matches]:
        return {}

    def matches(self, n: int) -> Matches:
        """Every n-gram of every candidate with its count in each of its references."""
        if n not in self._matches:
            self._matches[n] = self._match(n)
        return self._matches[n]

    def _match(self, n: int) -> Matches:
        grams = self.grams.order(n)
        entries = np.diff(grams.starts)[self.candidate]
        comparison = np.repeat(np.arange(len(self.candidate)), entries)
        entry = ranges(grams.starts[:-1][self.candidate], entries)
        repeats = self.reference_counts[comparison]
        row_entry = np.repeat(entry, repeats)
        pair = ranges(self.offsets[:-1][comparison], repeats)
        return Matches(
            comparison=comparison,
            count=grams.count[entry],
            starts=np.cumsum(repeats) - repeats,
            row_entry=row_entry,
            row_pair=pair,
            row_reference_count=grams.counts_in(self.reference[pair], grams.gram[row_entry]),
        )


@dataclass(frozen=True)
class Matches:
    """The candidates' n-grams of one order, with their counts in the references.

    `comparison`, `count` (in the candidate) and `starts` (the first row) have one value for each
    comparison and distinct n-gram of its candidate. The `row_` arrays have one row for each of
    these and each reference: `row_entry` is the candidate's entry in the n-gram table, `row_pair`
    an index into the batch's flat list of references, `row_reference_count` the count in that
    reference.
    """

    comparison: Integers
    count: Integers
    starts: Integers
    row_entry: Integers
    row_pair: Integers
    row_reference_count: Integers


def _index_texts(comparisons: Comparisons, tokens: Mapping[str, str]) -> BatchTexts:
    ids = numbering()
    candidate = [ids[tokens[text]] for text in comparisons.candidates]
    reference = [ids[tokens[text]] for texts in comparisons.references for text in texts]
    counts = [len(references) for references in comparisons.references]
    distinct = list(ids)
    return BatchTexts(
        distinct=distinct,
        grams=NGramTable(distinct),
        candidate=np.array(candidate, dtype=np.int64),
        reference=np.array(reference, dtype=np.int64),
        offsets=np.concatenate(([0], np.cumsum(np.array(counts, dtype=np.int64)))),
    )
