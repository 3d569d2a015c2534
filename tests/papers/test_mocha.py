"""MOCHA and LERC (Chen et al., 2020): Figures 1 and 5, Tables 1, 3, 7 and 9, and the averages."""

from __future__ import annotations

from tests.papers.checks import assert_as_recorded, each_entry
from tests.papers.computing import Computer
from tests.papers.data import Entry, read_paper
from tests.papers.reasons import faults

PAPER = read_paper("mocha")


@each_entry(PAPER)
def test_a_printed_example_has_the_recorded_value(computer: Computer, entry: Entry) -> None:
    assert_as_recorded(computer, PAPER, entry)


def test_every_difference_has_a_reason() -> None:
    assert faults(PAPER) == []


def test_all_seven_minimal_pairs_of_table_3_are_compared() -> None:
    pairs = [entry for entry in PAPER.entries if entry.kind == "pair"]
    assert len(pairs) == 7
    for entry in pairs:
        better, worse = map(int, entry.people.split(", "))
        assert better > worse and "LERC" in entry.printed
