"""Readers of error spans that people marked in answers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.formats.errors import Problems, quote
from concord.formats.files import SourceFile, open_files, unreadable_error
from concord.formats.limits import Limits
from concord.formats.marks import Marks
from concord.formats.records import SEVERITIES, Span

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
_TYPES = ("TGT", "BAD")
_TUTORIAL = "tutorial"


@dataclass(frozen=True)
class SpanFile:
    """What a file holds. training: answers of a tutorial, which every rater marked; no system's
    answers are among them. repeated: earlier marks of the same rater on the same answer, which
    the later ones replace."""

    marks: list[Marks]
    training: list[Marks]
    repeated: int


def read_spans(path: str | Path, format: str, limits: Limits | None = None) -> SpanFile:
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
    latest: dict[tuple[object, ...], tuple[float, Marks]] = {}
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
    everything = [marks for _, marks in latest.values()]
    return SpanFile(
        [one for one in everything if _TUTORIAL not in one.document],
        [one for one in everything if _TUTORIAL in one.document],
        count - len(everything),
    )


def _rows(
    file: SourceFile, problems: Problems, limits: Limits
) -> Iterator[tuple[int, dict[str, str]]]:
    csv.field_size_limit(max(csv.field_size_limit(), limits.max_field_chars + 1))
    reader = csv.reader(io.StringIO(file.text(problems), newline=""), strict=True)
    try:
        for number, cells in enumerate(reader, 1):
            if number > limits.max_rows:
                message = f"has more than {limits.max_rows:,} rows"
                raise problems.fatal(file.name, None, None, message)
            if len(cells) != len(COLUMNS):
                message = f"has {len(cells)} columns; {len(COLUMNS)} are expected"
                problems.add(file.name, reader.line_num, None, message)
                continue
            yield reader.line_num, dict(zip(COLUMNS, cells, strict=True))
    except csv.Error as error:
        raise problems.fatal(file.name, reader.line_num, None, f"is no CSV: {error}") from error


def _marks(
    row: dict[str, str], format: str, file: str, line: int, problems: Problems
) -> tuple[float, Marks] | None:
    """The end time and the marks of a row; None with a problem."""
    faults = problems.total
    if row["type"] not in _TYPES:
        message = f"is {quote(row['type'])}; TGT or BAD is expected"
        problems.add(file, line, "type", message)
    for name in ("annotator", "system", "document"):
        if not row[name]:
            problems.add(file, line, name, "is empty")
    score = None
    if format == "esa":
        score = _number(row["score"])
        if score is None or not 0 <= score <= 100:
            message = f"is {quote(row['score'])}; a number from 0 to 100 is expected"
            problems.add(file, line, "score", message)
    ended = _number(row["end time"])
    if ended is None:
        problems.add(file, line, "end time", "is not a number")
    spans = tuple(_spans(row["spans"], file, line, problems))
    if problems.total > faults or ended is None:
        return None
    document = row["document"].partition("#")[0]
    is_control = row["type"] == "BAD"
    return ended, Marks(
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
        decided = None if severity == "undecided" else severity
        if start == end == "missing":
            yield Span(None, None, decided, _categories(row))
        elif type(start) is int and type(end) is int and 0 <= start <= end:
            yield Span(start, end + 1, decided, _categories(row))
        else:
            message = 'needs 0 <= start_i <= end_i, or "missing" for both'
            problems.add(file, line, field, message)


def _categories(row: dict[str, Any]) -> tuple[str, ...]:
    names = row.get("error_type")
    return tuple(map(str, names)) if type(names) is list else ()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


SPAN_FORMATS = ("esa", "mqm")
