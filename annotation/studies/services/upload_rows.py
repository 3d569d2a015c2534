"""Reading uploaded files of candidates: their rows, and a summary of them."""

from __future__ import annotations

import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from annotation.studies import intake
from annotation.studies.intake import (
    CandidateInput,
    IntakeError,
    KeyedPairInput,
    KeyedSetInput,
    PairInput,
)
from annotation.studies.models import Study, Upload
from annotation.studies.services import checks
from annotation.studies.services.units import numbered_texts
from concord.formats import FileReport, FormatError
from concord.formats.detection import detect_formats
from concord.formats.faulty_rows import FaultyRow, faulty_rows
from concord.formats.tables import IGNORED, PreviewRow

HEAD_BYTES = 10_000
PAIRS = "pairs"
# MOCHA's constituents whose answers are spans of the passage.
SPAN_BASED = frozenset({"drop", "quoref"})
Row = CandidateInput | PairInput | KeyedPairInput | KeyedSetInput
Rows = Sequence[Row]


class UploadError(ValueError):
    """A file that cannot be added to the study. The message lists the problems, one per line.

    refusal: the problems of the file's content with the cells of their rows.
    """

    def __init__(self, message: str, refusal: FormatError | None = None) -> None:
        super().__init__(message)
        self.hidden = refusal.hidden if refusal else 0
        self.rows = (
            faulty_rows(refusal.problems)
            if refusal
            else [FaultyRow("", None, (line,)) for line in message.split("\n")]
        )

    @property
    def faulty(self) -> list[FaultyRow]:
        """The rows with faults, if there are any; the messages of `for_field` say the others."""
        return self.rows if any(row.line for row in self.rows) else []

    def for_field(self) -> list[str]:
        """The messages for the field of the file: those of no row, else that rows have faults."""
        if self.faulty:
            return ["The file was rejected. Correct the rows below and choose the file again."]
        return str(self).split("\n")


@dataclass(frozen=True)
class RowProblem:
    """A row to check before a file is added: its candidate, and what is unusual about it.

    It is no error: the row is added.
    """

    candidate: CandidateInput
    problem: str


@dataclass(frozen=True)
class UploadSummary:
    """A summary of an upload: counts, the first candidates, and, of a table, which columns were
    read as what and which were ignored, in sentences.

    problems: the rows to check, in the order of the file.
    """

    candidates: int
    pairs: int
    instances: int
    passages: int
    without_score: int
    constituents: list[tuple[str, int]]
    systems: list[tuple[str, int]]
    splits: list[tuple[str, int]]
    first: list[CandidateInput]
    columns: list[str]
    problems: list[RowProblem]

    def likely_span_based(self) -> list[str]:
        """The constituents whose answers are known to be spans."""
        return [name for name, _ in self.constituents if name.casefold() in SPAN_BASED]


def read_content(upload: Upload) -> bytes:
    """The file as it was uploaded."""
    return zlib.decompress(bytes(upload.content))


def is_table(upload: Upload) -> bool:
    return upload.format != intake.CONCORD


def has_check_pairs(study: Study, use: str) -> bool:
    """Whether a file of this use has pairs with their correct choices."""
    return use in checks.USES and study.current.protocol.unit == "pair"


def has_check_sets(study: Study, use: str) -> bool:
    """Whether a file of this use has sets with their best and worst, as concord-pairs."""
    return use in checks.USES and study.current.protocol.unit == "set"


def rows_of(upload: Upload) -> Rows:
    """The upload's candidates or pairs. Raises UploadError for an invalid file."""
    if upload.use == PAIRS:
        return _pairs(upload)
    if has_check_pairs(upload.study, upload.use):
        return _check_pairs(upload)
    if has_check_sets(upload.study, upload.use):
        return _check_sets(upload)
    return _candidates(upload)


def summarise(upload: Upload) -> UploadSummary:
    """A summary of the upload. Adds nothing. Raises UploadError for an invalid file."""
    rows = rows_of(upload)
    if not rows:
        raise UploadError("The file contains no candidates.")
    shown = [_as_candidate(row) for row in rows]
    instances = {row.instance.key: row.instance for row in shown}
    return UploadSummary(
        candidates=len(rows),
        pairs=len(rows) if upload.use == PAIRS else 0,
        instances=len(instances),
        passages=len({i.passage for i in instances.values() if i.passage}),
        without_score=sum(row.expected is None for row in shown),
        constituents=_count(row.instance.constituent for row in shown),
        systems=_count(row.system for row in shown),
        splits=_count(row.instance.split for row in shown),
        first=shown[:3],
        columns=_column_lines(upload),
        problems=list(_row_problems(rows)),
    )


def _row_problems(rows: Rows) -> Iterator[RowProblem]:
    """Candidates without a text, and those that repeat another of their instance."""
    first: dict[tuple[str, str], CandidateInput] = {}
    for row in rows:
        if not isinstance(row, CandidateInput):
            continue
        if not row.text.strip():
            yield RowProblem(row, "The answer is empty.")
        original = first.setdefault((row.instance.key, row.text), row)
        if original is not row:
            yield RowProblem(row, f"The same answer to the same question as {original.key}.")


def _column_lines(upload: Upload) -> list[str]:
    columns = upload.columns or {}
    report = FileReport([upload.name], upload.format)
    header = columns.get("header", [])
    meanings = zip(header, columns.get("meanings", []), strict=False)
    report.see(header, {name: meaning for name, meaning in meanings if meaning})
    return report.column_lines()


def _as_candidate(row: Row) -> CandidateInput:
    """A row as the summary shows it: of a minimal pair the better answer, of compared answers
    all."""
    match row:
        case PairInput():
            return CandidateInput(row.key, row.instance, row.better)
        case KeyedPairInput():
            expected = None if row.choice is None else checks.CHOICE_VALUES[row.choice]
            text = "\n\n".join(row.texts)
            return CandidateInput(
                row.key, row.instance, text, expected=expected, answers=row.answers
            )
        case KeyedSetInput():
            answers = {"worst": row.worst, **row.answers}
            text = numbered_texts(row.texts)
            return CandidateInput(row.key, row.instance, text, expected=row.best, answers=answers)
    return row


def _candidates(upload: Upload) -> Sequence[CandidateInput]:
    if is_table(upload):
        return read_table(upload, upload.columns)
    with on_disk(upload.name, read_content(upload)) as path, as_upload_errors():
        return intake.read_candidates(path, upload.format, keys=upload.use in checks.USES)


class TableColumns(PreviewRow):
    """A table's headings and first rows, and the meaning of each column; none before a choice."""

    meanings: list[str]


def read_table(upload: Upload, columns: TableColumns | None) -> Sequence[CandidateInput]:
    if not columns or not columns["meanings"]:
        raise UploadError("Choose the columns of the file first.")
    meanings = [one or IGNORED for one in columns["meanings"]]
    with on_disk(upload.name, read_content(upload)) as path, as_upload_errors():
        return intake.read_candidates(
            path,
            upload.format,
            meanings,
            columns.get("sheet"),
            keys=upload.use in checks.USES,
            row_prefix=_row_prefix(upload),
        )


def _row_prefix(upload: Upload) -> str:
    """The beginning of ids that are row numbers: none in the study's first table without ids, the
    name of the file in a later one, with a number where that is taken too."""
    stem = Path(upload.name).stem
    prefixes = chain(("", f"{stem}/"), (f"{stem}-{number}/" for number in count(2)))
    candidates = upload.study.candidates
    return next(p for p in prefixes if not candidates.filter(key__startswith=f"{p}row-").exists())


def _pairs(upload: Upload) -> Sequence[PairInput]:
    with on_disk(upload.name, read_content(upload)) as path, as_upload_errors():
        return intake.read_rated_pairs(path, upload.format)


def _check_pairs(upload: Upload) -> Sequence[KeyedPairInput]:
    _check_has_pairs(upload)
    with on_disk(upload.name, read_content(upload)) as path, as_upload_errors():
        return intake.read_keyed_pairs(path, upload.format)


def _check_sets(upload: Upload) -> Sequence[KeyedSetInput]:
    _check_has_pairs(upload)
    with on_disk(upload.name, read_content(upload)) as path, as_upload_errors():
        return intake.read_keyed_sets(path, upload.format)


def _check_has_pairs(upload: Upload) -> None:
    """Raises UploadError for a file of single candidates."""
    head = read_content(upload)[:HEAD_BYTES].decode(errors="replace")
    if (formats := detect_formats(head)) and formats[0].kind != "pairs":
        raise UploadError(checks.COMPARED_NEEDED[upload.study.current.protocol.unit])


@contextmanager
def on_disk(name: str, content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (Path(name).name or "upload")
        path.write_bytes(content)
        yield path


@contextmanager
def as_upload_errors() -> Iterator[None]:
    try:
        yield
    except IntakeError as error:
        raise UploadError(str(error), error.refusal) from error


def _count(values: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items(), key=lambda row: (-row[1], row[0]))
