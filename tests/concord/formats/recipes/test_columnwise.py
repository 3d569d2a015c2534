"""Tables are read by their columns as they are record by record."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concord.formats import RECIPES, FormatError, FormatRecipe, Limits, ReadOptions, read_judgments
from concord.formats.collector import RecordCollector
from concord.formats.errors import Problems
from concord.formats.files import open_files
from concord.formats.recipes.columnwise import read_by_columns
from concord.formats.recipes.judgments import JudgmentReader
from concord.formats.recipes.records import RecordFile
from concord.formats.tables import TABLE_FILES, CodedColumns, open_table, read_columns
from tests.concord.formats.recipe_examples import RECIPE_FILES
from tests.concord.formats.recipes.test_reading import LONG, ROWS

HEADER = "doc,system,text,rater,mark,mark2,status"
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
    max_examples=150,
)  # fmt: skip


def by_records(path: Path, recipe: FormatRecipe, options: ReadOptions | None = None) -> object:
    """What a file has, read record by record, or the message of its error."""
    limits, options = Limits(), options or ReadOptions()
    try:
        files = open_files([path], limits, TABLE_FILES)
        collector = RecordCollector(recipe.name, files, limits, "candidates")
        reader = JudgmentReader(recipe, collector, options)
        reader.read(RecordFile(files[0], recipe, collector, options.sheet))
        reader.finish()
        collector.finish()
    except FormatError as error:
        return str(error)
    return collector.candidates, collector.scale, collector.report.to_json()


def as_usual(path: Path, recipe: FormatRecipe, options: ReadOptions | None = None) -> object:
    try:
        file = read_judgments([path], recipe, options)
    except FormatError as error:
        return str(error)
    return file.candidates, file.scale, file.report.to_json()


def are_columns(path: Path, recipe: FormatRecipe) -> bool:
    files = open_files([path], Limits(), TABLE_FILES)
    collector = RecordCollector(recipe.name, files, Limits(), "candidates")
    reader = JudgmentReader(recipe, collector, ReadOptions())
    return read_by_columns(reader, RecordFile(files[0], recipe, collector, None))


CELLS = st.sampled_from(
    [
        "1",
        "2",
        "5",
        "a",
        "b ",
        "",
        " ",
        "-",
        "x",
        "good",
        "bad",
        'say "so"',
        "a,b",
        "two\nlines",
        "\0",
    ]
)


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
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator).writerows([HEADER.split(","), *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_text(stream.getvalue(), newline="")
        assert as_usual(path, recipe(toml)) == by_records(path, recipe(toml))


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


def cells(columns: CodedColumns) -> list[list[str]]:
    return [list(row.values()) for row in columns.rows(range(columns.size), columns.cells)]


@pytest.mark.parametrize(
    "name", [name for kind, name in RECIPE_FILES if kind == "judgments" and name in RECIPES]
)
def test_fixtures_are_read_as_their_records(tmp_path: Path, name: str) -> None:
    file, content = RECIPE_FILES["judgments", name]
    path = tmp_path / file
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert as_usual(path, RECIPES[name]) == by_records(path, RECIPES[name])


def test_a_table_of_ratings_is_read_by_its_columns(
    tmp_path: Path, recipe: Callable[[str], FormatRecipe]
) -> None:
    path = tmp_path / "f.csv"
    path.write_text(ROWS)
    assert are_columns(path, recipe(LONG))
    path.write_text(ROWS + "2,a,No.,,1\n")
    assert not are_columns(path, recipe(LONG))


def test_a_line_break_in_a_cell_is_kept_wherever_it_is(tmp_path: Path) -> None:
    """Arrow drops a line feed with which one of its blocks begins."""
    path = tmp_path / "f.csv"
    path.write_bytes(b"u,heading\r\n" + b'"a\r\nb",1\r\n' * 450_000)
    (file,) = open_files([path], Limits())
    table = open_table(file, Limits(), Problems())
    columns = read_columns(file, table, {"u": 0, "v": 1}, Limits())
    assert columns is not None and columns.cells == {"u": ["a\r\nb"], "v": ["1"]}


def test_a_candidate_in_two_spellings_has_its_own_ratings(
    tmp_path: Path,
) -> None:
    """Blanks around the name of a system make no other candidate."""
    path = tmp_path / "f.csv"
    rows = ["q,x,s,w1,1", "q,y,s,w1,2", "q,x,s ,w2,5", "q,z,s,w1,3"]
    path.write_text("\n".join(["question,answer,model,worker,rating", *rows]))
    assert are_columns(path, RECIPES["ratings-long"])
    assert as_usual(path, RECIPES["ratings-long"]) == by_records(path, RECIPES["ratings-long"])
