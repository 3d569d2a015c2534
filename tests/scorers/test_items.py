"""Items and corpora."""

import dataclasses

import pytest

from scorers import Corpus, Item


def test_an_item_cannot_be_changed() -> None:
    item = Item("a", ("b",))
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.candidate = "c"  # type: ignore[misc]
    assert not hasattr(item, "__dict__")


def test_a_corpus_counts_a_row_each_time_it_occurs() -> None:
    corpus = Corpus.of([["a", "b"], ("c",), ["a", "b"]])
    assert dict(corpus.documents) == {("a", "b"): 2, ("c",): 1}
    assert len(corpus) == 3


def test_a_fingerprint_does_not_depend_on_the_order_of_rows() -> None:
    rows = [["a", "b"], ["c"], ["a", "b"], ["d \ud800"]]
    assert Corpus.of(rows).fingerprint == Corpus.of(rows[::-1]).fingerprint


def test_a_fingerprint_tells_corpora_apart() -> None:
    corpora = [
        [["a", "b"]],
        [["b", "a"]],
        [["ab"]],
        [["a"], ["b"]],
        [["a", "b"], ["a", "b"]],
        [["a", "b", ""]],
        [],
    ]
    assert len({Corpus.of(rows).fingerprint for rows in corpora}) == len(corpora)


def test_a_row_without_references_is_refused() -> None:
    with pytest.raises(ValueError, match="no references"):
        Corpus.of([["a"], []])
