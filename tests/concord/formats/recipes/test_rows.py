"""Tables are read by their columns as their rows are as JSON Lines, record by record."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concord.formats import RECIPES, FormatError, FormatRecipe, Limits, read_judgments
from concord.formats.errors import Problems
from concord.formats.files import open_files
from concord.formats.tables import CodedColumns, open_table, read_columns
from tests.concord.formats.recipes.test_reading import LONG, ROWS

HEADER = ["doc", "system", "text", "rater", "mark", "mark2", "status"]
# Templates, a melt, rows that are left out, and optional columns.
FULL = """
rows = "ratings"
repeated = "last"
[fields]
id = ["{doc}-{system}", "doc"]
instance = "doc"
system = "system"
candidate = ["text", "system"]
[ratings]
columns = ["mark", "mark{n}"]
worker = "rater"
criterion = "@column"
[[leave_out]]
field = "status"
values = "x"
reason = "tests"
[values]
missing = "-"
map = { good = 5 }
others = "leave out"
"""
SETTINGS = settings(
    deadline=None, database=None, suppress_health_check=list(HealthCheck), derandomize=True,
    max_examples=60,
)  # fmt: skip
CELLS = st.sampled_from(
    ["1", "2", "5", "a", "b ", "", " ", "-", "x", "good", "bad", 'say "so"', "a,b", "two\nlines"]
)


def read(path: Path, recipe: FormatRecipe, shift: int = 0) -> object:
    """What a file has, or its problems: how many, and those shown, without their lines."""
    try:
        file = read_judgments([path], recipe)
    except FormatError as error:
        return error.total, sorted((one.line or -shift) + shift for one in error.problems)
    report: dict[str, Any] = file.report.to_json()
    ignored = {"files", "columns", "missing_words"}  # in the order of the cells that were read
    return file.candidates, file.scale, {k: v for k, v in report.items() if k not in ignored}


@pytest.mark.parametrize("toml", [LONG, FULL, FULL.replace('"last"', '"error"')])
@SETTINGS
@given(
    rows=st.lists(st.tuples(*[CELLS] * 7), min_size=1, max_size=8),
    is_regular=st.booleans(),
    separator=st.sampled_from(",;\t"),
)
def test_a_table_is_read_as_its_records(
    recipe: Callable[[str], FormatRecipe],
    toml: str,
    rows: list[tuple[str, ...]],
    is_regular: bool,
    separator: str,
) -> None:
    """is_regular: raters and marks that most rows may have."""
    if is_regular:
        rows = [(*row[:3], f"r{at % 3}", "3", *row[5:]) for at, row in enumerate(rows)]
    # A row without any text is none in a table, and a cell of several lines moves the next ones.
    rows = [tuple(cell.replace("\n", " ") for cell in row) for row in rows if "".join(row).strip()]
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator).writerows([HEADER, *rows])
    with tempfile.TemporaryDirectory() as folder:
        table, records = Path(folder, "f.csv"), Path(folder, "f.jsonl")
        table.write_text(stream.getvalue(), newline="")
        lines = (json.dumps(dict(zip(HEADER, row, strict=True))) for row in rows)
        records.write_text("\n".join(lines) or "{}")
        assert not rows or read(table, recipe(toml)) == read(records, recipe(toml), 1)


@SETTINGS
@given(
    text=st.lists(st.sampled_from(['"', '""', ",", "\n", "\r\n", "\r", " ", "a", "\xe9", ";"])),
    quotes=st.booleans(),
    separator=st.sampled_from(",;"),
)
def test_columns_have_the_cells_of_rows(text: list[str], quotes: bool, separator: str) -> None:
    body = f"sep={separator}\n" + f"u{separator}v{separator}w\n1{separator}" + "".join(text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_bytes(body.encode())
        (file,) = open_files([path], Limits())
        faults = Problems()
        try:
            rows = list(open_table(file, Limits(), faults, quotes=quotes).rows)
        except FormatError:
            rows = []
        problems = Problems()
        try:
            table = open_table(file, Limits(), problems, quotes=quotes)
            wanted = {"u": 0, "v": 1, "w": 2}
            columns = read_columns(file, table, wanted, Limits(), quotes=quotes)
        except FormatError:
            columns = None
    if faults.total:
        assert columns is None or problems.total
    else:
        assert columns is not None and cells(columns) == [list(row) for _, row in rows]


def cells(columns: CodedColumns) -> list[list[Any]]:
    return [list(row.values()) for row in columns.rows(range(columns.size), columns.cells)]


def test_every_row_with_a_fault_is_named(
    tmp_path: Path, recipe: Callable[[str], FormatRecipe]
) -> None:
    """Rows that are alike are read once, until one has a fault."""
    path = tmp_path / "f.csv"
    path.write_text(ROWS + "2,a,No.,,1\n" + ROWS.partition("\n")[2] + "2,a,No.,,1\n")
    count = ROWS.count("\n")
    with pytest.raises(FormatError) as caught:
        read_judgments([path], recipe(LONG))
    lines = [one.line for one in caught.value.problems if "no name of a rater" in one.message]
    assert lines == [count + 1] and f"also on line {2 * count + 1}" in str(caught.value)


def test_a_line_break_in_a_cell_is_kept_wherever_it_is(tmp_path: Path) -> None:
    """Arrow drops a line feed with which one of its blocks begins."""
    path = tmp_path / "f.csv"
    path.write_bytes(b"u,heading\r\n" + b'"a\r\nb",1\r\n' * 450_000)
    (file,) = open_files([path], Limits())
    table = open_table(file, Limits(), Problems())
    columns = read_columns(file, table, {"u": 0, "v": 1}, Limits())
    assert columns.cells == {"u": ["a\r\nb"], "v": ["1"]}


def test_a_candidate_in_two_spellings_has_its_own_ratings(tmp_path: Path) -> None:
    """Blanks around the name of a system make no other candidate."""
    path = tmp_path / "f.csv"
    rows = ["q,x,s,w1,1", "q,y,s,w1,2", "q,x,s ,w2,5", "q,z,s,w1,3"]
    path.write_text("\n".join(["question,answer,model,worker,rating", *rows]))
    candidates = read_judgments([path], RECIPES["ratings-long"]).candidates
    assert [(one.text, [own.value for own in one.ratings]) for one in candidates] == [
        ("x", [1.0, 5.0]),
        ("y", [2.0]),
        ("z", [3.0]),
    ]
