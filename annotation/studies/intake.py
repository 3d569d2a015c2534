"""Candidates and minimal pairs read from a file: in Concord's format, or a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from concord.formats import (
    TABLE,
    FormatError,
    InstanceRecord,
    Limits,
    ReadOptions,
    detect_format,
    read_judgments,
    read_pairs,
)
from concord.formats.best_worst import order_of
from concord.formats.faulty_rows import with_cells
from concord.formats.limits import MAX_SECONDS_IN_REQUEST, MAX_UNPACKED_IN_REQUEST
from concord.formats.records import Choice, KeyRecord, PairRecord, candidate_names
from concord.formats.tables import KINDS, Preview, preview_table

CONCORD = "concord"
# The kinds of tables are formats by themselves.
FORMATS = (CONCORD, *KINDS)
UNSCORED = ReadOptions(unscored_pairs=True, without_references=True)
MAX_ROWS = 200_000
# A page reads the whole file.
LIMITS = Limits(
    max_rows=MAX_ROWS,
    max_unpacked_bytes=MAX_UNPACKED_IN_REQUEST,
    max_seconds=MAX_SECONDS_IN_REQUEST,
)


@dataclass(frozen=True, slots=True)
class CandidateInput:
    """An answer to rate, or a test item: `expected` and `answers` are its correct answers.

    line: in the file; None where it is in none.
    """

    key: str
    instance: InstanceRecord
    text: str
    system: str = ""
    expected: float | None = None
    answers: Mapping[str, object] = field(default_factory=dict)
    line: int | None = None


@dataclass(frozen=True, slots=True)
class KeyedPairInput:
    """A pair with its correct choice and correct answers to criteria; a test item of a study that
    compares pairs. `choice` is None where only criteria have a key."""

    key: str
    instance: InstanceRecord
    texts: tuple[str, str]
    systems: tuple[str, str] = ("", "")
    choice: Choice | None = None
    answers: Mapping[str, object] = field(default_factory=dict)
    line: int | None = None


@dataclass(frozen=True, slots=True)
class KeyedSetInput:
    """A set with the numbers from 1 of its best and worst candidate, and correct answers to other
    criteria; a test item of a study that compares sets. line: of its first pair."""

    key: str
    instance: InstanceRecord
    texts: tuple[str, ...]
    systems: tuple[str, ...]
    best: int
    worst: int
    answers: Mapping[str, object] = field(default_factory=dict)
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PairInput:
    """A minimal pair to rate: two answers to one instance, the first one better."""

    key: str
    instance: InstanceRecord
    better: str
    worse: str
    phenomenon: str = ""


class IntakeError(ValueError):
    """A file that cannot be read. The message lists the problems, one per line; `refusal` has them
    with the cells of their rows, where the reader found them."""

    def __init__(self, message: str, refusal: FormatError | None = None) -> None:
        super().__init__(message)
        self.refusal = refusal


def format_of(path: Path) -> str:
    """The format of a file by its content: "concord", or the kind of its table.

    Raises IntakeError for a file that is no text and no table.
    """
    try:
        if detect_format(path, LIMITS) == TABLE:
            return preview_table(path, limits=LIMITS).kind
        return CONCORD
    except FormatError as error:
        raise _refused(error, path) from error


def read_preview(path: Path, sheet: str | None = None) -> Preview:
    """The headings and first rows of a table. Raises IntakeError."""
    try:
        return preview_table(path, sheet, LIMITS)
    except FormatError as error:
        raise _refused(error, path) from error


def read_candidates(
    path: Path,
    format: str,
    columns: Sequence[str] = (),
    sheet: str | None = None,
    *,
    keys: bool = False,
    row_prefix: str = "",
) -> list[CandidateInput]:
    """The candidates of a file, with or without references; their gold scores are the expected
    values.

    `columns` is the meaning of each column of a table. `keys`: the file may have correct answers to
    criteria. `row_prefix` begins the ids that are row numbers of a table. Raises IntakeError for an
    invalid file or an unknown format.
    """
    try:
        if format == CONCORD:
            options = ReadOptions(keys=keys, without_references=True)
            candidates = read_judgments([path], format, options).candidates
        else:
            options = ReadOptions(
                columns=tuple(columns),
                sheet=sheet or None,
                keys=keys,
                row_prefix=row_prefix,
                without_references=True,
            )
            candidates = read_judgments([path], TABLE, options, LIMITS).candidates
    except FormatError as error:
        raise _refused(error, path, sheet) from error
    return [
        CandidateInput(
            c.key,
            c.instance,
            c.text,
            c.system,
            c.score,
            c.test_key.answers if c.test_key else {},
            c.test_key.line if c.test_key else None,
        )
        for c in candidates
    ]


def read_keyed_pairs(path: Path, format: str) -> list[KeyedPairInput]:
    """The pairs of a file with their correct choices and answers.

    Raises IntakeError for an invalid file, an unknown format, or pairs of sets.
    """
    pairs = _read_keyed(path, format)
    _refuse(pairs, lambda pair: pair.set_key, "`set`: the study compares pairs, not sets")
    return [
        KeyedPairInput(
            p.key,
            p.instance,
            (p.candidate1, p.candidate2),
            p.systems,
            _test_key(p).choice,
            _test_key(p).answers,
            _test_key(p).line,
        )
        for p in pairs
    ]


def read_keyed_sets(path: Path, format: str) -> list[KeyedSetInput]:
    """The sets of a file with the best and the worst that the correct choices of their pairs imply.

    Candidates are in the order in which the file first has them. Raises IntakeError for an invalid
    file, an unknown format, pairs of no set, and pairs of one set that contradict each other.
    """
    pairs = _read_keyed(path, format)
    _refuse(pairs, lambda pair: not pair.set_key, "`set` is missing: the study compares sets")
    sets: dict[tuple[str, str], list[PairRecord]] = defaultdict(list)
    for pair in pairs:
        sets[pair.instance.key, pair.set_key].append(pair)
    return [_keyed_set(rows) for rows in sets.values()]


def _keyed_set(pairs: Sequence[PairRecord]) -> KeyedSetInput:
    """The set of which these are the implied pairs."""
    members: dict[str, tuple[str, str]] = {}
    answers: Mapping[str, object] = {}
    preferences = []
    for pair in pairs:
        names, key = candidate_names(pair), _test_key(pair)
        members_of_pair = zip((pair.candidate1, pair.candidate2), pair.systems, strict=True)
        for name, member in zip(names, members_of_pair, strict=True):
            if members.setdefault(name, member) != member:
                raise IntakeError(
                    f"line {key.line}, {pair.set_key}: the candidate '{name}' has another text or "
                    "system in an earlier line"
                )
        answers = answers or key.answers
        if key.answers and key.answers != answers:
            raise IntakeError(
                f"line {key.line}, {pair.set_key}: `answers` differ from those of an earlier line"
            )
        preferences.append(names if key.choice == 1 else (names[1], names[0]))
    order = order_of(preferences)
    assert order is not None  # the reader checked it
    numbers = {name: number for number, name in enumerate(members, start=1)}
    texts, systems = zip(*members.values(), strict=True)
    first = pairs[0]
    return KeyedSetInput(
        first.set_key,
        first.instance,
        texts,
        systems,
        numbers[order[0]],
        numbers[order[-1]],
        answers,
        _test_key(first).line,
    )


def _test_key(pair: PairRecord) -> KeyRecord:
    assert pair.test_key is not None  # keys were read
    return pair.test_key


def _read_keyed(path: Path, format: str) -> Sequence[PairRecord]:
    try:
        return read_pairs([path], format, replace(UNSCORED, keys=True)).pairs
    except FormatError as error:
        raise _refused(error, path) from error


def _refuse(
    pairs: Sequence[PairRecord], is_refused: Callable[[PairRecord], object], reason: str
) -> None:
    """Raise IntakeError with the line of the first pair that is refused."""
    for pair in pairs:
        if is_refused(pair):
            raise IntakeError(f"line {_test_key(pair).line}, {pair.set_key or pair.key}: {reason}")


def read_rated_pairs(path: Path, format: str) -> list[PairInput]:
    """The minimal pairs of a file, with or without scores.

    Raises IntakeError for an invalid file or an unknown format.
    """
    try:
        pairs = read_pairs([path], format, UNSCORED).pairs
    except FormatError as error:
        raise _refused(error, path) from error
    return [PairInput(p.key, p.instance, p.candidate1, p.candidate2, p.phenomenon) for p in pairs]


def _refused(error: FormatError, path: Path, sheet: str | None = None) -> IntakeError:
    message = str(error).replace(f"{path.parent}/", "")
    return IntakeError(message, with_cells(error, [path], sheet=sheet, limits=LIMITS))
