"""Spreadsheets as streams: what is written is read back, and nothing waits for the last row."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from openpyxl.utils.escape import unescape

from benchmarks.exports.services import spreadsheets
from benchmarks.exports.services.spreadsheets import MAX_CELL_CHARACTERS, TOO_MANY, Sheet, stream

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)


def read(content: bytes, sheet: str = "scores") -> list[list[Any]]:
    rows = load_workbook(io.BytesIO(content))[sheet].iter_rows(values_only=True)
    return [[unescape(v) if isinstance(v, str) else v for v in row] for row in rows]


def written(rows: list[list[Any]], header: tuple[str, ...] = ("a", "b", "c")) -> bytes:
    return b"".join(stream([Sheet("scores", header, rows), Sheet("about", ["x"], [["y"]])]))


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5))
def test_what_is_written_is_read_back(rows: list[tuple[Any, ...]]) -> None:
    sheet = read(written([list(row) for row in rows]))
    expected = [["a", "b", "c"], *map(list, rows)]
    while expected[-1] == [None] * 3:  # the reader leaves empty rows at the end out
        expected.pop()
    assert sheet[: len(expected)] == expected


@pytest.mark.parametrize("text", ["\x00\x01", "_x0041_", "a _x000D_", "\ufffe", " a ", "<&>\"'"])
def test_characters_that_xml_does_not_hold_come_back(text: str) -> None:
    assert read(written([[text]]))[1][0] == text


def test_a_long_text_is_cut_and_what_is_not_finite_is_an_error() -> None:
    (_, row) = read(written([["a" * 40_000, math.nan, -math.inf]]))
    assert row == ["a" * MAX_CELL_CHARACTERS, "#NUM!", "#NUM!"]


def test_it_has_all_its_sheets_bold_headers_and_frozen_panes() -> None:
    book = load_workbook(io.BytesIO(written([[1, 2, 3]])))
    assert book.sheetnames == ["scores", "about"]
    assert all(cell.font.bold for cell in book["scores"][1])
    assert not book["scores"]["A2"].font.bold
    assert book["scores"].freeze_panes == "B2"
    assert read(written([]), "about") == [["x"], ["y"]]


def test_the_first_rows_leave_before_the_last_are_there() -> None:
    asked: list[int] = []

    def rows() -> Iterator[list[Any]]:
        for at in range(100_000):
            asked.append(at)
            yield [at, str(at * 7919 % 104729), None]

    pieces = stream([Sheet("scores", ["a", "b", "c"], rows())])
    assert sum(len(next(pieces)) for _ in range(20)) > 10_000
    assert len(asked) < 20_000


@pytest.mark.parametrize(
    ("bound", "value", "rows"), [("MAX_ROWS", 1_000, 1_000), ("MAX_SHEET_BYTES", 40_000, None)]
)
def test_a_sheet_that_is_full_says_so(
    bound: str, value: int, rows: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreadsheets, bound, value)
    sheet = read(written([[at, "text", None] for at in range(5_000)]))
    assert sheet[-1][0] == TOO_MANY and [row[0] for row in sheet[1:-1]] == list(
        range(len(sheet) - 2)
    )
    assert len(sheet) == rows or (rows is None and len(sheet) < 2_000)


def test_as_many_rows_as_a_sheet_holds_are_all_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "MAX_ROWS", 1_000)
    sheet = read(written([[at, None, None] for at in range(998)]))
    assert len(sheet) == 999 and sheet[-1][0] == 997
