"""Files for submitters: the items to score, without labels, and the file of scores.

Scores are JSON Lines, or a table (CSV, TSV, XLSX, Parquet, JSON) with the same fields as columns.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden, storage
from concord.documents.conversation import ConversationFields
from concord.formats import Limits
from concord.formats.concord_writer import conversation_fields
from concord.formats.errors import FormatError, Problems, quote, quote_names
from concord.formats.fields import json_type, parse_number
from concord.formats.files import open_files, unreadable_error
from concord.formats.limits import MAX_SECONDS_IN_REQUEST, MAX_UNPACKED_IN_REQUEST
from concord.formats.records import CandidateRecord, PairRecord
from concord.formats.scores import score_rows
from concord.formats.tables import TABLE_FILES, Table, kind_of, open_table


def reversed_pairs(judgment_set: JudgmentSet, keys: list[str]) -> NDArray[np.bool_]:
    """Mask of the pairs that are shown with their second member first, shape (n_pairs,).

    keys: ids of the pairs by position. The mask is the same for everybody and in every version.
    """
    mask = np.zeros(len(keys), dtype=bool)
    masked = hidden.public_masks(judgment_set).pairs
    secrets = hidden.pair_keys(judgment_set)
    splits = frames.frame(judgment_set).pair_labels["split"]
    for position in np.flatnonzero(masked).tolist():
        secret = secrets.get(hidden.WHOLE) or secrets[str(splits[position])]
        key = keys[position].encode("utf-8", "surrogatepass")
        mask[position] = hmac.new(secret, key, hashlib.sha256).digest()[0] & 1
    return mask


MAX_PROBLEMS = 100
# A line has an id, one or two numbers and their names.
MAX_LINE_BYTES = 64 * 1024
FIELDS = ({"id", "score"}, {"id", "score1", "score2"})
COLUMNS = ("id", "score", "score1", "score2")
Rows = Iterator[tuple[int, dict[str, object]]]


def item_lines(judgment_set: JudgmentSet) -> Iterator[str]:
    """JSON lines of the items to score: candidates by position, then minimal pairs."""
    for candidate in storage.load_candidates(judgment_set):
        yield _line({"id": candidate.key, **_instance(candidate), "candidate": candidate.text})
    pairs = list(storage.load_pairs(judgment_set))
    is_reversed = reversed_pairs(judgment_set, [pair.key for pair in pairs])
    for pair, swap in zip(pairs, is_reversed, strict=True):
        texts = pair.candidate1, pair.candidate2
        first, second = texts[::-1] if swap else texts
        yield _line({"id": pair.key, **_instance(pair), "candidate1": first, "candidate2": second})


def read_scores(judgment_set: JudgmentSet, path: Path, *, max_bytes: int) -> NDArray[np.float64]:
    """The scores in a file, shape (n_items,), in the set's order, finite.

    A line is {"id", "score"} for a candidate or {"id", "score1", "score2"} for a minimal pair, with
    its members in the order of `item_lines`. A table has these fields as columns, with empty cells
    for those that a row does not have. All candidates must be scored; of the pairs all or none
    (then NaN). Raises FormatError with all problems by line and id, the first MAX_PROBLEMS in full.
    """
    by_position = judgment_set.candidates.order_by("position")
    candidates = list(by_position.values_list("key", flat=True))
    pairs = list(judgment_set.pairs.order_by("position").values_list("key", flat=True))

    is_reversed = reversed_pairs(judgment_set, pairs)

    def make_collector(file: str, problems: Problems) -> _ScoreCollector:
        return _ScoreCollector(judgment_set, file, problems, candidates, pairs, is_reversed)

    return _read_file(path, max_bytes, judgment_set.n_items, make_collector)


def _read_file(
    path: Path,
    max_bytes: int,
    n_items: int,
    make_collector: Callable[[str, Problems], _ScoreCollector],
) -> NDArray[np.float64]:
    limits = Limits(
        max_bytes=max_bytes,
        max_rows=2 * n_items + 1000,
        max_unpacked_bytes=MAX_UNPACKED_IN_REQUEST,
        max_seconds=MAX_SECONDS_IN_REQUEST,
    )
    problems = Problems(MAX_PROBLEMS)
    try:
        (file,) = open_files([path], limits, TABLE_FILES)
        kind = kind_of(file)
        if kind in ("jsonl", "csv"):
            _check_line_lengths(path, file.name, problems)
        if kind == "jsonl":
            name, rows = file.name, file.objects(problems)
        else:
            name, rows = _table_rows(open_table(file, limits, problems), problems)
        scores = make_collector(name, problems)
        for number, (line, row) in enumerate(rows, start=1):
            if number > limits.max_rows:
                message = f"there are far more lines than items to score in {scores.judgment_set}"
                raise problems.fatal(name, line, None, message)
            scores.add(line, row)
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    return scores.finish()


@dataclass
class _ScoreCollector:
    """Collects the scores of one file, and the line of each id.

    candidates, pairs: the ids of those to score, by position. reversed_pairs: which pairs have
    their second member first.
    """

    judgment_set: JudgmentSet
    file: str
    problems: Problems
    candidates: list[str]
    pairs: list[str]
    reversed_pairs: NDArray[np.bool_]

    def __post_init__(self) -> None:
        # By whether it is a pair: the positions of ids.
        self.positions = {
            False: {key: position for position, key in enumerate(self.candidates)},
            True: {key: position for position, key in enumerate(self.pairs)},
        }
        # By whether it is a pair, and id: the line. An id with a problem counts as scored.
        self.lines: dict[tuple[bool, str], int] = {}
        self.scores = np.full(len(self.candidates) + 2 * len(self.pairs), np.nan)

    def add(self, line: int, row: dict[str, object]) -> None:
        key = row.get("id")
        if type(key) is not str:
            message = f"is {json_type(key)}; a string is expected" if "id" in row else "is missing"
            self.problems.add(self.file, line, "id", message)
            return
        is_pair = "score" not in row and bool({"score1", "score2"} & row.keys())
        if not self._check_id(line, key, is_pair):
            return
        unknown = sorted(row.keys() - FIELDS[is_pair])
        if unknown:
            self._fault(
                line, key, f"has {quote_names(unknown)}, which is not a field of a line of scores"
            )
        names = ("score1", "score2") if is_pair else ("score",)
        values = [self._number(line, key, row, name) for name in names]
        position = self.positions[is_pair][key]
        if is_pair:
            start = len(self.candidates) + 2 * position
            swap = self.reversed_pairs[position]
            self.scores[start : start + 2] = values[::-1] if swap else values
        else:
            self.scores[position] = values[0]

    def finish(self) -> NDArray[np.float64]:
        """All scores. Raises FormatError if there is any problem or a score is missing."""
        of_candidates, of_pairs = np.split(np.isnan(self.scores), [len(self.candidates)])
        missing_pairs = of_pairs.reshape(-1, 2).any(axis=1)
        if not any(is_pair for is_pair, _ in self.lines) and missing_pairs.all():
            missing_pairs = np.zeros_like(missing_pairs)
        for is_pair, keys, missing in (
            (False, self.candidates, of_candidates),
            (True, self.pairs, missing_pairs),
        ):
            for key in (keys[position] for position in np.flatnonzero(missing).tolist()):
                if (is_pair, key) not in self.lines:
                    what = "pair" if is_pair else "candidate"
                    self._fault(None, key, f"this {what} has no score")
        self.problems.raise_if_any()
        return self.scores

    def _check_id(self, line: int, key: str, is_pair: bool) -> bool:
        """Whether the id exists and was not scored before; else a problem is added."""
        if key not in self.positions[is_pair]:
            if key in self.positions[not is_pair]:
                names = "score1 and score2" if key in self.positions[True] else "score"
                self._fault(line, key, f"is a {'candidate' if is_pair else 'pair'}: give {names}")
                self.lines.setdefault((not is_pair, key), line)
            else:
                self._fault(line, key, f"is not an id of {self.judgment_set}")
            return False
        earlier = self.lines.setdefault((is_pair, key), line)
        if earlier != line:
            self._fault(line, key, f"was scored in line {earlier} already")
            return False
        return True

    def _number(self, line: int, key: str, row: dict[str, object], name: str) -> float:
        number = parse_number(row[name]) if name in row else "is missing; a number is expected"
        if isinstance(number, str):
            self._fault(line, key, f"{name} {number}")
            return math.nan
        return number

    def _fault(self, line: int | None, key: str, message: str) -> None:
        self.problems.add(self.file, line, None, f"{quote(key)} {message}")


def _table_rows(table: Table, problems: Problems) -> tuple[str, Rows]:
    """The table's name and rows. Raises FormatError for columns that are not read: a column of
    gold scores must not be taken for the metric's."""
    fields = set().union(*FIELDS)
    unknown = [name for name in table.header if name.strip().lower() not in fields]
    if unknown:
        message = f"has the columns {quote_names(unknown)}; delete all but {quote_names(COLUMNS)}"
        raise problems.fatal(table.name, None, None, message)
    return table.name, score_rows(table, problems)


def _check_line_lengths(path: Path, name: str, problems: Problems) -> None:
    """Refuse long lines, since a parsed line takes many times its size in memory."""
    with path.open("rb") as file:
        for number, raw in enumerate(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), 1):
            if len(raw) > MAX_LINE_BYTES:
                message = f"is longer than {MAX_LINE_BYTES:,} bytes; one score a line is expected"
                raise problems.fatal(name, number, None, message)


class InstanceRow(ConversationFields):
    """The instance of a candidate or pair, for submitters."""

    instance: str
    passage: str
    question: str
    references: list[str]


def _instance(row: CandidateRecord | PairRecord) -> InstanceRow:
    instance = row.instance
    return {
        "instance": instance.key,
        "passage": instance.passage,
        "question": instance.question,
        **conversation_fields(instance.conversation),
        "references": list(instance.references),
    }


def _line(row: Mapping[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


__all__ = ["MAX_PROBLEMS", "FormatError", "item_lines", "read_scores"]
