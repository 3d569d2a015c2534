"""How many documents of a corpus hold each n-gram, and the weights CIDEr makes of that."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Corpus
from concord.metrics.metric import MultiRef
from scorers.ngrams import MAX_ORDER, Integers, NGramTable, ranges


class DocumentFrequencies:
    """Inverse document frequencies of the n-grams (n = 1..4) of a corpus of tokenised texts.

    A document is a tuple of texts; it holds an n-gram when one of them does. `documents` says
    how often each distinct one occurs; N is their sum. An n-gram's weight is
    log N - log max(1, its document frequency), so log N when the corpus does not know it.
    """

    def __init__(self, documents: Mapping[tuple[str, ...], int]) -> None:
        if not documents:
            raise ValueError("document frequencies need at least one document")
        texts = list(dict.fromkeys(text for document in documents for text in document))
        index = {text: i for i, text in enumerate(texts)}
        rows = np.array(list(documents.values()), dtype=np.int64)
        self._log_documents = math.log(int(rows.sum()))
        table = NGramTable(texts)
        self._vocabulary = {word: i for i, word in enumerate(table.vocabulary)}
        members = [(d, index[text]) for d, doc in enumerate(documents) for text in doc]
        document, text = np.array(members, dtype=np.int64).T
        self._keys: list[Integers] = []
        self._weights: list[NDArray[np.float64]] = []
        for n in range(1, MAX_ORDER + 1):
            grams = table.order(n)
            self._keys.append(grams.prefix * np.int64(max(1, len(self._vocabulary))) + grams.last)
            frequency = _frequencies(table, n, document, text, rows)
            self._weights.append(self._log_documents - _logarithms(frequency))

    def weights(self, table: NGramTable) -> list[NDArray[np.float64]]:
        """The weight of each distinct n-gram of a table, for n = 1..4."""
        ids = map(self._vocabulary.get, table.vocabulary, repeat(-1))
        words = np.fromiter(ids, dtype=np.int64)
        known = words
        weights = []
        for n in range(1, MAX_ORDER + 1):
            grams = table.order(n)
            if n > 1:
                known = self._find(n, known[grams.prefix], words[grams.last])
            weight = np.full(len(grams), self._log_documents)
            weight[known >= 0] = self._weights[n - 1][known[known >= 0]]
            weights.append(weight)
        return weights

    def _find(self, n: int, prefix: Integers, last: Integers) -> Integers:
        """The corpus's id of each n-gram, -1 where it has none."""
        keys = self._keys[n - 1]
        if len(keys) == 0:
            return np.full(len(prefix), -1, dtype=np.int64)
        wanted = prefix * np.int64(len(self._vocabulary)) + last
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((keys[at] == wanted) & (prefix >= 0) & (last >= 0), at, -1)


def document_frequencies(
    corpus: Corpus, tokens: Mapping[str, str], multi_ref: MultiRef
) -> tuple[DocumentFrequencies, ...]:
    """The document frequencies of a corpus, given the tokens of its texts.

    Under "joint" there is one: a document is all the references of a row. Under "max" there is
    one per reference position k: the documents are the k-th references of the rows with one.
    """
    if multi_ref == "joint":
        joint: Counter[tuple[str, ...]] = Counter()
        for references, rows in corpus.documents.items():
            joint[tuple(tokens[text] for text in references)] += rows
        return (DocumentFrequencies(joint),)
    by_position: list[Counter[tuple[str, ...]]] = []
    for references, rows in corpus.documents.items():
        for position, text in enumerate(references):
            if position == len(by_position):
                by_position.append(Counter())
            by_position[position][(tokens[text],)] += rows
    return tuple(DocumentFrequencies(documents) for documents in by_position)


def _frequencies(
    table: NGramTable, n: int, document: Integers, text: Integers, rows: Integers
) -> Integers:
    """Sum, for each n-gram, the rows of the documents one of whose texts holds it."""
    grams = table.order(n)
    entries = np.diff(grams.starts)[text]
    gram = grams.gram[ranges(grams.starts[:-1][text], entries)]
    holder = np.repeat(document, entries)
    if len(document) > len(rows):
        # Some documents have several texts; count an n-gram once for all of them.
        width = np.int64(max(1, len(grams)))
        held = np.unique(holder * width + gram)
        holder, gram = held // width, held % width
    # Sums of integers far below 2**53, so exact.
    return np.bincount(gram, rows[holder], minlength=len(grams)).astype(np.int64)


def _logarithms(frequency: Integers) -> NDArray[np.float64]:
    """Natural logarithms of max(1, frequency), each computed alone by the C library.

    NumPy's vectorised logarithm may differ in the last bit with a value's place in the array.
    """
    distinct, inverse = np.unique(np.maximum(1, frequency), return_inverse=True)
    return np.array([math.log(value) for value in distinct.tolist()], dtype=np.float64)[inverse]
