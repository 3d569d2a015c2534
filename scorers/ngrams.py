"""Exact n-gram counts of many texts at once.

Words become integer ids. An n-gram is the pair (id of its first n-1 words, id of its last word),
which `numpy.unique` turns into an integer id without hashing. Ids depend on the other texts of the
table, but no value computed from a table may. Arrays that are summed are therefore in the order in
which a text's n-grams first occur, so floating-point sums are the same to the last bit in any
table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
MAX_ORDER = 4


@dataclass(frozen=True)
class Grams:
    """The n-grams of one order in a table of texts.

    Entries are (text, n-gram) pairs, sorted by text and within it by first occurrence:
    `gram` and `count` have one value per entry, `starts[t]:starts[t + 1]` are text t's entries.
    `prefix` and `last` define the distinct n-grams: the id of the first n-1 words (for n = 1
    the word itself) and of the last word.
    """

    gram: Integers
    count: Integers
    starts: Integers
    prefix: Integers
    last: Integers
    _keys: Integers
    _counts: Integers

    def __len__(self) -> int:
        """The number of distinct n-grams."""
        return len(self.last)

    @cached_property
    def text(self) -> Integers:
        """The text of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def counts_in(self, texts: Integers, grams: Integers) -> Integers:
        """How often n-gram `grams[i]` occurs in text `texts[i]`."""
        if len(self._keys) == 0:
            return np.zeros(len(texts), dtype=np.int64)
        searched = texts * np.int64(len(self)) + grams
        index = np.minimum(np.searchsorted(self._keys, searched), len(self._keys) - 1)
        return np.where(self._keys[index] == searched, self._counts[index], 0)


class NGramTable:
    """The n-grams of order 1 to 4 of a list of texts, split at white space."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._orders: list[Grams] = []

    @cached_property
    def _split(self) -> list[list[str]]:
        return [text.split() for text in self._texts]

    @cached_property
    def lengths(self) -> Integers:
        """The number of words of each text."""
        return np.array([len(words) for words in self._split], dtype=np.int64)

    @cached_property
    def _interned(self) -> tuple[list[str], Integers]:
        ids = numbering()
        flat = np.fromiter(map(ids.__getitem__, chain.from_iterable(self._split)), np.int64)
        return list(ids), flat

    @property
    def vocabulary(self) -> list[str]:
        """The distinct words; a word's index is its id."""
        return self._interned[0]

    def order(self, n: int) -> Grams:
        """The n-grams of order n, computed at the first call."""
        while len(self._orders) < n:
            self._orders.append(self._next_order())
        return self._orders[n - 1]

    def _next_order(self) -> Grams:
        n = len(self._orders) + 1
        words = self._interned[1]
        if n == 1:
            # The start positions, ids and texts of the n-grams of the latest order.
            self._position: Integers = np.arange(len(words))
            self._ids = words
            self._text: Integers = np.repeat(np.arange(len(self._texts)), self.lengths)
            identity = np.arange(len(self.vocabulary))
            return self._count(prefix=identity, last=identity)
        # An n-gram starts wherever an (n-1)-gram is followed by another of the same text.
        continued = np.flatnonzero(self._text[1:] == self._text[:-1])
        self._position, self._text = self._position[continued], self._text[continued]
        width = np.int64(max(1, len(self.vocabulary)))
        pairs = self._ids[continued] * width + words[self._position + n - 1]
        distinct, self._ids = np.unique(pairs, return_inverse=True)
        return self._count(prefix=distinct // width, last=distinct % width)

    def _count(self, prefix: Integers, last: Integers) -> Grams:
        width = np.int64(max(1, len(last)))
        keys, first, counts = np.unique(
            self._text * width + self._ids, return_index=True, return_counts=True
        )
        by_occurrence = np.argsort(first)
        keys_by_occurrence = keys[by_occurrence]
        per_text = np.bincount(keys_by_occurrence // width, minlength=len(self.lengths))
        return Grams(
            gram=keys_by_occurrence % width,
            count=counts[by_occurrence],
            starts=np.concatenate(([0], np.cumsum(per_text))),
            prefix=prefix,
            last=last,
            _keys=keys,
            _counts=counts,
        )


def numbering() -> defaultdict[str, int]:
    """A mapping that assigns the next integer, from 0, to each new key at its first lookup."""
    return defaultdict(count().__next__)


def ranges(starts: Integers, lengths: Integers) -> Integers:
    """Concatenate the ranges `starts[i] .. starts[i] + lengths[i] - 1`."""
    total = int(lengths.sum())
    offsets = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.arange(total) - offsets + np.repeat(starts, lengths)
