"""Reader of score files: JSON Lines `{"id": ..., "scores": {metric: number}}`, or tables.

A table (CSV, TSV, XLSX, Parquet, JSON) has a column `id` and one for each metric, as the export
`scores.csv` has. A file that is submitted to a site, with `id` and `score`, has the scores of one
metric, whose name is that of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.formats.errors import Problems, json_path_part, quote_names
from concord.formats.fields import json_type, parse_number, storage_fault
from concord.formats.files import reading
from concord.formats.limits import Limits
from concord.formats.numbers import read_number
from concord.formats.report import FileReport, ReportCallback
from concord.formats.tables import (
    TABLE_FILES,
    Table,
    Unreadable,
    kind_of,
    open_table,
)
from concord.formats.value_words import is_missing
from concord.tables.cells import unescape_formula

if TYPE_CHECKING:
    import pandas as pd

# Columns of a table that are no metrics: those of the export, and of submitted scores.
TABLE_FIELDS = frozenset({"id", "system", "score"})


def read_scores(
    path: str | Path,
    *,
    limits: Limits | None = None,
    on_report: ReportCallback | None = None,
    labels: bool = False,
) -> pd.DataFrame:
    """One float64 column for each metric, with the ids of candidates as index, in file order.

    Other fields of a line, such as those of `manage.py export_scores`, are ignored, and so are the
    columns `system` and `score` of a table; null, an empty cell, or a word such as n/a is a missing
    score (NaN).
    labels: a line of `concord judge` counts with its `label`, the number that the model wrote, and
    not with the score that log-probabilities weigh.
    `on_report` gets what was read and ignored. Raises FormatError for lines without an id or
    scores, an id that occurs twice, and a score that is neither a finite number nor null.
    """
    import pandas as pd

    path, limits = Path(path), limits or Limits()
    rows: dict[str, dict[str, float]] = {}
    with reading(path, limits, TABLE_FILES) as (file, problems):
        if kind_of(file) == "jsonl":
            name, lines = file.name, file.objects(problems)
        else:
            table = open_table(file, limits, problems)
            name, lines = table.name, _table_lines(table, problems)
        report = FileReport([name], "scores")
        meanings = {"id": "id", "scores": "scores"} | ({"label": "score"} if labels else {})
        for line, row in lines:
            is_one_metric = "score" in row and "scores" not in row
            report.see(row, meanings | ({"score": path.stem} if is_one_metric else {}))
            key = row.get("id")
            scores = {path.stem: row["score"]} if is_one_metric else row.get("scores")
            if type(key) is not str:
                problems.add(name, line, "id", f"is {json_type(key)}; text is expected")
                continue
            names = scores if type(scores) is dict else ()
            if fault := next(filter(None, map(storage_fault, (key, *names))), None):
                problems.add(name, line, "id" if storage_fault(key) else "scores", fault)
                continue
            if key in rows:
                problems.add(name, line, "id", f"{key!r} occurs twice")
                continue
            if len(rows) >= limits.max_rows:
                raise problems.fatal(name, line, None, f"more than {limits.max_rows:,} lines")
            rows[key] = {}
            if labels and type(scores) is dict and type(row.get("label")) is int:
                scores = {
                    name: None if one is None else row["label"] for name, one in scores.items()
                }
            if type(scores) is not dict:
                message = f"is {json_type(scores)}; {{metric: number}} is expected"
                problems.add(name, line, "scores", message)
                continue
            for metric, value in scores.items():
                if is_missing(value):
                    report.miss(value.strip())
                    value = None
                number = np.nan if value is None else parse_number(value)
                if isinstance(number, str):
                    field = "score" if is_one_metric else f"scores.{json_path_part(metric)}"
                    problems.add(name, line, field, number)
                else:
                    rows[key][metric] = number
    if not rows:
        raise problems.fatal(name, None, None, "has no line with scores")
    report.read = len(rows)
    if on_report is not None:
        on_report(report)
    scores = pd.DataFrame.from_dict(rows, orient="index", dtype=np.float64)
    scores.attrs["file"] = name
    return scores


def score_rows(table: Table, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, {column: value}) for each row of a table of scores, without empty cells.

    The column `id` is text, without the apostrophe that exports put before formulas; of the others,
    a number is a float. Raises FormatError for a table without `id` and for repeated columns.
    """
    names = [unescape_formula(name).strip() for name in table.header]
    names = [name.lower() if name.lower() in TABLE_FIELDS else name for name in names]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if "id" not in names or repeated:
        message = f"has repeated columns: {quote_names(repeated)}" if repeated else (
            f'has no column "id"; the columns are {quote_names(table.header)}'
        )  # fmt: skip
        raise problems.fatal(table.name, None, None, message)
    for line, cells in table.rows:
        row: dict[str, Any] = {}
        for name, cell in zip(names, cells, strict=True):
            if cell == "":
                continue
            if isinstance(cell, Unreadable):
                problems.add(table.name, line, json_path_part(name), cell.reason)
            elif name == "id" and isinstance(cell, str):
                row[name] = unescape_formula(cell)
            else:
                number = read_number(cell) if isinstance(cell, str) else ""
                row[name] = cell if isinstance(number, str) else number
        yield line, row


def _table_lines(table: Table, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table as the lines of a score file."""
    columns = {name.strip().lower() for name in table.header}
    has_metrics = not columns <= TABLE_FIELDS
    for line, row in score_rows(table, problems):
        scores = {name: value for name, value in row.items() if name not in TABLE_FIELDS}
        others = {name: row.get(name) for name in TABLE_FIELDS & columns}
        yield line, others | ({"scores": scores} if has_metrics else {})
