"""Weighted overlaps, compared with a search through all common subsequences."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.kpqa.units import (
    clipped_overlap,
    f_measure,
    heaviest_common_subsequence,
    literal_overlap,
    longest_common_subsequence_weight,
)
from scorers.rouge_l import lcs_length

UNITS = st.lists(st.sampled_from("abc"), max_size=7)


@st.composite
def weighted(draw: st.DrawFn) -> tuple[list[str], np.ndarray]:
    units = draw(UNITS)
    weights = draw(
        st.lists(st.floats(0.0009765625, 1, width=16), min_size=len(units), max_size=len(units))
    )
    return units, np.array(weights)


def is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(long)
    return all(unit in rest for unit in short)


def common_subsequences(
    one: list[str], weights: np.ndarray, other: list[str]
) -> list[tuple[int, float]]:
    """The (length, weight) of every common subsequence, the empty one among them."""
    return [
        (size, float(weights[list(indices)].sum()))
        for size in range(len(one) + 1)
        for indices in combinations(range(len(one)), size)
        if is_subsequence([one[i] for i in indices], other)
    ]


@given(weighted(), UNITS)
def test_the_heaviest_common_subsequence_is_the_true_maximum(
    one: tuple[list[str], np.ndarray], other: list[str]
) -> None:
    heaviest = max(weight for _, weight in common_subsequences(*one, other))
    assert heaviest_common_subsequence(*one, other) == pytest.approx(heaviest, abs=1e-12)


@given(weighted(), UNITS)
def test_the_literal_form_takes_the_heaviest_of_the_longest_common_subsequences(
    one: tuple[list[str], np.ndarray], other: list[str]
) -> None:
    subsequences = common_subsequences(*one, other)
    longest = max(length for length, _ in subsequences)
    expected = max(weight for length, weight in subsequences if length == longest)
    assert longest_common_subsequence_weight(*one, other) == pytest.approx(expected, abs=1e-12)
    assert longest == lcs_length(one[0], other)


@given(weighted(), UNITS)
def test_the_weight_of_the_longest_does_not_depend_on_the_direction(
    one: tuple[list[str], np.ndarray], other: list[str]
) -> None:
    units, weights = one
    forwards = longest_common_subsequence_weight(units, weights, other)
    backwards = longest_common_subsequence_weight(units[::-1], weights[::-1], other[::-1])
    assert forwards == pytest.approx(backwards, abs=1e-12)


@given(weighted(), UNITS)
def test_the_longest_is_never_heavier_than_the_heaviest(
    one: tuple[list[str], np.ndarray], other: list[str]
) -> None:
    longest = longest_common_subsequence_weight(*one, other)
    assert longest <= heaviest_common_subsequence(*one, other) + 1e-12


@given(UNITS, UNITS)
def test_with_equal_weights_it_is_the_length_of_the_longest(
    one: list[str], other: list[str]
) -> None:
    assert heaviest_common_subsequence(one, np.ones(len(one)), other) == lcs_length(one, other)


def test_the_weight_of_a_repeated_unit_does_not_depend_on_its_position() -> None:
    weights = np.array([0.1, 0.9])
    assert heaviest_common_subsequence(["a", "a"], weights, ["a"]) == 0.9
    assert heaviest_common_subsequence(["a", "a"], weights[::-1], ["a"]) == 0.9


def test_a_shorter_common_subsequence_may_be_the_heaviest() -> None:
    one, weights, other = ["x", "a", "b"], np.array([0.9, 0.1, 0.1]), ["a", "b", "x"]
    assert heaviest_common_subsequence(one, weights, other) == pytest.approx(0.9)
    assert longest_common_subsequence_weight(one, weights, other) == pytest.approx(0.2)


def test_of_several_longest_common_subsequences_the_heaviest_is_taken() -> None:
    assert longest_common_subsequence_weight(
        ["a", "b"], np.array([0.2, 0.7]), ["b", "a"]
    ) == pytest.approx(0.7)
    assert longest_common_subsequence_weight([], np.zeros(0), ["a"]) == 0.0
    assert longest_common_subsequence_weight(["a"], np.array([0.5]), []) == 0.0


@given(weighted(), UNITS)
def test_clipped_overlap_takes_the_heaviest_and_at_most_the_total_weight(
    one: tuple[list[str], np.ndarray], other: list[str]
) -> None:
    units, weights = one
    expected = 0.0
    for unit in set(units):
        unit_weights = sorted(
            (w for u, w in zip(units, weights, strict=True) if u == unit), reverse=True
        )
        expected += sum(unit_weights[: other.count(unit)])
    overlap = clipped_overlap(units, weights, other)
    assert overlap == pytest.approx(expected, abs=1e-12)
    assert overlap <= weights.sum() + 1e-12
    assert clipped_overlap(units, weights, units) == pytest.approx(weights.sum(), abs=1e-12)


@given(weighted(), UNITS)
def test_the_literal_overlap_counts_every_pair_of_equal_units(
    one: tuple[list[str], np.ndarray], other: list[str]
) -> None:
    units, weights = one
    pairs = sum(
        weight for unit, weight in zip(units, weights, strict=True) for o in other if o == unit
    )
    assert literal_overlap(units, weights, other) == pytest.approx(float(pairs), abs=1e-12)


def test_the_f_measure_is_the_harmonic_mean_at_one_and_recall_for_large_beta() -> None:
    assert f_measure(0.5, 1.0, 1.0) == pytest.approx(2 / 3)
    assert f_measure(0.5, 1.0, 100.0) == pytest.approx(1.0, abs=1e-3)
    assert f_measure(0.0, 0.0, 1.2) == 0.0
