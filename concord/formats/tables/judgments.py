"""Reader of the format `table`: candidates from the columns of a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from concord.formats.collector import RecordCollector
from concord.formats.errors import (
    FormatError,
    Problem,
    Problems,
    json_path_part,
    quote,
    quote_names,
)
from concord.formats.fields import text_fault
from concord.formats.files import SourceFile
from concord.formats.instances import differing_fields
from concord.formats.limits import Limits
from concord.formats.meanings import IGNORED, JUDGED_MEANINGS, KEY, MEANINGS, SEVERAL
from concord.formats.numbers import read_number
from concord.formats.options import ReadOptions
from concord.formats.records import CandidateRecord, InstanceRecord, KeyRecord
from concord.formats.tables.columns import (
    guess_judged,
    guess_meanings,
    likely_raters,
    mapping_problems,
)
from concord.formats.tables.opening import open_table
from concord.formats.tables.table import Cell, Table, Unreadable, numeric_columns
from concord.formats.value_words import is_missing
from concord.sentences import counted

OPTIONS = frozenset(
    {"columns", "sheet", "split", "constituent", "keys", "row_prefix", "without_references"}
)


Assigned = tuple[Sequence[str], Sequence[str]]


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> Assigned | None:
    """Read one candidate per row, or one per candidate column and row. Where the columns of the
    first file have ratings or several scores, nothing is read and its header and meanings are
    returned.

    The option `columns` is the meaning of each column; by default they are guessed. Only a
    candidate is required, and a reference unless the option `without_references` is set. A missing
    id is "row-" and the row's number, a missing instance a hash of passage, question and
    references, the row itself where it has none of them. With several candidate columns, a column's
    heading is the system, and ends the id. With the option `keys`, columns may be keys: the correct
    answers to the criteria that their headings name; a blank cell has none.
    """
    for file in files:
        table, header, meanings = opened(file, collector, options)
        if file is files[0] and not options.keys and _has_judgments(meanings):
            return header, meanings
        prefix = options.row_prefix or collector.row_prefix(file)
        rows = _Rows(table, meanings, collector, options, prefix)
        for number, (line, cells) in enumerate(table.rows, start=1):
            if cells == list(header):
                collector.leave_out_header(table.name, line, len(rows.candidates))
            else:
                rows.add(number, line, cells)
        file.bytes_read = file.size
    return None


def _has_judgments(meanings: Sequence[str]) -> bool:
    return not set(meanings) <= {*MEANINGS, ""} or list(meanings).count("score") > 1


def opened(
    file: SourceFile, collector: RecordCollector, options: ReadOptions
) -> tuple[Table, Sequence[str], Sequence[str]]:
    """The table of a file, its header, and the meaning of each column. Raises FormatError."""
    collector.accept_encoding(file)
    table = open_table(file, collector.limits, collector.problems, options.sheet)
    first, table = table.begin()
    numeric = numeric_columns(first)
    meanings = resolve_columns(
        table.header,
        options.columns,
        table.name,
        numeric,
        keys=options.keys,
        without_references=options.without_references,
    )
    _report_columns(collector, table, meanings, () if options.columns else numeric)
    return table, table.header, meanings


def _report_columns(
    collector: RecordCollector, table: Table, meanings: Sequence[str], numeric: Collection[int]
) -> None:
    """Report which columns are read and which are not, with what the file has beside the table."""
    named = list(zip(table.header, meanings, strict=True))
    collector.report.see(table.header, {name: meaning for name, meaning in named if meaning})
    collector.report.see(table.unread, {}, "beside the table: ")
    unread = [table.header[at] for at in likely_raters(table.header, meanings, numeric)]
    if unread:
        collector.note(
            f"Ignored columns with numbers only: {quote_names(unread)}. If they are raters' "
            f'ratings, write --columns "{",".join(unread)}=rating"; if they are scores, =score.'
        )


def resolve_columns(
    header: Sequence[str],
    columns: Sequence[str],
    file: str = "",
    numeric: Collection[int] = (),
    *,
    keys: bool = False,
    without_references: bool = False,
) -> list[str]:
    """The meaning of each column; by default a guess. Raises FormatError for a wrong assignment.

    numeric: the positions of columns with numbers only, for the guess. keys: whether columns may be
    keys. without_references: whether no column need be the reference.
    """
    allowed = (*MEANINGS, KEY) if keys else JUDGED_MEANINGS
    guess = guess_meanings if keys else guess_judged
    problems: list[str] = []
    if any("=" in one for one in columns):
        columns, problems = _named(header, columns, guess(header, numeric))
    meanings = ["" if one == IGNORED else one for one in columns]
    meanings = meanings or guess(header, numeric)
    if problems:
        pass
    elif len(meanings) != len(header):
        problems.append(
            f"{counted(len(meanings), 'meaning')} for {counted(len(header), 'column')}: "
            f"{quote_names(header)}"
        )
    elif unknown := sorted(set(meanings) - {*allowed, ""}):
        problems.append(
            f"{', '.join(map(quote, unknown))} is unknown; choose among {', '.join(allowed)} and "
            f"{IGNORED}"
        )
    else:
        problems = mapping_problems(meanings, without_references=without_references)
        answers = [name for name, one in zip(header, meanings, strict=True) if one == "candidate"]
        if len(set(answers)) < len(answers):
            problems.append("Two candidate columns have the same heading.")
        named = [name for name, one in zip(header, meanings, strict=True) if one == KEY]
        if len(set(named)) < len(named):
            problems.append("Two key columns have the same heading.")
        if problems and not columns:
            problems.append(f"The headings are {quote_names(header)}.")
            if numbers := [header[at] for at in sorted(numeric)]:
                verb = "has" if len(numbers) == 1 else "have"
                problems.append(
                    f"{quote_names(numbers)} {verb} numbers only, so no text is guessed there; "
                    "name the columns if one is."
                )
    if problems:
        raise FormatError([Problem(file, None, "columns", message) for message in problems])
    return meanings


def _named(
    header: Sequence[str], assigned: Sequence[str], guesses: list[str]
) -> tuple[list[str], list[str]]:
    """The meanings of columns, some of which are assigned by name, and the problems of these.

    assigned: headings and, after the last one of a meaning, that: "anna", "ben", "chloe=rating".
    """
    meanings, problems = list(guesses), []
    names: list[str] = []
    for item in assigned:
        heading, sign, meaning = (part.strip() for part in item.rpartition("="))
        names.append(heading if sign else item)
        if not sign:
            continue
        for name in names:
            if name in header:
                meanings[header.index(name)] = meaning
            else:
                problems.append(f"{quote(name)} is no column; they are {quote_names(header)}")
        names = []
    if names:
        problems.append(f"{quote_names(names)}: write {names[-1]}=MEANING")
    # One that is guessed yields to the one that is assigned.
    for at, one in enumerate(guesses):
        if one == meanings[at] and one not in SEVERAL and meanings.count(one) > 1:
            meanings[at] = ""
    return meanings, problems


@dataclass
class _Rows:
    """Converts the rows of one table to candidates."""

    table: Table
    meanings: Sequence[str]
    collector: RecordCollector
    options: ReadOptions
    prefix: str
    _lines: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.single = {
            meaning: at
            for at, meaning in enumerate(self.meanings)
            if meaning not in ("", "reference", KEY)
        }
        self.references = self._columns("reference")
        self.candidates = self._columns("candidate")
        self.keys = self._columns(KEY)

    def _columns(self, meaning: str) -> list[int]:
        return [at for at, one in enumerate(self.meanings) if one == meaning]

    def add(self, number: int, line: int, cells: Sequence[Cell]) -> None:
        is_wide = len(self.candidates) > 1
        self.collector.count_row(self.table.name, line, len(self.candidates))
        before = self.problems.total
        key = self._name(line, cells, "id") or f"{self.prefix}row-{number}"
        instance = self._instance(line, cells, key)
        system, score = self._name(line, cells, "system"), self._score(line, cells)
        texts = [self._text(line, cells, at) for at in self.candidates]
        answers = {self.table.header[at]: self._text(line, cells, at) for at in self.keys}
        answers = {name: text for name, text in answers.items() if text.strip()}
        if instance is None or self.problems.total > before:
            return
        for at, text in zip(self.candidates, texts, strict=True):
            heading = self.table.header[at]
            candidate = CandidateRecord(
                f"{key}/{heading}" if is_wide else key,
                instance,
                text,
                self.collector.pool.name(heading if is_wide else system),
                score,
                test_key=KeyRecord(answers, line) if self.options.keys else None,
            )
            id_column = self.table.header[self.single["id"]] if "id" in self.single else "id"
            self.collector.add_candidate(
                candidate,
                self.table.name,
                line,
                json_path_part(id_column),
                score_in_file=score is not None,
            )

    @property
    def problems(self) -> Problems:
        return self.collector.problems

    @property
    def limits(self) -> Limits:
        return self.collector.limits

    def _instance(self, line: int, cells: Sequence[Cell], row: str) -> InstanceRecord | None:
        """The instance of a row; None with a problem. row: the candidate's id."""
        before = self.problems.total
        references = self._references(line, cells)
        passage, question, short_answer = (
            self._text(line, cells, self.single.get(name))
            for name in ("passage", "question", "short_answer")
        )
        key = self._name(line, cells, "instance")
        pool = self.collector.pool
        record = InstanceRecord(
            key or pool.key_of(passage, question, references, row),
            references,
            passage,
            question,
            pool.name(self._name(line, cells, "constituent") or self.options.constituent or ""),
            pool.name(self._name(line, cells, "split") or self.options.split or ""),
            pool.name(self._name(line, cells, "category")),
            short_answer,
            named_by_file=bool(key),
        )
        if self.problems.total > before:
            return None
        if not key:
            return pool.share_or_add(record)
        shared = pool.share(record)
        first = self._lines.setdefault(key, line)
        if names := differing_fields(shared, record):
            message = (
                f"instance {quote(key)} has another {', another '.join(names)} on line {first}"
            )
            self._fault(line, self.single["instance"], message)
            return None
        return shared

    def _references(self, line: int, cells: Sequence[Cell]) -> tuple[str, ...]:
        references: list[str] = []
        for at in self.references:
            cell = cells[at]
            texts = cell if isinstance(cell, list) else [self._text(line, cells, at)]
            for text in texts:
                if isinstance(cell, list) and (fault := self._text_fault(text)):
                    self._fault(line, at, fault)
                elif text.strip():
                    references.append(text)
        if not references and not (
            self.options.without_references
            or any(isinstance(cells[at], Unreadable) for at in self.references)
        ):
            self._fault(line, self.references[0], "is empty; a reference is expected")
        if len(references) > self.limits.max_references:
            message = f"{len(references):,} references; at most {self.limits.max_references:,}"
            self._fault(line, self.references[0], f"{message} are allowed")
        return tuple(references)

    def _text(self, line: int, cells: Sequence[Cell], at: int | None) -> str:
        """The text of a cell; "" without the column, and for a cell with a fault."""
        if at is None:
            return ""
        cell = cells[at]
        fault: str | None
        if isinstance(cell, Unreadable):
            fault = cell.reason
        elif isinstance(cell, list):
            fault = "is a list; text is expected"
        else:
            fault = self._text_fault(cell)
        if fault is None and isinstance(cell, str):
            return cell
        self._fault(line, at, fault or "")
        return ""

    def _text_fault(self, text: str) -> str | None:
        return text_fault(text, self.limits.max_field_chars)

    def _name(self, line: int, cells: Sequence[Cell], meaning: str) -> str:
        at = self.single.get(meaning)
        name = self._text(line, cells, at).strip()
        if at is not None and (fault := text_fault(name, self.limits.max_name_chars)):
            self._fault(line, at, fault)
        return name

    def _score(self, line: int, cells: Sequence[Cell]) -> float | None:
        text = self._text(line, cells, self.single.get("score"))
        if is_missing(text):
            if text.strip():
                self.collector.report.miss(text.strip())
            return None
        score = read_number(text)
        if isinstance(score, str):
            self._fault(line, self.single["score"], score)
            return None
        return score

    def _fault(self, line: int, column: int, message: str) -> None:
        self.problems.add(self.table.name, line, json_path_part(self.table.header[column]), message)
