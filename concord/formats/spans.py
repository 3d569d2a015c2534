"""Readers of error spans that people marked in answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from concord.formats.delimited import read_rows, wrong_width
from concord.formats.errors import Problems, quote, quote_names
from concord.formats.fields import scale_fault, text_fault
from concord.formats.files import SourceFile, open_files, unreadable_error
from concord.formats.limits import Limits
from concord.formats.marks import RaterMarks
from concord.formats.numbers import read_number
from concord.formats.records import SEVERITIES, Span
from concord.formats.report import FileReport, ReportCallback
from concord.sentences import counted

COLUMNS: tuple[str, ...] = (
    "annotator",
    "system",
    "item",
    "type",
    "source language",
    "target language",
    "score",
    "document",
    "unit",
    "spans",
    "start time",
    "end time",
)
_UNREAD = {"source language", "target language", "unit", "start time"}
_TYPES = ("TGT", "BAD")
_TUTORIAL = "tutorial"


@dataclass(frozen=True)
class SpanFile:
    """What a file holds. training: answers of a tutorial, which every rater marked; no system's
    answers are among them. repeated: earlier marks of the same rater on the same answer, which
    the later ones replace."""

    marks: list[RaterMarks]
    training: list[RaterMarks]
    repeated: int


def read_spans(
    path: str | Path,
    format: str,
    limits: Limits | None = None,
    on_report: ReportCallback | None = None,
) -> SpanFile:
    """Read a file of a WMT campaign: twelve columns without a header, spans as JSON.

    esa: spans and a score from 0 to 100. mqm: spans with categories; the score column is not read.
    The files' `end_i` is the last character of a span; here it is the first after it. Raises
    FormatError with line and column of each problem; a file with a problem is rejected as a whole.
    """
    limits, problems, path = limits or Limits(), Problems(), Path(path)
    try:
        (file,) = open_files([path], limits)
        rows = list(_rows(file, problems, limits))
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    latest: dict[tuple[object, ...], tuple[float, RaterMarks]] = {}
    count = 0
    for line, row in rows:
        parsed = _marks(row, format, file.name, line, problems)
        if parsed is None:
            continue
        count += 1
        ended, marks = parsed
        key = (marks.rater, *marks.answer, marks.is_control)
        if key not in latest or latest[key][0] <= ended:
            latest[key] = parsed
    problems.raise_if_any()
    if not count:
        raise problems.fatal(file.name, None, None, "has no rows")
    if on_report is not None:
        on_report(_report(file.name, format, count))
    everything = [marks for _, marks in latest.values()]
    return SpanFile(
        [one for one in everything if _TUTORIAL not in one.document],
        [one for one in everything if _TUTORIAL in one.document],
        count - len(everything),
    )


def meanings_of(format: str) -> dict[str, str]:
    """The columns of COLUMNS that are read."""
    unread = _UNREAD if format == "esa" else _UNREAD | {"score"}
    return {name: name for name in COLUMNS if name not in unread}


def _report(file: str, format: str, rows: int) -> FileReport:
    """The report of a file."""
    report = FileReport([file], format, "marked answers", rows)
    report.see(COLUMNS, meanings_of(format))
    return report


def _rows(
    file: SourceFile, problems: Problems, limits: Limits
) -> Iterator[tuple[int, dict[str, str]]]:
    rows = read_rows(file, limits, problems, len(COLUMNS))
    for number, (line, cells) in enumerate(rows, 1):
        if number > limits.max_rows:
            message = f"has more than {limits.max_rows:,} rows"
            raise problems.fatal(file.name, None, None, message)
        if len(cells) == len(COLUMNS):
            yield line, dict(zip(COLUMNS, cells, strict=True))
        elif number == 1:
            message = (
                f"begins with {counted(len(cells), 'column')}, {quote_names(cells)}; "
                f"{len(COLUMNS)} columns without a header are expected: {', '.join(COLUMNS)}"
            )
            raise problems.fatal(file.name, line, None, message)
        else:
            problems.add(file.name, line, None, wrong_width(cells, len(COLUMNS), "a row needs"))


def _marks(
    row: dict[str, str], format: str, file: str, line: int, problems: Problems
) -> tuple[float, RaterMarks] | None:
    """The end time and the marks of a row; None with a problem."""
    faults = problems.total
    if row["type"] not in _TYPES:
        message = f"is {quote(row['type'])}; TGT or BAD is expected"
        problems.add(file, line, "type", message)
    for name in ("annotator", "system", "document", "item"):
        fault = text_fault(row[name], Limits.max_name_chars)
        if not row[name] and name != "item":
            fault = "is empty"
        if fault:
            problems.add(file, line, name, fault)
    score: float | None = None
    if format == "esa":
        value = read_number(row["score"])
        score = None if isinstance(value, str) else value
        fault = value if isinstance(value, str) else scale_fault(value, (0.0, 100.0))
        if fault:
            problems.add(file, line, "score", fault)
    ended = read_number(row["end time"])
    if isinstance(ended, str):
        problems.add(file, line, "end time", ended)
    spans = tuple(_spans(row["spans"], file, line, problems))
    if problems.total > faults or isinstance(ended, str):
        return None
    document = row["document"].partition("#")[0]
    is_control = row["type"] == "BAD"
    return ended, RaterMarks(
        row["annotator"], row["system"], document, row["item"], spans, score, is_control
    )


def _spans(text: str, file: str, line: int, problems: Problems) -> Iterator[Span]:
    try:
        rows = json.loads(text)
    except ValueError:
        rows = None
    if type(rows) is not list:
        problems.add(file, line, "spans", "is not a JSON list")
        return
    for number, row in enumerate(rows):
        field = f"spans[{number}]"
        if type(row) is not dict:
            problems.add(file, line, field, "is not a JSON object")
            continue
        start, end, severity = row.get("start_i"), row.get("end_i"), row.get("severity")
        if severity not in (*SEVERITIES, "undecided"):
            problems.add(file, line, f"{field}.severity", "is none of minor, major, critical")
            continue
        categories = row.get("error_type") or []
        if type(categories) is not list or any(map(_category_fault, categories)):
            problems.add(file, line, f"{field}.error_type", "must be a list of texts, or null")
            continue
        decided = None if severity == "undecided" else severity
        if start == end == "missing":
            yield Span(None, None, decided, tuple(categories))
        elif type(start) is int and type(end) is int and 0 <= start <= end:
            yield Span(start, end + 1, decided, tuple(categories))
        else:
            message = 'needs 0 <= start_i <= end_i, or "missing" for both'
            problems.add(file, line, field, message)


def _category_fault(name: object) -> str | None:
    """Why a category of errors is none; None if it is one."""
    return text_fault(name, Limits.max_name_chars) if type(name) is str else "is no text"


SPAN_FORMATS = ("esa", "mqm")
