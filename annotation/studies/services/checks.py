"""Test items and hidden checks: candidates, or pairs or sets of them, with correct answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from annotation.studies.errors import KeysRefusedError
from annotation.studies.intake import Item
from annotation.studies.models import ComparedCandidate, Study, StudyCandidate
from concord.formats import Problem
from concord.protocols import Protocol
from concord.protocols.keys import Key, key_problems, read_key, stored_key
from core.refusals import RefusedError

Use = StudyCandidate.Use
USES = (Use.QUALIFICATION, Use.GOLD)
MAX_LISTED = 20
# By what the protocol rates, the reason why other items are refused.
NEEDED = {
    "candidate": "The study rates single answers, so its test items and hidden checks are single "
    "answers with their correct rating.",
    "pair": "The study compares pairs of answers, so its test items and hidden checks are pairs "
    "with their correct choice. Upload them as concord-pairs JSON Lines.",
    "set": "The study compares sets of answers, so its test items and hidden checks are sets with "
    "their best and worst. Upload them as concord-pairs JSON Lines: the pairs that a best and a "
    "worst imply, each with `set` and `choice`.",
}
NO_TIES = "the correct choice is a tie, but raters must choose one of the two"


def item_keys(items: Sequence[Item], protocol: Protocol) -> dict[str, Key]:
    """The key of each item, by the item's id.

    Raises RefusedError for items of another kind than the protocol rates, and one that names, by
    line and id, each key that does not fit its question.
    """
    if any(not _is_of_unit(protocol, len(item.parts)) for item in items):
        raise RefusedError(NEEDED[protocol.unit], "study-refused")
    keys, problems = {}, list[tuple[Item, str]]()
    for item in items:
        key = read_key(protocol, item.test_key)
        problems += [(item, reason) for reason in _key_problems(protocol, key, item)]
        keys[item.key] = key
    _raise(problems)
    return keys


def _is_of_unit(protocol: Protocol, candidates: int) -> bool:
    """Whether the protocol rates so many candidates together; 1: single ones."""
    if protocol.unit == "set":  # `key_problems` says which sizes it has
        return candidates > 1
    return candidates == (2 if protocol.unit == "pair" else 1)


def _key_problems(protocol: Protocol, key: Key, item: Item) -> Iterator[str]:
    if protocol.unit == "pair" and key.value == 0 and not protocol.has_ties:
        yield NO_TIES
        key = Key(1, key.answers)
    compared = len(item.parts) if protocol.compares else 0
    yield from key_problems(protocol, key, item.text, compared=compared)


def key_of(candidate: StudyCandidate) -> Key:
    """The stored correct answers of a test item or hidden check."""
    return Key(candidate.expected, candidate.expected_answers)


def key_fields(protocol: Protocol, key: Key) -> dict[str, object]:
    """A valid key as fields of a candidate."""
    value, answers = stored_key(protocol, key)
    return {"expected": value, "expected_answers": answers}


def check_stored_keys(study: Study, use: str) -> None:
    """Raise RefusedError where keys of this use do not fit the current protocol.

    The protocol may have changed since they were added.
    """
    protocol = study.current.protocol
    problems = []
    compared = Counter(
        ComparedCandidate.objects.filter(unit__study=study, unit__use=use).values_list(
            "unit_id", flat=True
        )
    )
    for row in study.candidates.filter(use=use).order_by("position"):
        size = compared[row.pk]
        if not _is_of_unit(protocol, size or 1):
            kind = {0: "a single answer", 2: "a pair"}.get(size, "a set")
            problems.append(f"{row.key}: it is {kind}, which the protocol does not rate")
            continue
        reasons = key_problems(protocol, key_of(row), row.text, compared=size)
        problems += [f"{row.key}: {reason}" for reason in reasons]
    if problems:
        raise RefusedError(
            "Correct answers do not fit the protocol. Change the protocol back, or make a study "
            f"with new test items and checks. {' '.join(_listed(problems))}",
            "study-refused",
        )


def _place(line: int | None, key: str) -> str:
    return f"{key}" if line is None else f"line {line}, {key}"


def _raise(problems: Sequence[tuple[Item, str]]) -> None:
    """Raise KeysRefusedError if there are problems."""
    if not problems:
        return
    lines = [f"{_place(row.line, row.key)}: {reason}" for row, reason in problems]
    faults = []
    for row, reason in problems:
        name, _, of_criterion = reason.partition(": ")
        is_named = bool(of_criterion) and name in row.test_key.answers
        field, message = (name, of_criterion) if is_named else (None, reason)
        faults.append(Problem("", row.line, field, message))
    message = "\n".join(["Correct answers do not fit the protocol.", *_listed(lines)])
    raise KeysRefusedError(message, faults)


def _listed(problems: Sequence[str]) -> list[str]:
    """The first problems, as sentences, and how many more there are."""
    rows = [f"{problem.rstrip('.')}." for problem in problems[:MAX_LISTED]]
    more = len(problems) - MAX_LISTED
    return [*rows, f"And {more:,} more."] if more > 0 else rows
