"""Candidates from a CSV whose columns a person says the meaning of. Pure: no Django.

A column may hold: id, instance, passage, question, reference (several columns may), candidate,
system, score, constituent, split. Only a reference and a candidate are required.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from annotation.studies.intake import CandidateInput, IntakeError
from concord.formats import InstanceRecord

MEANINGS = (
    "id",
    "instance",
    "passage",
    "question",
    "reference",
    "candidate",
    "system",
    "score",
    "constituent",
    "split",
)
NAMES = ("id", "instance", "system", "constituent", "split")
# What else a column of this meaning is often called.
ALSO_CALLED = {
    "context": "passage",
    "story": "passage",
    "answer": "candidate",
    "prediction": "candidate",
    "response": "candidate",
    "output": "candidate",
    "model": "system",
    "source": "system",
    "ref": "reference",
    "gold": "reference",
    "target": "reference",
    "dataset": "constituent",
    "rating": "score",
    "scores": "score",
    "label": "score",
}
TEXT_CHARS = 200_000
NAME_CHARS = 500
MOST_COLUMNS = 200
MOST_ROWS = 200_000
PROBLEMS_SHOWN = 20


@dataclass(frozen=True)
class Table:
    """A CSV's header and rows; `lines` says on which line of the file each row begins."""

    header: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]


def read_table(content: bytes) -> Table:
    """The CSV's rows. Commas, semicolons or tabs part its columns; it is UTF-8.

    Raises IntakeError for another encoding, a file without a header or rows, rows longer than
    the header, and more than it takes.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise IntakeError(
            f"Line {line} is not UTF-8. Save the file as “CSV UTF-8” and upload it again."
        ) from error
    if "\0" in text:
        raise IntakeError("The file holds a NUL character: it is no text file.")
    csv.field_size_limit(max(csv.field_size_limit(), 10 * TEXT_CHARS))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    rows: list[list[str]] = []
    lines: list[int] = []
    header: tuple[str, ...] = ()
    try:
        begins = 1
        for row in reader:
            if any(cell.strip() for cell in row):
                if not header:
                    header = _header(row)
                else:
                    rows.append(row)
                    lines.append(begins)
            begins = reader.line_num + 1
            if len(rows) > MOST_ROWS:
                raise IntakeError(f"The file has more than {MOST_ROWS:,} rows; split it.")
    except csv.Error as error:
        raise IntakeError(f"Line {reader.line_num}: {error}.") from error
    if not header:
        raise IntakeError("The file is empty.")
    if not rows:
        raise IntakeError("The file has a header and no rows: it holds no candidates.")
    long = [line for row, line in zip(rows, lines, strict=True) if len(row) > len(header)]
    if long:
        raise IntakeError(
            f"Line {long[0]} has more columns than the header ({len(header)}). A text with the "
            "separator in it needs quotation marks around it."
        )
    return Table(header, [row + [""] * (len(header) - len(row)) for row in rows], lines)


def guessed_meanings(header: Sequence[str]) -> list[str]:
    """What each column seems to hold, by its name; "" for one that says nothing."""
    found: list[str] = []
    for name in header:
        plain = name.strip().casefold().rstrip("0123456789 _-")
        plain = plain[:-1] if plain.endswith("s") and plain[:-1] in MEANINGS else plain
        meaning = plain if plain in MEANINGS else ALSO_CALLED.get(plain, "")
        found.append("" if meaning in found and meaning != "reference" else meaning)
    return found


def mapping_problems(meanings: Sequence[str]) -> list[str]:
    """What is wrong with a mapping of columns, in sentences."""
    problems = []
    for needed in ("reference", "candidate"):
        if needed not in meanings:
            problems.append(f"Say which column holds the {needed}.")
    for meaning in MEANINGS:
        if meaning != "reference" and list(meanings).count(meaning) > 1:
            problems.append(f"Only one column can hold the {meaning}.")
    return problems


def candidates(table: Table, meanings: Sequence[str]) -> list[CandidateInput]:
    """The candidates of a table, `meanings` naming what each column holds ("": nothing).

    An absent id is the row's number; an absent instance a hash of passage, question and
    references; a score is the right value. Raises IntakeError that names up to twenty faults by
    line: texts that are too long, no reference, an id that stands twice, a score that is no
    number, an instance whose rows differ.
    """
    if len(meanings) != len(table.header) or set(meanings) - {*MEANINGS, ""}:
        raise IntakeError("The columns have changed: choose them again.")
    if problems := mapping_problems(meanings):
        raise IntakeError(" ".join(problems))
    reading = _Rows()
    for number, (row, line) in enumerate(zip(table.rows, table.lines, strict=True), start=1):
        cells: dict[str, str] = {}
        references = []
        for meaning, cell in zip(meanings, row, strict=True):
            if meaning == "reference":
                if cell.strip():
                    references.append(cell)
            elif meaning:
                cells[meaning] = cell
        reading.take(number, line, cells, tuple(references))
    reading.raise_if_any()
    return reading.found


class _Rows:
    """Rows as candidates, with what is wrong with them."""

    def __init__(self) -> None:
        self.found: list[CandidateInput] = []
        self.problems: list[str] = []
        self.total = 0
        self._ids: dict[str, int] = {}
        self._instances: dict[str, tuple[InstanceRecord, int]] = {}

    def take(
        self, number: int, line: int, cells: Mapping[str, str], references: tuple[str, ...]
    ) -> None:
        before = self.total
        for name, text in [*cells.items(), *(("reference", r) for r in references)]:
            most = NAME_CHARS if name in NAMES else TEXT_CHARS
            if len(text) > most:
                self._fault(line, f"{name} has {len(text):,} characters, more than {most:,}")
        if not references:
            self._fault(line, "there is no reference")
        key = cells.get("id", "").strip() or f"row-{number}"
        first = self._ids.setdefault(key, line)
        if first != line:
            self._fault(line, f"the id “{key[:60]}” stands on line {first} already")
        expected = self._score(line, cells.get("score", ""))
        if self.total > before:
            return
        instance = self._instance(line, cells, references)
        if instance is not None:
            self.found.append(
                CandidateInput(
                    key, instance, cells["candidate"], cells.get("system", "").strip(), expected
                )
            )

    def _instance(
        self, line: int, cells: Mapping[str, str], references: tuple[str, ...]
    ) -> InstanceRecord | None:
        passage, question = cells.get("passage", ""), cells.get("question", "")
        key = cells.get("instance", "").strip() or _hash(passage, question, references)
        made = InstanceRecord(
            key=key,
            references=references,
            passage=passage,
            question=question,
            constituent=cells.get("constituent", "").strip(),
            split=cells.get("split", "").strip(),
        )
        held, first = self._instances.setdefault(key, (made, line))
        if held != made:
            self._fault(
                line,
                f"the instance “{key[:60]}” has other texts or labels than on line {first}",
            )
            return None
        return held

    def _score(self, line: int, cell: str) -> float | None:
        if not cell.strip():
            return None
        try:
            value = float(cell.strip().replace(",", "."))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self._fault(line, f"the score “{cell.strip()[:40]}” is no number")
            return None
        return value

    def _fault(self, line: int, text: str) -> None:
        self.total += 1
        if len(self.problems) < PROBLEMS_SHOWN:
            self.problems.append(f"Line {line}: {text}.")

    def raise_if_any(self) -> None:
        if self.total:
            more = self.total - len(self.problems)
            shown = self.problems + ([f"... and {more:,} more."] if more else [])
            raise IntakeError("\n".join(shown))


def _header(row: Sequence[str]) -> tuple[str, ...]:
    if len(row) > MOST_COLUMNS:
        raise IntakeError(f"The file has {len(row)} columns, more than {MOST_COLUMNS}.")
    return tuple(cell.strip() or f"column {at}" for at, cell in enumerate(row, start=1))


def _delimiter(text: str) -> str:
    """The separator that the first line has most of."""
    first = text.lstrip().split("\n", 1)[0]
    return max((",", "\t", ";"), key=first.count)


def _hash(passage: str, question: str, references: tuple[str, ...]) -> str:
    parts = "\x1f".join([passage, question, *references])
    return sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16]
