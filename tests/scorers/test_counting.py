"""Subsequences, n-grams, document frequencies and the cache, compared with simple code."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.caches import LRU
from scorers.ngrams import DocumentFrequencies, NGramTable, ranges
from scorers.rouge_l import lcs_length

word_lists = st.lists(st.sampled_from("abcd"), max_size=9)
text_lists = st.lists(word_lists.map(" ".join), max_size=6)


def ngrams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


@given(word_lists, word_lists)
def test_the_subsequence_is_as_long_as_by_the_table(first: list[str], second: list[str]) -> None:
    table = np.zeros((len(first) + 1, len(second) + 1), dtype=int)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            best = max(table[i, j + 1], table[i + 1, j])
            table[i + 1, j + 1] = table[i, j] + 1 if a == b else best
    assert lcs_length(first, second) == table[-1, -1]


def test_subsequences_of_long_texts() -> None:
    words = [str(i % 700) for i in range(5000)]
    assert lcs_length(words, words) == 5000
    assert lcs_length(words, words[::-1][:1]) == 1


@given(text_lists, st.integers(1, 4))
def test_counts_equal_those_of_a_counter(texts: list[str], n: int) -> None:
    table = NGramTable(texts)
    grams = table.order(n)
    for t, text in enumerate(texts):
        entries = slice(grams.starts[t], grams.starts[t + 1])
        expected = list(ngrams(text, n).values())  # a Counter keeps the order of occurrence
        assert grams.count[entries].tolist() == expected
    assert len(grams) == len({gram for text in texts for gram in ngrams(text, n)})


@given(text_lists.filter(bool), st.integers(1, 4), st.data())
def test_counts_are_found_in_other_texts(texts: list[str], n: int, data: st.DataObject) -> None:
    grams = NGramTable(texts).order(n)
    source = data.draw(st.integers(0, len(texts) - 1))
    other = data.draw(st.integers(0, len(texts) - 1))
    entries = grams.gram[grams.starts[source] : grams.starts[source + 1]]
    counts = grams.counts_in(np.full(len(entries), other), entries)
    counted = ngrams(texts[other], n)
    assert counts.tolist() == [counted[gram] for gram in ngrams(texts[source], n)]


documents = st.dictionaries(
    st.lists(word_lists.map(" ".join), min_size=1, max_size=3).map(tuple),
    st.integers(1, 3),
    min_size=1,
    max_size=5,
)


@given(documents, text_lists.filter(bool))
def test_weights_follow_the_formula(
    documents: dict[tuple[str, ...], int], texts: list[str]
) -> None:
    total = sum(documents.values())
    table = NGramTable(texts)
    weights = DocumentFrequencies(documents).weights(table)
    for n in range(1, 5):
        grams = table.order(n)
        for t, text in enumerate(texts):
            gram_weights = weights[n - 1][grams.gram[grams.starts[t] : grams.starts[t + 1]]]
            for gram, weight in zip(ngrams(text, n), gram_weights, strict=True):
                holding = sum(
                    rows
                    for document, rows in documents.items()
                    if any(gram in ngrams(member, n) for member in document)
                )
                assert weight == pytest.approx(math.log(total) - math.log(max(1, holding)))


def test_no_documents_have_no_frequencies() -> None:
    with pytest.raises(ValueError, match="at least one document"):
        DocumentFrequencies({})


def test_ranges_are_concatenated() -> None:
    indices = ranges(np.array([5, 0, 9]), np.array([2, 0, 3]))
    assert indices.tolist() == [5, 6, 9, 10, 11]


def test_the_cache_drops_what_was_not_used_for_longest() -> None:
    cache = LRU[str, str](10, lambda key, value: len(key) + len(value))
    cache.put_many([("a", "1234"), ("b", "1234")])
    assert cache.get_many(["a", "x"]) == {"a": "1234"}
    cache.put_many([("c", "12")])
    assert cache.get_many("abc") == {"a": "1234", "c": "12"}
    cache.put_many([("huge", "x" * 20)])
    assert len(cache) == 0
    cache.put_many([("d", "1")])
    assert cache.get_many(["d"]) == {"d": "1"}


def test_the_cache_replaces_an_entry_that_is_put_again() -> None:
    cache = LRU[str, str](10, lambda key, value: len(key) + len(value))
    cache.put_many([("a", "1"), ("b", "1")])
    cache.put_many([("a", "12345")])
    assert cache.get_many("ba") == {"a": "12345", "b": "1"}
    cache.put_many([("c", "12")])
    assert cache.get_many("abc") == {"a": "12345", "c": "12"}, "its new weight counts"
