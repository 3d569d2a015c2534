"""The words that mean a tie."""

import pytest

from concord.formats.choices import as_choice, read_choice, tie_of


@pytest.mark.parametrize("text", ["Tie", " TIE ", "A=B", "a = b", "both good", "Tie (both good)"])
def test_words_for_a_tie(text):
    assert tie_of(text) == "tie" == read_choice(text)


@pytest.mark.parametrize("text", ["tie (bothbad)", "both bad", "both_bad", "Both-Bad"])
def test_words_for_both_bad(text):
    assert tie_of(text) == "both_bad" == read_choice(text)
    assert as_choice("both_bad") == "tie"


@pytest.mark.parametrize(
    "value", [0, 3, 1.0, True, None, "", "first", "A>B", "untie", "tie?", "tie 1", [], {}]
)
def test_other_values_are_no_choice(value):
    assert read_choice(value) is None


@pytest.mark.parametrize(("value", "choice"), [(1, 1), (2, 2), ("1", 1), ("2", 2)])
def test_the_two_answers(value, choice):
    assert read_choice(value) == choice
