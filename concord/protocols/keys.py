"""Keys: the correct answers of test items and hidden checks, and whether a rater's agree.

A key can name the value of the main question, answers to criteria (`concord.protocols.answers`), or
both. Each keyed answer is graded by itself: `RIGHT` has one comparison for each kind of criterion.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from concord.formats.best_worst import MIN_SET_SIZE
from concord.formats.labels import label_key
from concord.formats.marks import RaterMarks
from concord.formats.records import Span
from concord.protocols.answers import Answers, answer_problems, normalized
from concord.protocols.criteria import (
    DEFAULT_KEY_F1,
    NO,
    YES,
    Criterion,
    CriterionKind,
    whole_number,
)
from concord.protocols.protocol import Protocol
from concord.spans.agreement import overlap

OPTION_SEPARATOR = "|"


@dataclass(frozen=True, slots=True)
class Key:
    """The correct answers of an item. `value`: of the main question, None where it has no key."""

    value: float | None = None
    answers: Answers = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeyedAnswer:
    """An answer of a rater with its key. `name` is that of the criterion, "" the main question.

    answer: None where the rater gave none, or could not judge; it is not right then.
    """

    name: str
    key: Any
    answer: Any
    is_right: bool


def key_problems(protocol: Protocol, key: Key, text: str, *, compared: int = 0) -> Iterator[str]:
    """Why a key does not fit its protocol, in the order of the criteria; nothing where it does.

    text: that of the candidate, in which spans lie. compared: how many candidates a set has. A
    criterion with a condition can have a key only where the key's other answers ask it.
    """
    if protocol.unit == "set" and not MIN_SET_SIZE <= compared <= protocol.high:
        sizes = f"{MIN_SET_SIZE} to {protocol.high}" if protocol.high > MIN_SET_SIZE else "3"
        yield f"it has {compared} candidates; the protocol's sets have {sizes}"
        return
    value = key.value
    if value is None and not key.answers:
        main = "choice" if protocol.unit == "pair" else "rating"
        yield f"it needs a correct {main}, or a correct answer to a criterion"
    if value is not None:
        if value != int(value):
            yield f"the correct rating is {value:g}; a whole number is expected"
        elif not protocol.low <= value <= protocol.high:
            yield (
                f"the correct rating is {value:g}; it must be from {protocol.low} to "
                f"{protocol.high}"
            )
    criteria = {criterion.name: criterion for criterion in protocol.criteria}
    for problem in answer_problems(protocol, _whole(value), key.answers, text, compared=compared):
        if problem.name in key.answers:
            yield problem.message
    for name in key.answers:
        if name in criteria and criteria[name].kind not in RIGHT:
            yield f"{name}: Free text has no correct answer to compare with."


def read_key(protocol: Protocol, key: Key) -> Key:
    """The key with texts as the answers they stand for; what stands for none stays as it is.

    So a table can state keys: a whole number, an option, options separated by "|", "yes" or "no",
    and spans as a JSON list.
    """
    criteria = {criterion.name: criterion for criterion in protocol.criteria}
    answers = {
        name: _of_text(criteria[name], answer)
        if isinstance(answer, str) and name in criteria
        else answer
        for name, answer in key.answers.items()
    }
    return Key(key.value, answers)


def stored_key(protocol: Protocol, key: Key) -> tuple[int | None, dict[str, Any]]:
    """The main value and the answers of a key without problems, normalised."""
    return _whole(key.value), normalized(protocol, key.answers)


def graded_answers(
    protocol: Protocol, key: Key, value: int | None, answers: Answers, tolerance: int
) -> list[KeyedAnswer]:
    """The rater's answers to the keyed questions, the main question first.

    tolerance: how far `value` may be from its key. Choices between compared candidates are right
    only where they are equal to the key; the best and the worst of a set are two answers. After a
    change of the protocol, a key of another kind than its criterion is left out, and an answer of
    another kind is not right.
    """
    graded = []
    if key.value is not None:
        value = None if value is None else protocol.counted(value)
        is_right = value is not None and abs(value - key.value) <= tolerance
        graded.append(KeyedAnswer("", _whole(key.value), value, is_right))
    for criterion in protocol.criteria:
        expected, answer = key.answers.get(criterion.name), answers.get(criterion.name)
        if _is_of_kind(criterion, expected):
            is_right = _is_of_kind(criterion, answer) and RIGHT[criterion.kind](
                criterion, answer, expected
            )
            graded.append(KeyedAnswer(criterion.name, expected, answer, is_right))
    return graded


def _is_of_kind(criterion: Criterion, answer: Any) -> bool:
    """Whether an answer has the type that the criterion's kind compares."""
    if criterion.kind in LISTED:
        part = LISTED[criterion.kind]
        return isinstance(answer, list) and all(isinstance(one, part) for one in answer)
    return criterion.kind in TYPES and type(answer) is TYPES[criterion.kind]


def _is_near(criterion: Criterion, answer: Any, key: Any) -> bool:
    return bool(abs(answer - key) <= criterion.key_tolerance)


def _is_equal(criterion: Criterion, answer: Any, key: Any) -> bool:
    return bool(answer == key)


def _is_same_choice(criterion: Criterion, answer: Any, key: Any) -> bool:
    return set(answer) == set(key)


def _overlaps(criterion: Criterion, answer: Any, key: Any) -> bool:
    """Whether the character F1 reaches the criterion's; severities and categories do not count.

    Where neither has a position, both or neither must say that something is missing.
    """
    f1 = overlap([(_marks(answer), _marks(key))]).f1
    if f1 is None:
        return bool(answer) == bool(key)
    needed = DEFAULT_KEY_F1 if criterion.key_f1 is None else criterion.key_f1
    return f1 >= needed - 1e-9


def _marks(spans: Any) -> RaterMarks:
    return RaterMarks(
        rater="",
        system="",
        document="",
        segment="",
        spans=tuple(Span.from_row(span) for span in spans),
    )


RIGHT: Mapping[CriterionKind, Callable[[Criterion, Any, Any], bool]] = {
    "scale": _is_near,
    "slider": _is_near,
    "choice": _is_equal,
    "yes-no": _is_equal,
    "choices": _is_same_choice,
    "spans": _overlaps,
    "worst": _is_equal,
}

TYPES: Mapping[CriterionKind, type] = {
    "scale": int,
    "slider": int,
    "choice": str,
    "yes-no": bool,
    "worst": int,
}
LISTED: Mapping[CriterionKind, type] = {"choices": str, "spans": dict}


def _of_text(criterion: Criterion, text: str) -> Any:
    """The answer that a text stands for, or the text where it stands for none."""
    answer: Any = text
    if criterion.kind in ("scale", "slider"):
        answer = whole_number(text.strip())
    elif criterion.kind == "yes-no":
        answer = {YES: True, NO: False}.get(label_key(text))
    elif criterion.kind == "choice":
        answer = _option(criterion, text)
    elif criterion.kind == "choices":
        parts = filter(str.strip, text.split(OPTION_SEPARATOR))
        answer = [_option(criterion, part) for part in parts]
    elif criterion.kind == "spans":
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            answer = None
    return text if answer is None else answer


def _option(criterion: Criterion, text: str) -> str:
    """The option that a text names (`label_key`), the same text before others; else the text."""
    same = {label_key(option): option for option in criterion.options}
    return text.strip() if text.strip() in criterion.options else same.get(label_key(text), text)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
