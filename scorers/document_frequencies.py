"""Document frequencies of n-grams in a corpus, and CIDEr's weights from them."""

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

    A document is a tuple of texts; it contains an n-gram when one of them does. `documents` maps
    each distinct document to its number of occurrences, and N is their sum. An n-gram's weight is
    log N - log max(1, its document frequency), so log N when it does not occur in the corpus.
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
            frequency = _count_documents(table, n, document, text, rows)
            self._weights.append(self._log_documents - _logarithms(frequency))

    def weights(self, table: NGramTable) -> list[NDArray[np.float64]]:
        """The weight of each distinct n-gram of a table, for n = 1..4."""
        ids = map(self._vocabulary.get, table.vocabulary, repeat(-1))
        words = np.fromiter(ids, dtype=np.int64)
        ids_in_corpus = words
        weights = []
        for n in range(1, MAX_ORDER + 1):
            grams = table.order(n)
            if n > 1:
                ids_in_corpus = self._look_up(n, ids_in_corpus[grams.prefix], words[grams.last])
            weight = np.full(len(grams), self._log_documents)
            occurs = ids_in_corpus >= 0
            weight[occurs] = self._weights[n - 1][ids_in_corpus[occurs]]
            weights.append(weight)
        return weights

    def _look_up(self, n: int, prefix: Integers, last: Integers) -> Integers:
        """The id of each n-gram in the corpus, -1 if it does not occur there."""
        keys = self._keys[n - 1]
        if len(keys) == 0:
            return np.full(len(prefix), -1, dtype=np.int64)
        searched = prefix * np.int64(len(self._vocabulary)) + last
        index = np.minimum(np.searchsorted(keys, searched), len(keys) - 1)
        return np.where((keys[index] == searched) & (prefix >= 0) & (last >= 0), index, -1)


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


def _count_documents(
    table: NGramTable, n: int, document: Integers, text: Integers, rows: Integers
) -> Integers:
    """For each n-gram, the number of rows whose document contains it."""
    grams = table.order(n)
    entries = np.diff(grams.starts)[text]
    gram = grams.gram[ranges(grams.starts[:-1][text], entries)]
    containing = np.repeat(document, entries)
    if len(document) > len(rows):
        # Some documents have several texts; count an n-gram once for all of them.
        width = np.int64(max(1, len(grams)))
        distinct = np.unique(containing * width + gram)
        containing, gram = distinct // width, distinct % width
    # The sums are exact, being integers far below 2**53.
    return np.bincount(gram, rows[containing], minlength=len(grams)).astype(np.int64)


def _logarithms(frequency: Integers) -> NDArray[np.float64]:
    """Natural logarithms of max(1, frequency), computed one by one by the C library.

    NumPy's vectorised logarithm may differ in the last bit, depending on a value's position in the
    array.
    """
    distinct, inverse = np.unique(np.maximum(1, frequency), return_inverse=True)
    return np.array([math.log(value) for value in distinct.tolist()], dtype=np.float64)[inverse]
