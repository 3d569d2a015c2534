"""What is added to a study, and read from a file: in Concord's format, or a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotation.studies.errors import UploadError
from concord.formats import (
    TABLE,
    FormatError,
    InstanceRecord,
    Limits,
    ReadOptions,
    detect_format,
    read_judgments,
    read_pairs,
    with_kind,
)
from concord.formats.best_worst import order_of
from concord.formats.faulty_rows import with_cells
from concord.formats.limits import MAX_SECONDS_IN_REQUEST, MAX_UNPACKED_IN_REQUEST
from concord.formats.records import CandidateRecord, KeyRecord, PairRecord, candidate_names
from concord.formats.tables import KINDS, Preview, preview_table
from concord.protocols import Protocol
from concord.protocols.keys import Key

CONCORD = "concord"
# The kinds of tables are formats by themselves.
FORMATS = (CONCORD, *KINDS)
UNSCORED = ReadOptions(unscored_pairs=True, without_references=True)
MAX_ROWS = 200_000
# Of the choice between two candidates, the values of the main answer.
CHOICE_VALUES = {1: 1, 2: 2, "tie": 0}
# A page reads the whole file.
LIMITS = Limits(
    max_rows=MAX_ROWS,
    max_unpacked_bytes=MAX_UNPACKED_IN_REQUEST,
    max_seconds=MAX_SECONDS_IN_REQUEST,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A candidate of an item."""

    text: str
    system: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """What is added to a study: a candidate, or a pair or set of candidates of one instance.

    parts: one candidate; the first one of a minimal pair is the better. test_key: the correct
    answers of a test item or hidden check; of a set, `value` is the number from 1 of the best.
    line: in the file, of a set that of its first pair; None where it is in none.
    """

    key: str
    instance: InstanceRecord
    parts: tuple[Part, ...]
    test_key: Key = field(default_factory=Key)
    line: int | None = None
    phenomenon: str = ""

    @classmethod
    def single(
        cls,
        key: str,
        instance: InstanceRecord,
        text: str,
        system: str = "",
        test_key: Key | None = None,
        line: int | None = None,
    ) -> Item:
        """One candidate."""
        return cls(key, instance, (Part(text, system),), test_key or Key(), line)

    @classmethod
    def minimal_pair(
        cls, key: str, instance: InstanceRecord, better: str, worse: str, phenomenon: str = ""
    ) -> Item:
        return cls(key, instance, (Part(better), Part(worse)), phenomenon=phenomenon)

    @property
    def text(self) -> str:
        """The candidate's text; of several candidates the numbered texts."""
        texts = [part.text for part in self.parts]
        return texts[0] if len(texts) == 1 else numbered_texts(texts)

    @property
    def system(self) -> str:
        """The candidate's system; empty of several candidates."""
        return self.parts[0].system if len(self.parts) == 1 else ""


def numbered_texts(texts: Sequence[str]) -> str:
    """Compared texts as one text, numbered from 1."""
    return "\n\n".join(f"{at}. {text}" for at, text in enumerate(texts, start=1))


def format_of(path: Path) -> str:
    """The format of a file by its content: "concord", or the kind of its table.

    Raises UploadError for a file that is no text and no table.
    """
    try:
        if with_kind(detect_format(path, LIMITS))[1] == TABLE:
            return preview_table(path, limits=LIMITS).kind
        return CONCORD
    except FormatError as error:
        raise _refused(error, path) from error


def read_preview(path: Path, sheet: str | None = None) -> Preview:
    """The headings and first rows of a table. Raises UploadError."""
    try:
        return preview_table(path, sheet, LIMITS)
    except FormatError as error:
        raise _refused(error, path) from error


def read_items(
    path: Path,
    format: str,
    columns: Sequence[str] = (),
    sheet: str | None = None,
    *,
    keys_for: Protocol | None = None,
    pairs: bool = False,
    row_prefix: str = "",
) -> list[Item]:
    """The items of a file, with or without references and scores; a score is the item's test key.

    `columns` is the meaning of each column of a table. `keys_for`: the protocol whose correct
    answers the file has. `pairs`: the file has minimal pairs. `row_prefix` begins the ids that are
    row numbers of a table. Raises UploadError for an invalid file or an unknown format; with
    `keys_for` where the protocol compares sets and the file has pairs, or the other way round, and
    for pairs of one set that contradict each other.
    """
    keys = keys_for is not None
    try:
        if pairs or (keys_for is not None and keys_for.compares):
            records = read_pairs([path], format, replace(UNSCORED, keys=keys)).pairs
            return _minimal_pairs(records) if keys_for is None else _keyed(records, keys_for)
        options = ReadOptions(keys=keys, without_references=True)
        if format == CONCORD:
            candidates = read_judgments([path], format, options).candidates
        else:
            options = replace(
                options, columns=tuple(columns), sheet=sheet or None, row_prefix=row_prefix
            )
            candidates = read_judgments([path], TABLE, options, LIMITS).candidates
    except FormatError as error:
        raise _refused(error, path, sheet) from error
    return [_candidate(record) for record in candidates]


def _candidate(record: CandidateRecord) -> Item:
    known = record.test_key
    key = Key(record.score, known.answers if known else {})
    line = known.line if known else None
    return Item.single(record.key, record.instance, record.text, record.system, key, line)


def _minimal_pairs(pairs: Sequence[PairRecord]) -> list[Item]:
    return [
        Item.minimal_pair(p.key, p.instance, p.candidate1, p.candidate2, p.phenomenon)
        for p in pairs
    ]


def _keyed(pairs: Sequence[PairRecord], protocol: Protocol) -> list[Item]:
    """The pairs with their correct choices, or the sets with the best and the worst that the
    correct choices of their pairs imply. Candidates are in the order in which the file first has
    them."""
    if protocol.unit == "pair":
        _refuse(pairs, lambda pair: pair.set_key, "`set`: the study compares pairs, not sets")
        return [_keyed_pair(pair) for pair in pairs]
    _refuse(pairs, lambda pair: not pair.set_key, "`set` is missing: the study compares sets")
    (worst,) = (criterion.name for criterion in protocol.criteria if criterion.kind == "worst")
    _refuse(
        pairs,
        lambda pair: worst in _test_key(pair).answers,
        f"{worst}: the set's correct choices say which is the worst",
    )
    sets: dict[tuple[str, str], list[PairRecord]] = defaultdict(list)
    for pair in pairs:
        sets[pair.instance.key, pair.set_key].append(pair)
    return [_keyed_set(rows, worst) for rows in sets.values()]


def _keyed_pair(pair: PairRecord) -> Item:
    record = _test_key(pair)
    value = None if record.choice is None else CHOICE_VALUES[record.choice]
    parts = map(Part, (pair.candidate1, pair.candidate2), pair.systems)
    return Item(pair.key, pair.instance, tuple(parts), Key(value, record.answers), record.line)


def _keyed_set(pairs: Sequence[PairRecord], worst: str) -> Item:
    """The set of which these are the implied pairs; worst: the name of the criterion."""
    members: dict[str, Part] = {}
    answers: Mapping[str, object] = {}
    preferences = []
    for pair in pairs:
        names, record = candidate_names(pair), _test_key(pair)
        place = f"line {record.line}, {pair.set_key}"
        parts = map(Part, (pair.candidate1, pair.candidate2), pair.systems)
        for name, part in zip(names, parts, strict=True):
            if members.setdefault(name, part) != part:
                raise UploadError(
                    f"{place}: the candidate '{name}' has another text or system in an earlier line"
                )
        answers = answers or record.answers
        if record.answers and record.answers != answers:
            raise UploadError(f"{place}: `answers` differ from those of an earlier line")
        preferences.append(names if record.choice == 1 else (names[1], names[0]))
    order = order_of(preferences)
    assert order is not None  # the reader checked it
    numbers = {name: number for number, name in enumerate(members, start=1)}
    key = Key(numbers[order[0]], {**answers, worst: numbers[order[-1]]})
    first = pairs[0]
    line = _test_key(first).line
    return Item(first.set_key, first.instance, tuple(members.values()), key, line)


def _test_key(pair: PairRecord) -> KeyRecord:
    assert pair.test_key is not None  # keys were read
    return pair.test_key


def _refuse(
    pairs: Sequence[PairRecord], is_refused: Callable[[PairRecord], object], reason: str
) -> None:
    """Raise UploadError with the line of the first pair that is refused."""
    for pair in pairs:
        if is_refused(pair):
            raise UploadError(
                f"line {_test_key(pair).line}, {pair.set_key or pair.key}: {reason}",
            )


def _refused(error: FormatError, path: Path, sheet: str | None = None) -> UploadError:
    message = str(error).replace(f"{path.parent}/", "")
    return UploadError(message, with_cells(error, [path], sheet=sheet, limits=LIMITS))
