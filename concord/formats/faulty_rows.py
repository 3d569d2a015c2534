"""The rows of a rejected file that its problems concern, with their cells as they were read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from concord.formats.delimited import read_rows
from concord.formats.errors import FormatError, Problem, Problems, json_path_part
from concord.formats.files import SourceFile, open_files, parse_json
from concord.formats.limits import Limits
from concord.formats.recipes import RECIPES, FormatRecipe
from concord.formats.tables import TABLE_FILES, kind_of, open_table, sample
from concord.formats.tables.table import check_header
from concord.formats.unpacking import accept_encoding, unpacked

MAX_CELLS = 40

Cells = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FaultyCell:
    """A cell as it was read, shortened, and what is wrong with it; `name` is its column or field,
    "" where the row has none."""

    name: str
    text: str
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FaultyRow:
    """A row of a file with its problems. `faults`: those of no cell that is shown, each with its
    field if it has one. `line` is None for problems of the file as a whole; `file` is its name,
    with the sheet of a workbook."""

    file: str
    line: int | None
    faults: tuple[str, ...]
    cells: tuple[FaultyCell, ...] = ()

    @property
    def unit(self) -> str:
        """What `line` counts: "row" of a sheet, else "line"."""
        return "row" if self.file.endswith("]") else "line"


def with_cells(
    error: FormatError,
    paths: Iterable[Path],
    format: str | FormatRecipe = "",
    sheet: str | None = None,
    limits: Limits | None = None,
) -> FormatError:
    """The error, whose problems have the cells of their rows. It reads the files again, at most to
    the last row that is needed; what cannot be read again has no cells.

    format: of the files; only that of a recipe matters. sheet: of a workbook.
    """
    cells: dict[tuple[str, int], Cells] = {}
    for path in paths:
        with suppress(FormatError, OSError):
            for row in _rows_of(path, error.problems, format, sheet, limits or Limits()):
                cells.setdefault(*row)
    problems = [
        replace(problem, cells=cells.get((_file(problem), problem.line or 0), ()))
        for problem in error.problems
    ]
    return FormatError(problems, error.total)


def faulty_rows(problems: Sequence[Problem]) -> list[FaultyRow]:
    """The rows of problems, in the order of their first problem; those of no line one by one."""
    groups: dict[object, list[Problem]] = {}
    for at, problem in enumerate(problems):
        place = (problem.file, problem.line)
        groups.setdefault(at if problem.line is None else place, []).append(problem)
    return [_row(group) for group in groups.values()]


def _row(problems: Sequence[Problem]) -> FaultyRow:
    first = problems[0]
    marked: dict[str, list[str]] = {}
    of_row = []
    for problem in problems:
        names = [name for name, _ in first.cells if _is_in(problem.field, name)]
        if names:  # the longest: "answer.text" has a column "answer", too
            name = max(names, key=len)
            inner = (problem.field or "").removeprefix(json_path_part(name)).lstrip(".")
            marked.setdefault(name, []).append(_sentence(inner, problem.message))
        else:
            of_row.append(_sentence(problem.field, problem.message))
    shown = [
        FaultyCell(name, text, tuple(marked.get(name, ())))
        for at, (name, text) in enumerate(first.cells)
        if at < MAX_CELLS or name in marked
    ]
    return FaultyRow(Path(first.file).name, first.line, tuple(of_row), tuple(shown))


def _is_in(field: str | None, name: str) -> bool:
    """Whether a problem's field is a cell of this name, or a value in it."""
    part = json_path_part(name)
    return (
        bool(name)
        and field is not None
        and (field == part or field.startswith((f"{part}.", f"{part}[")))
    )


def _sentence(field: str | None, message: str) -> str:
    return f"{field}: {message}" if field else message


def _file(problem: Problem) -> str:
    """The file of a problem, without its folder and without the name of a sheet."""
    name = Path(problem.file).name
    return name.rpartition("[")[0] if name.endswith("]") else name


def _rows_of(
    path: Path,
    problems: Sequence[Problem],
    format: str | FormatRecipe,
    sheet: str | None,
    limits: Limits,
) -> Iterator[tuple[tuple[str, int], Cells]]:
    """The place and the cells of each row of a file that a problem names."""
    with unpacked(path, limits) as inner:
        for file in open_files(inner, limits, TABLE_FILES):
            name = _file(Problem(file.name, None, None, ""))
            lines = {one.line for one in problems if one.line is not None and _file(one) == name}
            if not lines:
                continue
            accept_encoding(file)
            for line, cells in _all_rows(file, format, sheet, limits):
                if line in lines:
                    yield (name, line), tuple(cells)
                if line >= max(lines):
                    break


def _all_rows(
    file: SourceFile, format: str | FormatRecipe, sheet: str | None, limits: Limits
) -> Iterator[tuple[int, Iterator[tuple[str, str]]]]:
    kind = kind_of(file)
    if kind == "jsonl":
        for line, text in file.lines(Problems()):
            yield line, _members(text)
        return
    recipe = format if isinstance(format, FormatRecipe) else RECIPES.get(format)
    if kind != "csv":
        table = open_table(file, limits, Problems(), sheet)
        for line, row in table.rows:
            yield line, _named(table.header, [sample(cell) for cell in row])
        return
    # Also rows with too few or too many cells, which a table leaves out.
    rows = read_rows(file, limits, Problems(), quotes=recipe is None or recipe.quotes)
    header = recipe.header if recipe else ()
    if not header:
        header_line, names = next(rows, (None, []))
        header = check_header(names, file.name, header_line, limits, Problems())
    for line, texts in rows:
        yield line, _named(header, texts)


def _members(text: str) -> Iterator[tuple[str, str]]:
    """The members of the object in a line of JSON Lines; another line as it is."""
    value, _, _ = parse_json(text)
    if isinstance(value, dict):
        return _named(list(value), [_shown(one) for one in value.values()])
    return _named([""], [text])


def _named(names: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    columns = zip_longest(names, texts)
    for number, (name, text) in enumerate(columns, start=1):
        yield (f"column {number}" if name is None else sample(name)), sample(text or "")


def _shown(value: object) -> str:
    return sample(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
