"""Soricut and Brill (2004): the members of the family, the penalties and a pair by hand."""

from __future__ import annotations

import math

import pytest

from tests.papers.checks import assert_as_recorded, each_entry
from tests.papers.computing import Computer
from tests.papers.data import Entry, read_paper
from tests.papers.reasons import faults

PAPER = read_paper("soricut_brill")


@each_entry(PAPER)
def test_a_formula_has_the_recorded_value(computer: Computer, entry: Entry) -> None:
    assert_as_recorded(computer, PAPER, entry)


def test_every_difference_has_a_reason() -> None:
    assert faults(PAPER) == []


def test_the_values_by_hand_are_those_of_the_formulas() -> None:
    """The decimals in the file equal those of the counts next to them."""
    p1, r1, p2, r2 = 7 / 9, 7 / 8, 4 / 8, 4 / 7
    balanced = r1 * p1 / (0.5 * r1 + 0.5 * p1)
    expected = [p1, r1, balanced, math.sqrt(p1 * p2), math.sqrt(r1 * r2)]
    printed = [float(text) for (text,) in PAPER.entry("figure-1-kpqa").printed.values()]
    assert printed == pytest.approx(expected, abs=5e-5)
    penalties = PAPER.entry("penalties").printed
    assert float(penalties["BP, B = 1"][0]) == pytest.approx(math.exp(1 - 8 / 6), abs=5e-4)
    as_printed = [math.exp(1 - 2 * 6 / 8), math.exp(1 - 2 * 24 / 8)]
    assert [float(text) for text in penalties["WP, W = 2, default"]] == pytest.approx(
        as_printed, abs=5e-4
    )
