"""What a reader recognised in its files, what it read and what it left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from concord.documents.import_report import ImportReportRow
from concord.formats.errors import json_path_part
from concord.sentences import counted

if TYPE_CHECKING:
    from concord.formats.records import CandidateRecord

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*')
# Names of ignored columns that a report holds, and those that a terminal shows.
MAX_IGNORED, MAX_SHOWN = 200, 30


@dataclass
class FileReport:
    """What a reader recognised in files of one format.

    columns: the meaning of each column that was read, by its heading; in JSON, of each field, by
    its path, where "[]" stands for the members of a list and "*" for any name. ignored: the columns
    that were not read, the first MAX_IGNORED of them; `ignored_more` counts the others. read: the
    number of what `counted` names. invalid_choices: answers of people without a choice.
    missing: places of ratings or scores without a value; missing_words: those that have a word that
    says so, by the word.
    """

    files: list[str]
    format: str
    counted: str = "candidates"
    read: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    ignored_more: int = 0
    invalid_choices: int = 0
    missing: int = 0
    missing_words: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _seen: dict[str, set[str]] = field(default_factory=dict, repr=False, compare=False)

    def see(self, names: Iterable[str], meanings: Mapping[str, str], prefix: str = "") -> None:
        """Record the columns of a row, or the fields of an object: those that `meanings` has are
        read, the others are ignored. prefix: the path of the object."""
        seen = self._seen.setdefault(prefix, set())
        for name in names:
            if name in seen:
                continue
            seen.add(name)
            path = prefix + json_path_part(name)
            if name in meanings:
                self.columns.setdefault(path, meanings[name])
            elif len(self.ignored) < MAX_IGNORED:
                self.ignored.append(path)
            else:
                self.ignored_more += 1

    @property
    def count_read(self) -> str:
        """`read` with its noun."""
        return counted(self.read, self.counted.removesuffix("s"))

    def column_lines(self) -> list[str]:
        """The columns that were read, with their meanings, and those that were ignored."""
        read = [
            name if meaning == name else f"{name} ({meaning})"
            for name, meaning in self.columns.items()
        ]
        lines = [f"Read: {_shown(read)}."] if read else []
        if self.ignored:
            lines.append(f"Ignored: {_shown(self.ignored, self.ignored_more)}.")
        elif self.ignored_more:
            lines.append(f"Ignored: {counted(self.ignored_more, 'column')}.")
        return lines

    def short_lines(self) -> list[str]:
        """The file, its format and its columns, for those who want figures of the file."""
        names = self.files[0] if len(self.files) == 1 else counted(len(self.files), "file")
        lines = missing_lines(self.missing, self.missing_words)
        read = f"{names} ({self.format}): {self.count_read}."
        return [read, *self.column_lines(), *lines, *self.notes]

    def miss(self, word: str = "", times: int = 1) -> None:
        """Count a place of a rating or score without a value. word: what is there instead."""
        self.missing += times
        if word:
            self.missing_words[word] = self.missing_words.get(word, 0) + times


# Called with the report of a file once it has been read.
ReportCallback = Callable[[FileReport], None]


def _shown(names: list[str], more: int = 0) -> str:
    hidden = len(names) - MAX_SHOWN + more if len(names) > MAX_SHOWN else more
    return ", ".join(names[:MAX_SHOWN]) + (f" and {hidden:,} more" if hidden else "")


def missing_lines(count: int, words: Mapping[str, int]) -> list[str]:
    """`4 values are missing: NA 3, blank 1.`; no line for none. words: as `missing_words`."""
    if not count:
        return []
    parts = [f"{word} {times:,}" for word, times in words.items()]
    if blank := count - sum(words.values()):
        parts.append(f"blank {blank:,}")
    verb = "is" if count == 1 else "are"
    return [f"{counted(count, 'value')} {verb} missing: {', '.join(parts)}."]


@dataclass
class ImportReport(FileReport):
    """The report of an import: counts of what was read, kept and left out, and notes.

    `read` counts the candidates (or pairs) in the files; `read == kept +
    sum(left_out.values())`. Of the kept ones, `gold_given` have a score in the file,
    `gold_from_ratings` the mean of their ratings, `without_judgment` neither. `criterion` is the
    criterion that was read, where one of several was chosen; `criteria` has the number of judged
    candidates of each criterion, where several were read. `spans` counts marked errors,
    `spans_without_position` those of something missing, `spans_undecided` those without severity.
    `choices` counts people's choices between the candidates of pairs, `missing` the places of
    ratings that have no value, `missing_words` those that have a word that says so, by the word.
    """

    kept: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    instances: int = 0
    ratings: int = 0
    empty_candidates: int = 0
    without_judgment: int = 0
    gold_given: int = 0
    gold_from_ratings: int = 0
    criterion: str = ""
    criteria: dict[str, int] = field(default_factory=dict)
    spans: int = 0
    spans_without_position: int = 0
    spans_undecided: int = 0
    choices: int = 0

    def count(self, candidate: CandidateRecord, *, score_in_file: bool) -> None:
        """Count a kept candidate."""
        self.kept += 1
        self.empty_candidates += not candidate.text.strip()
        self.ratings += len(candidate.ratings)
        for criterion in candidate.criteria:
            self.ratings += len(criterion.ratings)
            judged = criterion.score is not None
            self.criteria[criterion.name] = self.criteria.get(criterion.name, 0) + judged
        for marks in candidate.marks:
            self.spans += len(marks.spans)
            self.spans_without_position += sum(span.start is None for span in marks.spans)
            self.spans_undecided += sum(span.severity is None for span in marks.spans)
        if candidate.score is None:
            self.without_judgment += 1
        elif score_in_file:
            self.gold_given += 1
        else:
            self.gold_from_ratings += 1

    def without_headings(self) -> ImportReport:
        """The same with numbers of columns in place of their headings, which may name raters, and
        without names in quotation marks in notes."""
        counts = Counter(self.columns.values())
        return replace(
            self,
            columns={name: name if count == 1 else counted(count, "column")
                     for name, count in counts.items()},
            ignored=[],
            ignored_more=len(self.ignored) + self.ignored_more,
            notes=[_QUOTED.sub('"..."', note) for note in self.notes],
        )  # fmt: skip

    def to_json(self) -> ImportReportRow:
        """The report as JSON."""
        row = {name: copy(getattr(self, name)) for name in ImportReportRow.__annotations__}
        return cast(ImportReportRow, row)

    def lines(self) -> list[str]:
        """The report for a terminal."""
        files = self.files[0] if len(self.files) == 1 else counted(len(self.files), "file")
        ratings = f"; ratings: {self.ratings:,}" if self.ratings else ""
        lines = [
            f"{files} ({self.format}): {self.count_read} read, {self.kept:,} kept; "
            f"instances: {self.instances:,}{ratings}."
        ]
        lines += self.column_lines()
        lines += [f"Left out: {count:,}, {reason}." for reason, count in self.left_out.items()]
        if self.criterion:
            lines.append(f"Criterion: {self.criterion}.")
        if self.empty_candidates:
            lines.append(f"Empty candidates (kept): {self.empty_candidates:,}.")
        for name, judged in self.criteria.items():
            lines.append(f"Criterion {name}: {counted(judged, 'candidate')} judged.")
        if self.spans:
            lines.append(
                f"Error spans: {self.spans:,}; without a position: "
                f"{self.spans_without_position:,}; of undecided severity: {self.spans_undecided:,}."
            )
        lines += missing_lines(self.missing, self.missing_words)
        if self.choices:
            lines.append(f"People's choices: {self.choices:,}.")
        if self.invalid_choices:
            lines.append(f"Answers of people without a choice: {self.invalid_choices:,}.")
        has_gold = self.gold_given or self.gold_from_ratings
        if self.counted == "candidates" and (has_gold or not self.criteria):
            lines.append(
                f"Gold scores: {self.gold_given:,} from the file, "
                f"{counted(self.gold_from_ratings, 'mean')} of ratings; without judgment: "
                f"{self.without_judgment:,}."
            )
        return lines + self.notes
