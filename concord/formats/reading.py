"""What one import gathers while its files are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from concord.formats.errors import FormatError, Problem, Problems, quoted
from concord.formats.files import SourceFile
from concord.formats.instances import InstancePool
from concord.formats.limits import Limits
from concord.formats.records import CandidateRecord, ImportReport, InstanceRecord, PairRecord

Scale = tuple[float, float]
# Told how many candidates were met, and how many bytes their files were read for them.
Watch = Callable[[int, int], None]
ROWS_A_LOOK = 500


class Reading:
    """Collects records, problems and counts; a format's reader fills it.

    A reader counts each candidate it meets with `count_row`, then either keeps it (`keep`,
    `keep_pair`) or says why not (`leave_out`). `finish` raises when anything was at fault.
    """

    def __init__(
        self,
        format: str,
        files: list[SourceFile],
        limits: Limits,
        counted: str,
        watch: Watch | None = None,
    ) -> None:
        self.limits = limits
        self._files, self._watch, self._next_look = files, watch, ROWS_A_LOOK
        self.problems = Problems()
        self.pool = InstancePool()
        self.scale: Scale | None = None
        self.candidates: list[CandidateRecord] = []
        self.pairs: list[PairRecord] = []
        self.several_files = len(files) > 1
        self.report = ImportReport([file.name for file in files], format, counted)
        self._places: dict[str, tuple[str, int | None]] = {}

    def count_row(self, file: str, line: int | None = None, rows: int = 1) -> None:
        """Count candidates met; raises FormatError past the limit."""
        self.report.read += rows
        if self.report.read > self.limits.max_rows:
            message = f"more than {self.limits.max_rows:,} {self.report.counted}; split the file"
            raise self.problems.stop(file, line, None, message)
        if self._watch and self.report.read >= self._next_look:
            self._next_look = self.report.read + ROWS_A_LOOK
            self._watch(self.report.read, sum(one.bytes_read for one in self._files))

    def leave_out(self, reason: str, rows: int = 1) -> None:
        self.report.left_out[reason] = self.report.left_out.get(reason, 0) + rows

    def note(self, sentence: str) -> None:
        """A sentence for the report, once."""
        if sentence not in self.report.notes:
            self.report.notes.append(sentence)

    def row_prefix(self, file: SourceFile) -> str:
        """What makes row numbers into ids: with several files, each file's own name."""
        return f"{Path(file.name).stem}/" if self.several_files else ""

    def claim(self, key: str, file: str, line: int | None, field: str) -> bool:
        """True when no earlier candidate of the files has this id; else a problem."""
        here = (file, line)
        earlier = self._places.setdefault(key, here)
        if earlier is here:
            return True
        where = f"{earlier[0]}:{earlier[1]}" if earlier[1] is not None else earlier[0]
        self.problems.add(file, line, field, f"the id {quoted(key)} is already used in {where}")
        return False

    def keep(
        self, candidate: CandidateRecord, file: str, line: int | None, field: str, *, given: bool
    ) -> None:
        """Keep a candidate; `given` says that its score is the file's own, not a mean."""
        if not self.claim(candidate.key, file, line, field):
            return
        report = self.report
        report.kept += 1
        report.ratings += len(candidate.ratings)
        report.empty_candidates += not candidate.text.strip()
        if candidate.score is None:
            report.without_judgment += 1
        elif given:
            report.gold_given += 1
        else:
            report.gold_from_ratings += 1
        self.candidates.append(candidate)

    def keep_pair(self, pair: PairRecord, file: str, line: int | None, field: str) -> None:
        if not self.claim(pair.key, file, line, field):
            return
        self.report.kept += 1
        self.report.empty_candidates += not pair.candidate1.strip()
        self.report.empty_candidates += not pair.candidate2.strip()
        self.pairs.append(pair)

    def finish(self) -> None:
        """Raise what was found wrong; else complete the report."""
        self.problems.raise_if_any()
        if not self.report.read:
            message = f"holds no {self.report.counted}"
            raise FormatError([Problem(file, None, None, message) for file in self.report.files])
        instances = self.pool.records()
        self.report.instances = len(instances)
        self._note_blank_references(instances)
        self._note_shared_passages(instances)

    def _note_blank_references(self, instances: list[InstanceRecord]) -> None:
        blank = sum(not all(text.strip() for text in record.references) for record in instances)
        if blank:
            self.note(f"Instances with a blank reference: {blank:,}.")

    def _note_shared_passages(self, instances: list[InstanceRecord]) -> None:
        splits: dict[str, set[str]] = {}
        for record in instances:
            if record.passage:
                splits.setdefault(record.passage, set()).add(record.split)
        shared = sum(len(found) > 1 for found in splits.values())
        if shared:
            self.note(f"Passages that stand in more than one split: {shared:,}.")
