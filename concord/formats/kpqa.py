"""KPQA's csv files of human judgments (Lee et al., NAACL 2021): an answer and its score a row."""

from __future__ import annotations

from collections.abc import Sequence

from concord.formats.errors import Problems, quoted
from concord.formats.fields import off_scale, text_fault
from concord.formats.files import SourceFile
from concord.formats.kpqa_table import Columns, Row, Table, find_columns, number, read_table
from concord.formats.options import ReadOptions
from concord.formats.reading import Reading, Scale
from concord.formats.records import CandidateRecord, InstanceRecord

OPTIONS = frozenset({"systems", "references", "split", "constituent"})

SCALE: Scale = (1.0, 5.0)
SCALE_OF_FIFTHS: Scale = (0.2, 1.0)
"""NarrativeQA's and SemEval's files hold ratings from 1 to 5 divided by five."""


def read_judgments(reading: Reading, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read columns question, answer, reference1.., scores; other columns are left unread.

    Ids are row numbers from 1; with several files the file's name stands before. `systems`
    names equal parts of each file, in file order; `references` takes the first so many
    reference columns. Blank references are dropped; a row needs one. The scale is 1 to 5, or
    0.2 to 1 when no score is above 1. A header without `scores` whose last reference column
    holds nothing but numbers is read as what it means: that column is the score.
    """
    tables: list[tuple[SourceFile, Table, Columns]] = []
    for file in files:
        table = read_table(file, reading.problems, reading.limits)
        reading.count_row(file.name, rows=len(table.rows))
        columns = find_columns(table, reading)
        if columns is not None and _check_options(table, columns, options, reading.problems):
            tables.append((file, table, columns))
    reading.scale = _scale_of([pair[1:] for pair in tables])
    if reading.scale == SCALE_OF_FIFTHS:
        reading.note("No score is above 1: they are ratings from 1 to 5 divided by five.")
    for file, table, columns in tables:
        prefix = reading.row_prefix(file)
        systems = options.systems or ("",)
        part = max(1, len(table.rows) // len(systems))
        for position, row in enumerate(table.rows):
            system = systems[min(position // part, len(systems) - 1)]
            key = f"{prefix}{position + 1}"
            _keep_row(reading, table.file, columns, row, key, system, options)


def _check_options(
    table: Table, columns: Columns, options: ReadOptions, problems: Problems
) -> bool:
    """Whether the file has the parts and the reference columns that the options name."""
    wanted, there = options.references, len(columns.references)
    before = problems.total
    if wanted is not None and not 1 <= wanted <= there:
        message = f"{wanted} asked for; the file has {there}"
        problems.add(table.file, None, "references", message)
    systems = options.systems
    if systems and len(table.rows) % len(systems):
        message = f"{len(table.rows):,} rows do not divide into {len(systems)} equal parts"
        problems.add(table.file, None, "systems", message)
    if len(set(systems)) < len(systems) or "" in systems:
        problems.add(table.file, None, "systems", "the names must differ and not be empty")
    return problems.total == before


def _scale_of(tables: list[tuple[Table, Columns]]) -> Scale:
    cells = (row.cells[columns.score] for table, columns in tables for row in table.rows)
    scores = [score for cell in cells if (score := number(cell)) is not None]
    return SCALE_OF_FIFTHS if scores and max(scores) <= 1 and min(scores) < 1 else SCALE


def _keep_row(
    reading: Reading,
    file: str,
    columns: Columns,
    row: Row,
    key: str,
    system: str,
    options: ReadOptions,
) -> None:
    problems, before = reading.problems, reading.problems.total
    used = [columns.question, columns.answer, *columns.references[: options.references]]
    for column in used:
        if fault := text_fault(row.cells[column], reading.limits.max_field_chars):
            problems.add(file, row.line, columns.name(column), fault)
    references = tuple(row.cells[k] for k in used[2:] if row.cells[k].strip())
    if not references:
        problems.add(file, row.line, columns.name(used[2]), "is empty; a reference is expected")
    elif len(references) > reading.limits.max_references:
        message = f"{len(references):,} references; at most {reading.limits.max_references:,}"
        problems.add(file, row.line, None, f"{message} are taken")
    cell, name = row.cells[columns.score], columns.name(columns.score)
    score = number(cell)
    if score is None:
        found = f"is {quoted(cell)}" if cell.strip() else "is empty"
        problems.add(file, row.line, name, f"{found}; a number is expected")
    elif fault := off_scale(score, reading.scale or SCALE):
        problems.add(file, row.line, name, fault)
    if problems.total != before:
        return
    question = row.cells[columns.question]
    record = InstanceRecord(
        reading.pool.key_of("", question, references),
        references,
        question=question,
        split=options.split or "",
        constituent=options.constituent or "",
    )
    instance = reading.pool.share_apart(record)
    candidate = CandidateRecord(key, instance, row.cells[columns.answer], system, score)
    reading.keep(candidate, file, row.line, "id", given=True)
