"""Test items and hidden checks: candidates, or pairs or sets of them, with correct answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from annotation.studies.errors import KeysRefusedError, StudyError
from annotation.studies.intake import CandidateInput, KeyedPairInput, KeyedSetInput
from annotation.studies.models import ComparedCandidate, Study, StudyCandidate
from concord.formats import Problem
from concord.protocols import Protocol
from concord.protocols.keys import Key, key_problems, read_key, stored_key

Use = StudyCandidate.Use
USES = (Use.QUALIFICATION, Use.GOLD)
# By the number of compared candidates; more are a set.
UNIT_OF_SIZE = {0: "candidate", 2: "pair"}
CHOICE_VALUES = {1: 1, 2: 2, "tie": 0}
MAX_LISTED = 20
PAIRS_NEEDED = (
    "The study compares pairs of answers, so its test items and hidden checks are pairs with their "
    "correct choice. Upload them as concord-pairs JSON Lines."
)
SETS_NEEDED = (
    "The study compares sets of answers, so its test items and hidden checks are sets with their "
    "best and worst. Upload them as concord-pairs JSON Lines: the pairs that a best and a worst "
    "imply, each with `set` and `choice`."
)
COMPARED_NEEDED = {"pair": PAIRS_NEEDED, "set": SETS_NEEDED}
NO_TIES = "the correct choice is a tie, but raters must choose one of the two"


# A row of a file with correct answers, and why they do not fit.
_KeyProblem = tuple[CandidateInput | KeyedPairInput | KeyedSetInput, str]


def candidate_keys(candidates: Sequence[CandidateInput], protocol: Protocol) -> dict[str, Key]:
    """The key of each candidate, by the candidate's id.

    Raises StudyError that names, by line and id, each key that does not fit its question, and where
    the protocol compares pairs or sets.
    """
    if protocol.compares:
        raise StudyError(COMPARED_NEEDED[protocol.unit])
    keys, problems = {}, list[_KeyProblem]()
    for one in candidates:
        key = read_key(protocol, Key(one.expected, one.answers))
        problems += [(one, reason) for reason in key_problems(protocol, key, one.text)]
        keys[one.key] = key
    _raise(problems)
    return keys


def pair_keys(pairs: Sequence[KeyedPairInput], protocol: Protocol) -> dict[str, Key]:
    """As `candidate_keys`, of pairs with a correct choice."""
    if protocol.unit == "set":
        raise StudyError(SETS_NEEDED)
    if protocol.unit != "pair":
        raise StudyError(
            "The study rates single answers, so its test items and hidden checks are no pairs."
        )
    keys, problems = {}, list[_KeyProblem]()
    for one in pairs:
        value = None if one.choice is None else CHOICE_VALUES[one.choice]
        key = read_key(protocol, Key(value, one.answers))
        reasons = list(key_problems(protocol, key, ""))
        if value == 0 and protocol.low > 0:
            reasons = [NO_TIES, *list(key_problems(protocol, Key(1, key.answers), ""))]
        problems += [(one, reason) for reason in reasons]
        keys[one.key] = key
    _raise(problems)
    return keys


def set_keys(sets: Sequence[KeyedSetInput], protocol: Protocol) -> dict[str, Key]:
    """As `candidate_keys`, of sets with their best and worst."""
    if protocol.unit != "set":
        raise StudyError(
            "The study does not compare sets, so its test items and hidden checks are no sets."
        )
    (worst,) = (criterion.name for criterion in protocol.criteria if criterion.kind == "worst")
    keys, problems = {}, list[_KeyProblem]()
    for one in sets:
        key = read_key(protocol, Key(one.best, {**one.answers, worst: one.worst}))
        reasons = list(key_problems(protocol, key, "", compared=len(one.texts)))
        if worst in one.answers:
            reasons.append(f"{worst}: the set's correct choices say which is the worst")
        problems += [(one, reason) for reason in reasons]
        keys[one.key] = key
    _raise(problems)
    return keys


def key_of(candidate: StudyCandidate) -> Key:
    """The stored correct answers of a test item or hidden check."""
    return Key(candidate.expected, candidate.expected_answers)


def key_fields(protocol: Protocol, key: Key) -> dict[str, object]:
    """A valid key as fields of a candidate."""
    value, answers = stored_key(protocol, key)
    return {"expected": value, "expected_answers": answers}


def check_stored_keys(study: Study, use: str) -> None:
    """Raise StudyError where keys of this use do not fit the current protocol.

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
        unit = UNIT_OF_SIZE.get(size, "set")
        if protocol.unit != unit:
            name = "a single answer" if unit == "candidate" else f"a {unit}"
            problems.append(f"{row.key}: it is {name}, which the protocol does not rate")
            continue
        reasons = key_problems(protocol, key_of(row), row.text, compared=size)
        problems += [f"{row.key}: {reason}" for reason in reasons]
    if problems:
        raise StudyError(
            "Correct answers do not fit the protocol. Change the protocol back, or make a study "
            f"with new test items and checks. {' '.join(_listed(problems))}"
        )


def _place(line: int | None, key: str) -> str:
    return f"{key}" if line is None else f"line {line}, {key}"


def _raise(problems: Sequence[_KeyProblem]) -> None:
    """Raise KeysRefusedError if there are problems."""
    if not problems:
        return
    lines = [f"{_place(row.line, row.key)}: {reason}" for row, reason in problems]
    faults = []
    for row, reason in problems:
        name, _, of_criterion = reason.partition(": ")
        is_named = bool(of_criterion) and name in row.answers
        field, message = (name, of_criterion) if is_named else (None, reason)
        faults.append(Problem("", row.line, field, message))
    message = "\n".join(["Correct answers do not fit the protocol.", *_listed(lines)])
    raise KeysRefusedError(message, faults)


def _listed(problems: Sequence[str]) -> list[str]:
    """The first problems, as sentences, and how many more there are."""
    rows = [f"{problem.rstrip('.')}." for problem in problems[:MAX_LISTED]]
    more = len(problems) - MAX_LISTED
    return [*rows, f"And {more:,} more."] if more > 0 else rows
