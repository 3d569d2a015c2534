"""Answers to a protocol's criteria, and their validation.

Answers map the names of criteria to values: of a scale or slider a whole number, of a choice the
option, of choices a list of options, of yes-no a bool, of text a str, of spans a list of {"start",
"end", "severity", "categories"}: characters [start, end) of the candidate in Unicode code points,
or null and null where something is missing, of the worst candidate of a set its number from 1 in
the set's own order, as the main answer is the number of the best. A criterion that was not answered
is absent; a rater who found nothing to mark answers with an empty list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from concord.bounds.validation import UNSTORABLE
from concord.formats.best_worst import MAX_SET_SIZE
from concord.protocols.criteria import YES, Condition, Criterion, whole_number
from concord.protocols.protocol import Protocol

Answers = Mapping[str, Any]
Reason = Literal[
    "unknown",
    "not asked",
    "missing",
    "range",
    "option",
    "text",
    "length",
    "span",
    "many",
    "candidate",
    "same",
]

ANSWER_CHARS = 5_000
MAX_SPANS = 200
SPAN_FIELDS = {"start", "end", "severity", "categories"}
# The kinds whose answers `coded` makes numbers of.
CODED = ("scale", "slider", "choice", "yes-no", "worst")
MESSAGES: dict[Reason, str] = {
    "unknown": "The protocol has no such criterion.",
    "not asked": "It is not asked after these answers.",
    "missing": "It is not answered yet.",
    "range": "The answer must be a whole number from {low} to {high}.",
    "option": "The answer must be one of the options.",
    "text": "The answer must be text without NUL characters.",
    "span": "Each span needs a start and an end in the text, a severity and the categories.",
    "many": "The answer may have at most {spans} spans.",
    "candidate": "The answer must be the number of one of the compared candidates.",
    "same": "The best and the worst candidate must be different.",
    "length": "The answer may have at most {limit:,} characters.",
}


@dataclass(frozen=True, slots=True)
class AnswerProblem:
    """Why an answer is not valid. `criterion` is None where the protocol has none of this name."""

    name: str
    reason: Reason
    criterion: Criterion | None = None

    @property
    def message(self) -> str:
        """The problem in English, with the criterion's name."""
        values: dict[str, Any] = {"limit": ANSWER_CHARS, "spans": MAX_SPANS}
        if self.criterion is not None and self.criterion.points:
            values |= {"low": self.criterion.low, "high": self.criterion.high}
        return f"{self.name}: {MESSAGES[self.reason].format(**values)}"


def asked_criteria(protocol: Protocol, value: int | None, answers: Answers) -> list[Criterion]:
    """The criteria that are asked where the main answer is `value` and others are `answers`.

    Only answers to criteria that are asked decide on later ones.
    """
    given: dict[str, Any] = {"": value}
    asked = []
    for criterion in protocol.criteria:
        if criterion.condition is None or holds(criterion.condition, given):
            asked.append(criterion)
            if criterion.name in answers:
                given[criterion.name] = answers[criterion.name]
    return asked


def holds(condition: Condition, answers: Answers) -> bool:
    """Whether a condition holds; False where its question has no answer. "" is the main answer."""
    answer = answers.get(condition.criterion)
    if answer is None:
        return False
    if isinstance(answer, bool):
        return answer == (condition.value == YES)
    if isinstance(answer, int):
        value = whole_number(condition.value)
        if value is None:
            return False
        comparisons = {"below": answer < value, "above": answer > value, "equal": answer == value}
        return comparisons[condition.relation]
    if isinstance(answer, list):
        return condition.value in answer
    return bool(answer == condition.value)


def answer_problems(
    protocol: Protocol,
    value: int | None,
    answers: Answers,
    text: str,
    *,
    compared: int = MAX_SET_SIZE,
    complete: bool = True,
) -> Iterator[AnswerProblem]:
    """What is wrong with the answers, in the order of the criteria; nothing where they are valid.

    value: the main answer; None where the worker could not judge, and then no answer is needed.
    text: that of the candidate, in which spans lie. compared: how many candidates a set has.
    Answers that need not be `complete` may lack required ones, and spans a severity or category.
    """
    asked = {criterion.name for criterion in asked_criteria(protocol, value, answers)}
    criteria = {criterion.name: criterion for criterion in protocol.criteria}
    for name in answers:
        if name not in criteria:
            yield AnswerProblem(name, "unknown")
    for name, criterion in criteria.items():
        if name in answers:
            reason: Reason | None = "not asked"
            if name in asked:
                reason = _check(criterion, answers[name], text, compared, complete)
                if reason == "missing" and not complete:
                    reason = None
                if reason is None and criterion.kind == "worst" and answers[name] == value:
                    reason = "same"
            if reason is not None:
                yield AnswerProblem(name, reason, criterion)
        elif complete and criterion.required and name in asked and value is not None:
            yield AnswerProblem(name, "missing", criterion)


def normalized(protocol: Protocol, answers: Answers) -> dict[str, Any]:
    """Valid answers in the order of the criteria, chosen options in that of the options."""
    result = {}
    for criterion in protocol.criteria:
        if criterion.name in answers:
            answer = answers[criterion.name]
            if criterion.kind == "choices":
                answer = [option for option in criterion.options if option in answer]
            elif criterion.kind == "spans":
                answer = sorted(answer, key=_position)
            result[criterion.name] = answer
    return result


def coded(criterion: Criterion, answers: Answers) -> float | None:
    """The answer to a criterion of a kind in CODED as a number; None without a valid one.

    Of a scale, slider or worst candidate its number, of a choice the option's number from 0, of
    yes-no 1 for yes.
    """
    answer = answers.get(criterion.name)
    if answer is None or _check(criterion, answer) is not None:
        return None
    return float(criterion.options.index(answer) if criterion.kind == "choice" else answer)


def _number_reason(criterion: Criterion, answer: Any) -> Reason | None:
    is_whole = isinstance(answer, int) and not isinstance(answer, bool)
    return None if is_whole and criterion.low <= answer <= criterion.high else "range"


def _candidate_reason(answer: Any, compared: int) -> Reason | None:
    return None if type(answer) is int and 1 <= answer <= compared else "candidate"


def _choice_reason(criterion: Criterion, answer: Any) -> Reason | None:
    return None if isinstance(answer, str) and answer in criterion.options else "option"


def _choices_reason(criterion: Criterion, answer: Any) -> Reason | None:
    if not isinstance(answer, list) or any(_choice_reason(criterion, option) for option in answer):
        return "option"
    return "missing" if criterion.required and not answer else None


def _yes_no_reason(criterion: Criterion, answer: Any) -> Reason | None:
    return None if isinstance(answer, bool) else "option"


def _text_reason(criterion: Criterion, answer: Any) -> Reason | None:
    if not isinstance(answer, str) or UNSTORABLE.search(answer):
        return "text"
    if len(answer) > ANSWER_CHARS:
        return "length"
    return None if answer.strip() or not criterion.required else "missing"


def _spans_reason(criterion: Criterion, answer: Any, text: str, complete: bool) -> Reason | None:
    if not isinstance(answer, list):
        return "span"
    if not all(_is_span(criterion, span, text, complete) for span in answer):
        return "span"
    return "many" if len(answer) > MAX_SPANS else None


def _is_span(criterion: Criterion, span: Any, text: str, complete: bool) -> bool:
    if not isinstance(span, dict) or set(span) != SPAN_FIELDS:
        return False
    start, end, categories = span["start"], span["end"], span["categories"]
    is_in_text = (type(start) is int and type(end) is int and 0 <= start < end <= len(text)) or (
        start is None and end is None
    )
    if not isinstance(categories, list) or not all(isinstance(one, str) for one in categories):
        return False
    number = 1 if criterion.categories else 0
    is_blank = not complete and span["severity"] == ""
    return (
        is_in_text
        and (is_blank or span["severity"] in criterion.severities)
        and (len(categories) == number or (not complete and not categories))
        and set(categories) <= set(criterion.categories)
    )


def _position(span: Mapping[str, Any]) -> tuple[bool, int, int]:
    """In the order of the text; what is missing comes last."""
    return span["start"] is None, span["start"] or 0, span["end"] or 0


def _check(
    criterion: Criterion,
    answer: Any,
    text: str = "",
    compared: int = MAX_SET_SIZE,
    complete: bool = True,
) -> Reason | None:
    """Why an answer is not valid; None for a valid one."""
    if criterion.kind == "worst":
        return _candidate_reason(answer, compared)
    if criterion.kind == "spans":
        return _spans_reason(criterion, answer, text, complete)
    return _CHECKS[criterion.kind](criterion, answer)


_CHECKS: dict[str, Callable[[Criterion, Any], Reason | None]] = {
    "scale": _number_reason,
    "slider": _number_reason,
    "choice": _choice_reason,
    "choices": _choices_reason,
    "yes-no": _yes_no_reason,
    "text": _text_reason,
}
