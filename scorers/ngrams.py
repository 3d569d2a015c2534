"""Exact n-gram counts of many texts at once.

Words become integers, and an n-gram is known by the pair (its first n-1 words' id, its last
word's id), itself turned into an integer with `numpy.unique`: exact, without hashing. Ids are
private to one table and depend on what else is in it; nothing computed from a table may.
Everything that is summed is therefore laid out in the order in which a text's n-grams first
occur, so that floating-point sums come out the same to the last bit in any table.
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
        wanted = texts * np.int64(len(self)) + grams
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[at] == wanted, self._counts[at], 0)


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
        """The distinct words; a word's place in the list is its id."""
        return self._interned[0]

    def order(self, n: int) -> Grams:
        """The n-grams of order n, computed when first asked for."""
        while len(self._orders) < n:
            self._orders.append(self._next_order())
        return self._orders[n - 1]

    def _next_order(self) -> Grams:
        n = len(self._orders) + 1
        words = self._interned[1]
        if n == 1:
            # Where the n-grams of the latest order start, their ids and their texts.
            self._position: Integers = np.arange(len(words))
            self._ids = words
            self._text: Integers = np.repeat(np.arange(len(self._texts)), self.lengths)
            identity = np.arange(len(self.vocabulary))
            return self._count(prefix=identity, last=identity)
        # An n-gram starts wherever an (n-1)-gram is followed by another of the same text.
        kept = np.flatnonzero(self._text[1:] == self._text[:-1])
        self._position, self._text = self._position[kept], self._text[kept]
        width = np.int64(max(1, len(self.vocabulary)))
        pairs = self._ids[kept] * width + words[self._position + n - 1]
        distinct, self._ids = np.unique(pairs, return_inverse=True)
        return self._count(prefix=distinct // width, last=distinct % width)

    def _count(self, prefix: Integers, last: Integers) -> Grams:
        width = np.int64(max(1, len(last)))
        keys, first, counts = np.unique(
            self._text * width + self._ids, return_index=True, return_counts=True
        )
        by_occurrence = np.argsort(first)
        ordered = keys[by_occurrence]
        per_text = np.bincount(ordered // width, minlength=len(self.lengths))
        return Grams(
            gram=ordered % width,
            count=counts[by_occurrence],
            starts=np.concatenate(([0], np.cumsum(per_text))),
            prefix=prefix,
            last=last,
            _keys=keys,
            _counts=counts,
        )


def numbering() -> defaultdict[str, int]:
    """A mapping that gives each new key the next integer, from 0, when it is looked up."""
    return defaultdict(count().__next__)


def ranges(starts: Integers, lengths: Integers) -> Integers:
    """Concatenate the ranges `starts[i] .. starts[i] + lengths[i] - 1`."""
    total = int(lengths.sum())
    offsets = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.arange(total) - offsets + np.repeat(starts, lengths)
