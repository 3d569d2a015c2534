"""A batch: some comparisons, their tokenised texts, and what several metrics compute from them."""

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
    """Comparisons to score, with everything the metrics share about them.

    `tokens` maps each tokeniser that is needed to a mapping from raw to tokenised text;
    `frequencies` maps each tokeniser to the document frequencies of the corpus, one per
    reference position under "max", a single one under "joint"; `corpus` is the set itself, given
    when a metric depends on it.
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
        """Tell whoever waits that the work goes on; an exception from there ends it."""
        if self.heartbeat:
            self.heartbeat()

    def shared(self, key: object, compute: Callable[[], Result]) -> Result:
        """Compute a value once for all metrics of this batch."""
        if key not in self._shared:
            self._shared[key] = compute()
        result: Result = self._shared[key]
        return result

    def texts(self, tokeniser: str) -> Texts:
        """The comparisons' texts after a tokeniser."""
        return self.shared(
            ("texts", tokeniser), lambda: _intern(self.comparisons, self._tokens[tokeniser])
        )


@dataclass(frozen=True)
class Texts:
    """The distinct tokenised texts of a batch and where they occur.

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
        """How many references each comparison has."""
        return np.diff(self.offsets)

    def single(self, chosen: Integers) -> Texts:
        """Only the chosen comparisons, each of which must have one reference."""
        return replace(
            self,
            candidate=self.candidate[chosen],
            reference=self.reference[self.offsets[chosen]],
            offsets=np.arange(len(chosen) + 1),
        )

    @cached_property
    def _matches(self) -> dict[int, Matches]:
        return {}

    def matches(self, n: int) -> Matches:
        """Every n-gram of every candidate beside its count in each of its references."""
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
    """The candidates' n-grams of one order beside the references' counts of them.

    One value per comparison and distinct n-gram of its candidate: `comparison`, `count` (in the
    candidate) and `starts`, the first of its rows. One row for each of these and each reference:
    `row_entry` (the entry of the candidate in the table of n-grams), `row_pair` (an index into
    the batch's flat list of references) and `row_reference_count`.
    """

    comparison: Integers
    count: Integers
    starts: Integers
    row_entry: Integers
    row_pair: Integers
    row_reference_count: Integers


def _intern(comparisons: Comparisons, tokens: Mapping[str, str]) -> Texts:
    ids = numbering()
    candidate = [ids[tokens[text]] for text in comparisons.candidates]
    reference = [ids[tokens[text]] for texts in comparisons.references for text in texts]
    counts = [len(references) for references in comparisons.references]
    distinct = list(ids)
    return Texts(
        distinct=distinct,
        grams=NGramTable(distinct),
        candidate=np.array(candidate, dtype=np.int64),
        reference=np.array(reference, dtype=np.int64),
        offsets=np.concatenate(([0], np.cumsum(np.array(counts, dtype=np.int64)))),
    )
