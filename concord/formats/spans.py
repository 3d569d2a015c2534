"""Readers of error spans that people marked in answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.formats.delimited import read_rows, wrong_width
from concord.formats.errors import Problems, quote, quote_names
from concord.formats.fields import Fields, number_in, scale_fault
from concord.formats.files import SourceFile, parse_json, reading
from concord.formats.limits import Limits
from concord.formats.marks import RaterMarks, checked_span
from concord.formats.records import Span
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
    limits = limits or Limits()
    latest: dict[tuple[object, ...], tuple[float, RaterMarks]] = {}
    count = 0
    with reading(path, limits) as (file, problems):
        for line, row in _rows(file, problems, limits):
            parsed = _marks(row, format, Fields(row, problems, limits, file.name, line))
            if parsed is None:
                continue
            count += 1
            ended, marks = parsed
            key = (marks.rater, *marks.answer, marks.is_control)
            if key not in latest or latest[key][0] <= ended:
                latest[key] = parsed
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
) -> Iterator[tuple[int, dict[str, Any]]]:
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


def _marks(row: dict[str, Any], format: str, fields: Fields) -> tuple[float, RaterMarks] | None:
    """The end time and the marks of a row; None with a problem."""
    if row["type"] not in _TYPES:
        fields.fault("type", f"is {quote(row['type'])}; TGT or BAD is expected")
    rater, system, document = (
        fields.name(name, required=True) for name in ("annotator", "system", "document")
    )
    item, score = fields.name("item"), None
    if format == "esa":
        score = _number(fields, "score")
        if score is not None and (fault := scale_fault(score, (0.0, 100.0))):
            fields.fault("score", fault)
    ended = _number(fields, "end time")
    row["spans"] = parse_json(row["spans"])[0]
    if row["spans"] is None:
        fields.fault("spans", "is not a JSON list")
    spans = tuple(filter(None, map(_span, fields.objects("spans"))))
    if fields.faults or ended is None:
        return None
    document = document.partition("#")[0]
    is_control = row["type"] == "BAD"
    return ended, RaterMarks(rater, system, document, item, spans, score, is_control)


def _number(fields: Fields, name: str) -> float | None:
    number = number_in(fields.data[name])
    if isinstance(number, float):
        return number
    fields.fault(name, number)
    return None


def _span(fields: Fields) -> Span | None:
    """A span; None with a fault. Other members are not read."""
    start, end = (fields.data.get(name) for name in ("start_i", "end_i"))
    severity = fields.name("severity", required=True)
    if start == end == "missing":
        start = end = None
    elif type(end) is int:
        end += 1
    decided = None if severity in ("", "undecided") else severity
    span = Span(start, end, decided, fields.texts("error_type"))
    return checked_span(fields, span, start="start_i", end="end_i")


SPAN_FORMATS = ("esa", "mqm")
