"""Reader of KPQA's CSV files (Lee et al., NAACL 2021): an answer and its score per row."""

from __future__ import annotations

from collections.abc import Sequence

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import Problems
from concord.formats.fields import scale_fault, text_fault
from concord.formats.files import SourceFile
from concord.formats.kpqa_table import KpqaColumns, KpqaRow, KpqaTable, find_columns, read_table
from concord.formats.numbers import read_number
from concord.formats.options import ReadOptions
from concord.formats.records import CandidateRecord, InstanceRecord

OPTIONS = frozenset({"systems", "references", "split", "constituent"})

SCALE: Scale = (1.0, 5.0)
SCALE_OF_FIFTHS: Scale = (0.2, 1.0)
"""The files of NarrativeQA and SemEval have ratings from 1 to 5 divided by five."""


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read the columns question, answer, reference1.., scores; the report names the others.

    Ids are row numbers from 1; with several files they begin with the file's name. `systems`
    names equal parts of each file, in file order. `references` is the number of reference columns
    to use. Blank references are dropped; a row needs at least one. The scale is 1 to 5, or 0.2 to
    1 where no score is above 1. Where the header has no `scores` and the last reference column
    has only numbers, that column is the score.
    """
    tables: list[tuple[SourceFile, KpqaTable, KpqaColumns]] = []
    for file in files:
        table = read_table(file, collector.problems, collector.limits)
        collector.count_row(file.name, rows=len(table.rows))
        columns = find_columns(table, collector)
        if columns is not None and _check_options(table, columns, options, collector.problems):
            tables.append((file, table, columns))
            meanings = columns.meanings(options.references)
            names = (name.strip() for name in table.header)
            collector.report.see((name for name in names if name), meanings)
    collector.scale = _scale_of([pair[1:] for pair in tables])
    if collector.scale == SCALE_OF_FIFTHS:
        collector.note("No score is above 1: they are ratings from 1 to 5 divided by five.")
    for file, table, columns in tables:
        prefix = collector.row_prefix(file)
        systems = options.systems or ("",)
        part = max(1, len(table.rows) // len(systems))
        for position, row in enumerate(table.rows):
            system = systems[min(position // part, len(systems) - 1)]
            key = f"{prefix}{position + 1}"
            _keep_row(collector, table.file, columns, row, key, system, options)


def _check_options(
    table: KpqaTable, columns: KpqaColumns, options: ReadOptions, problems: Problems
) -> bool:
    """Whether the file has the parts and the reference columns that the options name."""
    requested, available = options.references, len(columns.references)
    problems_before = problems.total
    if requested is not None and not 1 <= requested <= available:
        message = f"{requested} requested; the file has {available}"
        problems.add(table.file, None, "references", message)
    systems = options.systems
    if systems and len(table.rows) % len(systems):
        message = f"{len(table.rows):,} rows cannot be divided into {len(systems)} equal parts"
        problems.add(table.file, None, "systems", message)
    if len(set(systems)) < len(systems) or "" in systems:
        problems.add(table.file, None, "systems", "the names must differ and not be empty")
    return problems.total == problems_before


def _scale_of(tables: list[tuple[KpqaTable, KpqaColumns]]) -> Scale:
    cells = (row.cells[columns.score] for table, columns in tables for row in table.rows)
    scores = [score for score in map(read_number, cells) if isinstance(score, float)]
    return SCALE_OF_FIFTHS if scores and max(scores) <= 1 and min(scores) < 1 else SCALE


def _keep_row(
    collector: RecordCollector,
    file: str,
    columns: KpqaColumns,
    row: KpqaRow,
    key: str,
    system: str,
    options: ReadOptions,
) -> None:
    problems, problems_before = collector.problems, collector.problems.total
    used = [columns.question, columns.answer, *columns.references[: options.references]]
    for column in used:
        if fault := text_fault(row.cells[column], collector.limits.max_field_chars):
            problems.add(file, row.line, columns.name(column), fault)
    references = tuple(row.cells[k] for k in used[2:] if row.cells[k].strip())
    if not references:
        problems.add(file, row.line, columns.name(used[2]), "is empty; a reference is expected")
    elif len(references) > collector.limits.max_references:
        message = f"{len(references):,} references; at most {collector.limits.max_references:,}"
        problems.add(file, row.line, None, f"{message} are allowed")
    score, name = read_number(row.cells[columns.score]), columns.name(columns.score)
    if isinstance(score, str):
        problems.add(file, row.line, name, score)
    elif fault := scale_fault(score, collector.scale or SCALE):
        problems.add(file, row.line, name, fault)
    if problems.total != problems_before or isinstance(score, str):
        return
    question = row.cells[columns.question]
    record = InstanceRecord(
        collector.pool.key_of("", question, references),
        references,
        question=question,
        split=options.split or "",
        constituent=options.constituent or "",
    )
    instance = collector.pool.share_or_add(record)
    candidate = CandidateRecord(key, instance, row.cells[columns.answer], system, score)
    collector.add_candidate(candidate, file, row.line, "id", score_in_file=True)
