"""Checks shared by the tests of all papers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.papers.computing import Computer, tolerance
from tests.papers.data import Entry, Paper


def each_entry(paper: Paper, selected: Callable[[Entry], bool] = lambda _: True) -> object:
    """Runs a test once for each selected entry of a paper."""
    entries = [entry for entry in paper.entries if selected(entry)]
    return pytest.mark.parametrize("entry", entries, ids=[entry.id for entry in entries])


def computed_here(entry: Entry) -> bool:
    return not entry.needs_files


def assert_as_recorded(
    computer: Computer,
    paper: Paper,
    entry: Entry,
    selected: Callable[[str], bool] = lambda _: True,
) -> None:
    """The computed values of an entry's rows equal the recorded ones.

    Where a metric or checkpoint was changed on purpose, `python -m tests.papers.record` records
    the new values and prints what changed.
    """
    rows = [row for row in dict.fromkeys(row for _, row in paper.rows(entry)) if selected(row)]
    recorded = paper.here[entry.id]
    for row, values in (computer.compute(paper, entry, rows) if rows else {}).items():
        assert values == pytest.approx(recorded[row], rel=0, abs=tolerance(entry, row)), row
