"""AVA (Vu and Moschitti, 2021): the introduction, Tables 1, 8 and 9, and Tables 5 and 6 from the
systems' printed figures."""

from __future__ import annotations

from tests.papers.checks import assert_as_recorded, each_entry
from tests.papers.computing import Computer
from tests.papers.data import Entry, read_paper
from tests.papers.reasons import faults

PAPER = read_paper("ava")


@each_entry(PAPER)
def test_a_printed_example_has_the_recorded_value(computer: Computer, entry: Entry) -> None:
    assert_as_recorded(computer, PAPER, entry)


def test_every_difference_has_a_reason() -> None:
    assert faults(PAPER) == []


def test_rmse_and_sigma_of_table_5_are_those_of_table_7_within_its_rounding() -> None:
    entries = [entry for entry in PAPER.entries if entry.where == "Table 5"]
    assert len(entries) == 4
    for entry in entries:
        for row, printed in entry.printed.items():
            for text, value in zip(printed, PAPER.here[entry.id][row], strict=True):
                assert abs(float(text) - value) <= 0.001, (entry.id, row)
