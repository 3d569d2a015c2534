"""Collect the records, problems and counts of an import."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from concord.formats.errors import FormatError, Problem, SortedProblems, quote
from concord.formats.files import SourceFile
from concord.formats.instances import InstancePool
from concord.formats.limits import Limits
from concord.formats.records import CandidateRecord, InstanceRecord, PairRecord
from concord.formats.report import ImportReport
from concord.formats.unpacking import accept_encoding

Scale = tuple[float, float]
# Called with the number of candidates and the number of bytes read so far.
ProgressCallback = Callable[[int, int], None]
ROWS_PER_PROGRESS = 500
REPEATED_HEADER = "rows that repeat the header"


class RecordCollector:
    """Collects records, problems and counts; a format's reader fills it.

    A reader counts each candidate with `count_row`. It then adds it (`add_candidate`, `add_pair`)
    or leaves it out with a reason (`leave_out`). `finish` raises FormatError where there are
    problems.
    """

    def __init__(
        self,
        format: str,
        files: list[SourceFile],
        limits: Limits,
        counted: str,
        on_progress: ProgressCallback | None = None,
    ) -> None:
        self.limits = limits
        self.several_files = len(files) > 1
        self._files, self._on_progress = files, on_progress
        self._format, self._counted = format, counted
        self.restart()

    def restart(self) -> None:
        """Forget what was collected."""
        self._next_progress = ROWS_PER_PROGRESS
        self.problems = SortedProblems()
        self.pool = InstancePool()
        self.scale: Scale | None = None
        self.candidates: list[CandidateRecord] = []
        self.pairs: list[PairRecord] = []
        names = [file.name for file in self._files]
        self.report = ImportReport(names, self._format, self._counted)
        self._id_positions: dict[str, tuple[str, int | None]] = {}

    def count_row(self, file: str, line: int | None = None, rows: int = 1) -> None:
        """Count candidates. Raises FormatError beyond the limit."""
        self.report.read += rows
        if self.report.read > self.limits.max_rows:
            message = f"more than {self.limits.max_rows:,} {self.report.counted}; split the file"
            raise self.problems.fatal(file, line, None, message)
        if self._on_progress and self.report.read >= self._next_progress:
            self._next_progress = self.report.read + ROWS_PER_PROGRESS
            self._on_progress(self.report.read, sum(file.bytes_read for file in self._files))

    def leave_out(self, reason: str, rows: int = 1) -> None:
        """Count rows that are left out for this reason."""
        self.report.left_out[reason] = self.report.left_out.get(reason, 0) + rows

    def leave_out_header(self, file: str, line: int | None, rows: int = 1) -> None:
        """Count and leave out a row that repeats the header, as files that were put together have.
        rows: how many candidates it would be."""
        self.count_row(file, line, rows)
        self.leave_out(REPEATED_HEADER, rows)

    def note(self, sentence: str) -> None:
        """Add a sentence to the report, unless it is there already."""
        if sentence not in self.report.notes:
            self.report.notes.append(sentence)

    def accept_encoding(self, file: SourceFile) -> None:
        """Let a text that is not Unicode be read, and say so. Raises FormatError."""
        if encoding := accept_encoding(file):
            self.note(f"The file is not Unicode; it was read as {encoding}.")

    def row_prefix(self, file: SourceFile) -> str:
        """The prefix of row numbers in ids: the file's name where there are several files."""
        return f"{Path(file.name).stem}/" if self.several_files else ""

    def claim_id(self, key: str, file: str, line: int | None, field: str) -> bool:
        """True if the id is new; else False, and a problem is added."""
        position = (file, line)
        earlier = self._id_positions.setdefault(key, position)
        if earlier is position:
            return True
        where = f"{earlier[0]}:{earlier[1]}" if earlier[1] is not None else earlier[0]
        self.problems.add(file, line, field, f"the id {quote(key)} is already used in {where}")
        return False

    def add_candidate(
        self,
        candidate: CandidateRecord,
        file: str,
        line: int | None,
        field: str,
        *,
        score_in_file: bool,
    ) -> None:
        """Add a candidate; `score_in_file`: its score is from the file, not a mean of ratings."""
        if not self.claim_id(candidate.key, file, line, field):
            return
        self.report.count(candidate, score_in_file=score_in_file)
        self.candidates.append(candidate)

    def add_pair(self, pair: PairRecord, file: str, line: int | None, field: str) -> None:
        """Add a minimal pair, unless its id is repeated."""
        if not self.claim_id(pair.key, file, line, field):
            return
        self.report.kept += 1
        self.report.choices += len(pair.choices)
        self.report.empty_candidates += not pair.candidate1.strip()
        self.report.empty_candidates += not pair.candidate2.strip()
        self.pairs.append(pair)

    def finish(self) -> None:
        """Raise FormatError where there are problems; else complete the report."""
        self.problems.raise_if_any()
        if not self.report.read:
            message = f"has no {self.report.counted}"
            raise FormatError([Problem(file, None, None, message) for file in self.report.files])
        instances = self.pool.records()
        self.report.instances = len(instances)
        self._note_blank_references(instances)
        self._note_shared_passages(instances)

    def _note_blank_references(self, instances: list[InstanceRecord]) -> None:
        without = sum(not record.references for record in instances)
        if without:
            self.note(f"Instances without a reference, which metrics need: {without:,}.")
        blank = sum(not all(text.strip() for text in record.references) for record in instances)
        if blank:
            self.note(f"Instances with a blank reference: {blank:,}.")

    def _note_shared_passages(self, instances: list[InstanceRecord]) -> None:
        splits: dict[str, set[str]] = {}
        for record in instances:
            if record.passage:
                splits.setdefault(record.passage, set()).add(record.split)
        shared = sum(len(passage_splits) > 1 for passage_splits in splits.values())
        if shared:
            self.note(f"Passages in more than one split: {shared:,}.")
