"""What submitters exchange: the items to score without their labels, and a file of scores."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import storage
from benchmarks.submissions.services.pairs import turned
from concord.formats import Limits
from concord.formats.errors import FormatError, Problems, quote, quote_names
from concord.formats.fields import json_type
from concord.formats.files import open_files, unreadable_error
from concord.formats.records import CandidateRecord, PairRecord

MOST_PROBLEMS = 100
# An id, a number and their names; a longer line is no line of scores.
MOST_LINE_BYTES = 64 * 1024
FIELDS = ({"id", "score"}, {"id", "score1", "score2"})


def items(judgment_set: JudgmentSet) -> Iterator[str]:
    """JSON lines of everything to be scored: candidates by position, then minimal pairs."""
    for candidate in storage.load_candidates(judgment_set):
        yield _line({"id": candidate.key, **_instance(candidate), "candidate": candidate.text})
    pairs = list(storage.load_pairs(judgment_set))
    for pair, turn in zip(pairs, turned(judgment_set, [one.key for one in pairs]), strict=True):
        texts = (pair.candidate2, pair.candidate1) if turn else (pair.candidate1, pair.candidate2)
        shown = dict(zip(("candidate1", "candidate2"), texts, strict=True))
        yield _line({"id": pair.key, **_instance(pair), **shown})


def read_scores(judgment_set: JudgmentSet, path: Path, *, most_bytes: int) -> NDArray[np.float64]:
    """The scores in a file, (n_items,) in the set's own order, all of them finite.

    A line is {"id", "score"} for a candidate or {"id", "score1", "score2"} for a minimal pair, its
    members in the order in which `items` shows them. Every candidate has one; the pairs all or
    none (then NaN). Raises FormatError with all that is wrong, by line and id, the first hundred
    in full.
    """
    limits = Limits(max_bytes=most_bytes, max_rows=2 * judgment_set.n_items + 1000)
    problems = Problems(MOST_PROBLEMS)
    try:
        (file,) = open_files([path], limits)
        _refuse_long_lines(path, file.name, problems)
        reading = _Reading(judgment_set, file.name, problems)
        for number, (line, row) in enumerate(file.objects(problems), start=1):
            if number > limits.max_rows:
                message = f"more lines than {judgment_set} has candidates and pairs, twice over"
                raise problems.fatal(file.name, line, None, message)
            reading.take(line, row)
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    return reading.finish()


@dataclass
class _Reading:
    """One file as it is read: where each id was scored, and with what."""

    judgment_set: JudgmentSet
    file: str
    problems: Problems

    def __post_init__(self) -> None:
        by_position = self.judgment_set.candidates.order_by("position")
        pairs = self.judgment_set.pairs.order_by("position")
        self.candidates: list[str] = list(by_position.values_list("key", flat=True))
        self.pairs: list[str] = list(pairs.values_list("key", flat=True))
        self.places = {
            False: {key: at for at, key in enumerate(self.candidates)},
            True: {key: at for at, key in enumerate(self.pairs)},
        }
        # By what it is, candidate or pair, and by id: the line. An id at fault counts as scored.
        self.lines: dict[tuple[bool, str], int] = {}
        self.scores = np.full(self.judgment_set.n_items, np.nan)
        self.turned = turned(self.judgment_set, self.pairs)

    def take(self, line: int, row: dict[str, Any]) -> None:
        key = row.get("id")
        if type(key) is not str:
            message = f"is {json_type(key)}; a string is expected" if "id" in row else "is missing"
            self.problems.add(self.file, line, "id", message)
            return
        is_pair = "score" not in row and bool({"score1", "score2"} & row.keys())
        if not self._is_known(line, key, is_pair):
            return
        unknown = sorted(row.keys() - FIELDS[is_pair])
        if unknown:
            self._fault(
                line, key, f"has {quote_names(unknown)}, which is no field of a score's line"
            )
        names = ("score1", "score2") if is_pair else ("score",)
        values = [self._number(line, key, row, name) for name in names]
        at = self.places[is_pair][key]
        if is_pair:
            start = len(self.candidates) + 2 * at
            self.scores[start : start + 2] = values[::-1] if self.turned[at] else values
        else:
            self.scores[at] = values[0]

    def finish(self) -> NDArray[np.float64]:
        """All scores; FormatError where anything was at fault or is missing."""
        pairs_given = any(is_pair for is_pair, _ in self.lines)
        for is_pair, keys in ((False, self.candidates), (True, self.pairs if pairs_given else [])):
            for key in keys:
                if (is_pair, key) not in self.lines:
                    what = "pair" if is_pair else "candidate"
                    self._fault(None, key, f"this {what} has no score")
        self.problems.raise_if_any()
        return self.scores

    def _is_known(self, line: int, key: str, is_pair: bool) -> bool:
        if key not in self.places[is_pair]:
            if key in self.places[not is_pair]:
                wanted = "score1 and score2" if key in self.places[True] else "score"
                self._fault(line, key, f"is a {'candidate' if is_pair else 'pair'}: give {wanted}")
                self.lines.setdefault((not is_pair, key), line)
            else:
                self._fault(line, key, f"is no id of {self.judgment_set}")
            return False
        earlier = self.lines.setdefault((is_pair, key), line)
        if earlier != line:
            self._fault(line, key, f"was scored in line {earlier} already")
            return False
        return True

    def _number(self, line: int, key: str, row: dict[str, Any], name: str) -> float:
        value = row.get(name)
        if type(value) not in (int, float):
            found = f"is {json_type(value)}" if name in row else "is missing"
            self._fault(line, key, f"{name} {found}; a number is expected")
            return math.nan
        try:
            number = float(value)  # type: ignore[arg-type]
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self._fault(line, key, f"{name} is {'NaN' if number != number else 'infinite'}")
        return number

    def _fault(self, line: int | None, key: str, message: str) -> None:
        self.problems.add(self.file, line, None, f"{quote(key)} {message}")


def _refuse_long_lines(path: Path, name: str, problems: Problems) -> None:
    """JSON of one endless line would take many times its size in memory."""
    with path.open("rb") as file:
        for number, raw in enumerate(iter(lambda: file.readline(MOST_LINE_BYTES + 1), b""), 1):
            if len(raw) > MOST_LINE_BYTES:
                message = f"is longer than {MOST_LINE_BYTES:,} bytes; one score a line is expected"
                raise problems.fatal(name, number, None, message)


class InstanceRow(TypedDict):
    """What a candidate or pair answers, for submitters."""

    instance: str
    passage: str
    question: str
    references: list[str]


def _instance(row: CandidateRecord | PairRecord) -> InstanceRow:
    found = row.instance
    return {
        "instance": found.key,
        "passage": found.passage,
        "question": found.question,
        "references": list(found.references),
    }


def _line(row: Mapping[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


__all__ = ["MOST_PROBLEMS", "FormatError", "items", "read_scores"]
