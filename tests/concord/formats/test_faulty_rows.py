"""The problems of a rejected file are shown on the rows they concern."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from concord.formats import FormatError, read_judgments
from concord.formats.faulty_rows import MAX_CELLS, FaultyCell, FaultyRow, faulty_rows, with_cells

HEADER = "id,question,reference,candidate,score\n"


def rows_of(path: Path, format: str) -> list[FaultyRow]:
    with pytest.raises(FormatError) as caught:
        read_judgments([path], format)
    return faulty_rows(with_cells(caught.value, [path], format).problems)


def test_the_faulty_cells_of_a_row_are_marked_among_the_others(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(f"{HEADER}a,Q?,R,x,3\nb,Q?,,y,good\n")
    (row,) = rows_of(path, "table")
    assert (row.file, row.line, row.unit, row.faults) == ("answers.csv", 3, "line", ())
    assert row.cells == (
        FaultyCell("id", "b"),
        FaultyCell("question", "Q?"),
        FaultyCell("reference", "", ("is empty; a reference is expected",)),
        FaultyCell("candidate", "y"),
        FaultyCell("score", "good", ('is "good"; a number is expected',)),
    )


def test_a_row_with_a_cell_too_many_is_shown_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(f"{HEADER}a,Q?,R,one, two,3\n")
    (row,) = rows_of(path, "table")
    assert [cell.text for cell in row.cells] == ["a", "Q?", "R", "one", " two", "3"]
    assert row.cells[-1].name == "column 6"
    assert row.faults[0].startswith("has 6 columns, but the header has 5")


def test_a_member_of_json_lines_is_marked_for_a_fault_inside_it(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "a", "candidate": "x", "references": ["r", 1]}\n{"id": \n')
    first, second = rows_of(path, "concord")
    marked = [cell for cell in first.cells if cell.faults]
    assert marked == [
        FaultyCell("references", '["r", 1]', ("[1]: is a number; a string is expected",))
    ]
    assert (second.line, second.cells) == (2, (FaultyCell("", '{"id": \n'),))


def test_a_row_of_a_workbook_is_found_by_its_number(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (["reference", "candidate", "score"], ["r", "x", 1], ["r", "y", "good"]):
        book.active.append(row)
    path = tmp_path / "answers.xlsx"
    book.save(path)
    (faulty,) = rows_of(path, "table")
    assert (faulty.line, faulty.unit) == (3, "row")
    assert [cell.name for cell in faulty.cells if cell.faults] == ["score"]


def test_only_the_first_cells_of_a_wide_row_are_shown_and_the_faulty_ones(tmp_path: Path) -> None:
    names = [f"n{at}" for at in range(60)]
    path = tmp_path / "answers.csv"
    path.write_text(f"reference,candidate,{','.join(names)},score\nr,x,{',' * 59},bad\n")
    (row,) = rows_of(path, "table")
    assert len(row.cells) == MAX_CELLS + 1 and row.cells[-1].name == "score"
