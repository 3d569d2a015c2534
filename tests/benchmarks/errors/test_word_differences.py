"""Marking of words that differ between two texts."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.errors.word_differences import WordPiece, word_differences


def marked(pieces: list[WordPiece]) -> list[str]:
    return [piece.text.strip() for piece in pieces if piece.differs]


def test_words_of_only_one_text_are_marked():
    one, other = word_differences("The red boat, at noon.", "the Blue boat at noon today")
    assert marked(one) == ["red"] and marked(other) == ["Blue", "today"]


def test_case_punctuation_and_space_do_not_differ():
    assert all(not marked(side) for side in word_differences("A boat!", "a   boat"))
    assert word_differences("", "word") == ([], [WordPiece("word", True)])


@given(st.text(), st.text())
def test_pieces_put_together_are_the_text(one, other):
    left, right = word_differences(one, other)
    assert "".join(piece.text for piece in left) == one
    assert "".join(piece.text for piece in right) == other
    assert not any(piece.differs for piece in word_differences(one, one)[0])


def test_neighbouring_words_are_one_piece():
    assert word_differences("the quite, very red boat", "the boat")[0] == [
        WordPiece("the ", False),
        WordPiece("quite, very red", True),
        WordPiece(" boat", False),
    ]


def test_very_long_texts_are_not_marked():
    long = "word " * 5000
    assert word_differences(long, "other") == (
        [WordPiece(long, False)],
        [WordPiece("other", False)],
    )
