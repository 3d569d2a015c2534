"""Changes to keyphrase weights: units of measure, and texts without a keyphrase."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.keyphrases.predictor import Keyphrases
from scorers.kpqa.units import (
    MAX_CONCENTRATED_PIECES,
    Adjustment,
    effective_number,
    unit_pieces,
)

WORDS = st.sampled_from(["5", "1831", "ten", "-", "million", "Years", "tor", "percent", "the"])
TEXTS = st.lists(st.tuples(WORDS, st.floats(0.01, 0.99)), max_size=8)


def keyphrases(words: list[tuple[str, float]]) -> Keyphrases:
    """A text of words, each of which is one wordpiece."""
    text, spans = "", []
    for word, _ in words:
        text += " " if text else ""
        spans.append((len(text), len(text) + len(word)))
        text += word
    return Keyphrases(
        text,
        tuple(word.lower() for word, _ in words),
        tuple(range(len(words))),
        tuple(spans),
        np.array([weight for _, weight in words]),
    )


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("It took 5 years", ["years"]),
        ("5 million dollars were paid", ["million", "dollars"]),
        ("a 20 - year term", ["year"]),
        ("twenty Percent", ["percent"]),
        ("10ths of years", []),
        ("years later in 1831 Tor came", []),
        ("in the second year", []),
        ("which unit ? dollars", []),
        ("", []),
    ],
)
def test_a_unit_is_a_word_of_measure_after_a_number(text: str, units: list[str]) -> None:
    phrases = keyphrases([(word, 0.5) for word in text.split()])
    assert [phrases.pieces[place] for place in unit_pieces(phrases)] == units


def test_all_wordpieces_of_a_unit_count() -> None:
    pieces = Keyphrases(
        "3 kilometers", ("3", "kilo", "##meters"), (0, 1, 1), ((0, 1), (2, 6), (6, 12)),
        np.array([0.2, 0.8, 0.6]),
    )  # fmt: skip
    assert Adjustment(units=0.5)(pieces).weights.tolist() == [0.2, 0.4, 0.3]


@given(TEXTS, st.floats(0, 1))
def test_units_have_their_share_and_other_words_are_unchanged(
    words: list[tuple[str, float]], factor: float
) -> None:
    given_ = keyphrases(words)
    before = given_.weights.copy()
    adjusted = Adjustment(units=factor)(given_).weights
    places = unit_pieces(given_)
    expected = before.copy()
    expected[places] *= factor
    assert np.array_equal(adjusted, expected)
    assert np.array_equal(given_.weights, before)
    assert len(words) == 0 or adjusted.sum() > 0


LONG_TEXTS = st.lists(st.tuples(WORDS, st.floats(0.01, 0.99)), max_size=24)


def test_the_effective_number_counts_the_pieces_that_share_the_weight() -> None:
    assert effective_number(np.full(7, 0.3)) == pytest.approx(7)
    assert effective_number(np.array([0.0, 0.4, 0.0])) == pytest.approx(1)
    assert effective_number(np.array([0.4, 0.4, 1e-9])) == pytest.approx(2, abs=1e-6)
    assert effective_number(np.zeros(3)) == effective_number(np.zeros(0)) == 0.0


@given(LONG_TEXTS, st.floats(0, 1))
def test_only_a_text_without_a_keyphrase_is_flattened(
    words: list[tuple[str, float]], share: float
) -> None:
    given_ = keyphrases(words)
    before = given_.weights.copy()
    adjusted = Adjustment(flatten=share)(given_).weights
    assert np.array_equal(given_.weights, before)
    if effective_number(before) <= MAX_CONCENTRATED_PIECES:
        assert np.array_equal(adjusted, before)
    else:
        assert adjusted.mean() == pytest.approx(before.mean())
        assert adjusted.std() == pytest.approx((1 - share) * before.std(), abs=1e-12)


def test_equal_weights_of_many_words_stay_equal_and_one_heavy_word_stays_heavy() -> None:
    vague = keyphrases([(f"w{i}", 0.2 + 0.01 * i) for i in range(20)])
    assert np.ptp(Adjustment(flatten=1.0)(vague).weights) == pytest.approx(0.0, abs=1e-12)
    sharp = keyphrases([("tor", 0.99), *((f"w{i}", 0.001) for i in range(20))])
    assert np.array_equal(Adjustment(flatten=1.0)(sharp).weights, sharp.weights)


@given(TEXTS)
def test_the_defaults_change_nothing(words: list[tuple[str, float]]) -> None:
    given_ = keyphrases(words)
    assert np.array_equal(Adjustment()(given_).weights, given_.weights)
