"""Candidates from a CSV whose columns are assigned by a person. No Django.

A column may be: id, instance, passage, question, reference (several columns), candidate, system,
score, constituent, split. Only a reference and a candidate are required.
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
from concord.formats.errors import Problems

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
# Other common names of columns.
SYNONYMS = {
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
MAX_COLUMNS = 200
MAX_ROWS = 200_000


@dataclass(frozen=True)
class Table:
    """A CSV's header and rows; `lines` has the line of the file on which each row begins."""

    header: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]


def read_table(content: bytes) -> Table:
    """Read a CSV with commas, semicolons or tabs, in UTF-8.

    Raises IntakeError for another encoding, a file without a header or rows, rows longer than the
    header, and files over the limits.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise IntakeError(
            f"Line {line} is not UTF-8. Save the file as “CSV UTF-8” and upload it again."
        ) from error
    if "\0" in text:
        raise IntakeError("The file contains a NUL character, so it is not a text file.")
    csv.field_size_limit(max(csv.field_size_limit(), 10 * TEXT_CHARS))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    rows: list[list[str]] = []
    lines: list[int] = []
    header: tuple[str, ...] = ()
    try:
        row_line = 1
        for row in reader:
            if any(cell.strip() for cell in row):
                if not header:
                    header = _header(row)
                else:
                    rows.append(row)
                    lines.append(row_line)
            row_line = reader.line_num + 1
            if len(rows) > MAX_ROWS:
                raise IntakeError(
                    f"The file has more than {MAX_ROWS:,} rows. Split it into several files."
                )
    except csv.Error as error:
        raise IntakeError(f"Line {reader.line_num}: {error}.") from error
    if not header:
        raise IntakeError("The file is empty.")
    if not rows:
        raise IntakeError("The file has a header but no rows.")
    too_long = [line for row, line in zip(rows, lines, strict=True) if len(row) > len(header)]
    if too_long:
        raise IntakeError(
            f"Line {too_long[0]} has more columns than the header ({len(header)}). Put quotation "
            "marks "
            "around texts that contain the separator."
        )
    return Table(header, [row + [""] * (len(header) - len(row)) for row in rows], lines)


def guess_meanings(header: Sequence[str]) -> list[str]:
    """The meaning of each column by its name; "" if the name is unknown."""
    meanings: list[str] = []
    for name in header:
        plain = name.strip().casefold().rstrip("0123456789 _-")
        plain = plain[:-1] if plain.endswith("s") and plain[:-1] in MEANINGS else plain
        meaning = plain if plain in MEANINGS else SYNONYMS.get(plain, "")
        meanings.append("" if meaning in meanings and meaning != "reference" else meaning)
    return meanings


def mapping_problems(meanings: Sequence[str]) -> list[str]:
    """The problems of an assignment of columns, in sentences."""
    problems = []
    for needed in ("reference", "candidate"):
        if needed not in meanings:
            problems.append(f"Choose the column with the {needed}.")
    for meaning in MEANINGS:
        if meaning != "reference" and list(meanings).count(meaning) > 1:
            problems.append(f"Only one column can be the {meaning}.")
    return problems


def candidates(table: Table, meanings: Sequence[str]) -> list[CandidateInput]:
    """The candidates of a table; `meanings` is the meaning of each column ("" to ignore it).

    A missing id is the row's number, a missing instance a hash of passage, question and references.
    A score is the correct rating. Raises IntakeError listing up to twenty problems by line: texts
    that are too long, a missing reference, a repeated id, an invalid score, rows of one instance
    with different texts.
    """
    if len(meanings) != len(table.header) or set(meanings) - {*MEANINGS, ""}:
        raise IntakeError("The columns of the file have changed. Choose them again.")
    if problems := mapping_problems(meanings):
        raise IntakeError(" ".join(problems))
    reader = _Rows()
    for number, (row, line) in enumerate(zip(table.rows, table.lines, strict=True), start=1):
        cells: dict[str, str] = {}
        references = []
        for meaning, cell in zip(meanings, row, strict=True):
            if meaning == "reference":
                if cell.strip():
                    references.append(cell)
            elif meaning:
                cells[meaning] = cell
        reader.add(number, line, cells, tuple(references))
    reader.raise_if_any()
    return reader.candidates


class _Rows:
    """Converts rows to candidates and collects problems."""

    def __init__(self) -> None:
        self.candidates: list[CandidateInput] = []
        self.problems = Problems()
        self._ids: dict[str, int] = {}
        self._instances: dict[str, tuple[InstanceRecord, int]] = {}

    def add(
        self, number: int, line: int, cells: Mapping[str, str], references: tuple[str, ...]
    ) -> None:
        before = self.problems.total
        for name, text in [*cells.items(), *(("reference", r) for r in references)]:
            limit = NAME_CHARS if name in NAMES else TEXT_CHARS
            if len(text) > limit:
                self._add_problem(
                    line, f"{name} has {len(text):,} characters; at most {limit:,} are allowed"
                )
        if not references:
            self._add_problem(line, "the reference is missing")
        key = cells.get("id", "").strip() or f"row-{number}"
        first = self._ids.setdefault(key, line)
        if first != line:
            self._add_problem(line, f"the id “{key[:60]}” is already used on line {first}")
        expected = self._score(line, cells.get("score", ""))
        if self.problems.total > before:
            return
        instance = self._instance(line, cells, references)
        if instance is not None:
            self.candidates.append(
                CandidateInput(
                    key, instance, cells["candidate"], cells.get("system", "").strip(), expected
                )
            )

    def _instance(
        self, line: int, cells: Mapping[str, str], references: tuple[str, ...]
    ) -> InstanceRecord | None:
        passage, question = cells.get("passage", ""), cells.get("question", "")
        key = cells.get("instance", "").strip() or _hash(passage, question, references)
        record = InstanceRecord(
            key=key,
            references=references,
            passage=passage,
            question=question,
            constituent=cells.get("constituent", "").strip(),
            split=cells.get("split", "").strip(),
        )
        stored, first = self._instances.setdefault(key, (record, line))
        if stored != record:
            self._add_problem(
                line,
                f"the instance “{key[:60]}” differs from line {first} in a text or label",
            )
            return None
        return stored

    def _score(self, line: int, cell: str) -> float | None:
        if not cell.strip():
            return None
        try:
            value = float(cell.strip().replace(",", "."))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self._add_problem(line, f"the score “{cell.strip()[:40]}” is not a number")
            return None
        return value

    def _add_problem(self, line: int, text: str) -> None:
        self.problems.add("", line, None, text)

    def raise_if_any(self) -> None:
        """Raise IntakeError listing the problems, each with the lines that have it."""
        if self.problems.total:
            shown = self.problems.shown
            lines = [f"Line {problem.line}: {problem.message}." for problem in shown]
            hidden = self.problems.total - sum(1 + problem.repeats for problem in shown)
            raise IntakeError("\n".join(lines + ([f"... and {hidden:,} more."] if hidden else [])))


def _header(row: Sequence[str]) -> tuple[str, ...]:
    if len(row) > MAX_COLUMNS:
        raise IntakeError(f"The file has {len(row)} columns; at most {MAX_COLUMNS} are allowed.")
    return tuple(cell.strip() or f"column {at}" for at, cell in enumerate(row, start=1))


def _delimiter(text: str) -> str:
    """The most frequent separator in the first line."""
    first = text.lstrip().split("\n", 1)[0]
    return max((",", "\t", ";"), key=first.count)


def _hash(passage: str, question: str, references: tuple[str, ...]) -> str:
    parts = "\x1f".join([passage, question, *references])
    return sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16]
