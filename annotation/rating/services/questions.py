"""The criteria of a protocol as fields of the raters' forms: what they show, and what they send.

A criterion's field is `answer-CANDIDATE-NUMBER`; each option of several choices has one of its own,
`answer-CANDIDATE-NUMBER-OPTION`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.rating.services.answer_texts import severity_name, yes_or_no
from annotation.rating.services.span_fields import (
    MISSING,
    SpanRow,
    fields_of_spans,
    span_rows,
    spans_of_form,
)
from concord.protocols import Answers, Criterion, Protocol, asked_criteria
from concord.protocols.criteria import NO, YES, whole_number

TEMPLATES = {
    "scale": "options",
    "choice": "options",
    "choices": "options",
    "yes-no": "options",
    "slider": "slider",
    "text": "text",
    "spans": "spans",
    "worst": "options",
}


@dataclass(frozen=True)
class OfferedAnswer:
    """One value to choose, with its key on the keyboard (empty if it has none).

    field: the name of its form field. number: the value of a point of a scale; otherwise empty.
    """

    field: str
    value: str
    label: str
    key: str
    is_chosen: bool
    number: str = ""


@dataclass(frozen=True)
class CriterionQuestion:
    """A criterion as one candidate's card asks it. `answer` is None if there is none.

    condition_field: the field on which it depends, or empty. condition: in words, for pages without
    script. text: that of the candidate. shown: of a set, the numbers and names of its candidates in
    the order in which they are shown.
    """

    criterion: Criterion
    field: str
    answer: Any  # as its kind of criterion says
    condition_field: str
    condition: str
    text: str
    shown: Sequence[tuple[int, str]] = ()

    @property
    def template(self) -> str:
        """The template of its kind."""
        return f"annotation/rating/criteria/{TEMPLATES[self.criterion.kind]}.html"

    @property
    def is_multiple(self) -> bool:
        return self.criterion.kind == "choices"

    @property
    def is_natively_required(self) -> bool:
        """Whether its fields have the attribute `required`: no rule of HTML requires one of several
        boxes, or depends on a condition."""
        return self.criterion.required and self.condition == "" and not self.is_multiple

    def span_rows(self) -> list[SpanRow]:
        """The parts of the text that are or can be marked."""
        return span_rows(self.field, self.text, self.answer or [])

    def empty_row(self) -> SpanRow:
        """The row from which the script makes others."""
        return SpanRow(self.field, MISSING, "")

    def only_category(self) -> str:
        """The category of every marked part; empty where there are none or several."""
        return self.criterion.categories[0] if len(self.criterion.categories) == 1 else ""

    def severities(self) -> list[OfferedAnswer]:
        """The severities of a marked part, each with its key."""
        return [
            OfferedAnswer(self.field, severity, severity_name(severity), str(number), False)
            for number, severity in enumerate(self.criterion.severities, start=1)
        ]

    def options(self) -> list[OfferedAnswer]:
        """What a scale, a choice or a yes-no question offers."""
        criterion = self.criterion
        if criterion.kind == "scale":
            values = [point.value for point in criterion.points]
            return [
                OfferedAnswer(
                    self.field,
                    str(point.value),
                    point.label,
                    key,
                    self.answer == point.value,
                    str(point.value),
                )
                for point, key in zip(criterion.points, keys_for(values), strict=False)
            ]
        if criterion.kind == "worst":
            return [
                OfferedAnswer(
                    self.field, str(number), name, str(at), self.answer == number, str(at)
                )
                for at, (number, name) in enumerate(self.shown, start=1)
            ]
        if criterion.kind == "yes-no":
            return [
                OfferedAnswer(self.field, YES, yes_or_no(True), "1", self.answer is True),
                OfferedAnswer(self.field, NO, yes_or_no(False), "2", self.answer is False),
            ]
        keys = [*"1234567890-", *[""] * len(criterion.options)]
        if self.is_multiple:
            chosen = self.answer if isinstance(self.answer, list) else []
            return [
                OfferedAnswer(f"{self.field}-{at}", option, option, key, option in chosen)
                for at, (option, key) in enumerate(zip(criterion.options, keys, strict=False))
            ]
        return [
            OfferedAnswer(self.field, option, option, key, self.answer == option)
            for option, key in zip(criterion.options, keys, strict=False)
        ]


def keys_for(values: Sequence[int]) -> list[str]:
    """A key for each point of a scale.

    The key is the value if every value has its own digit, with 0 for ten; otherwise the position on
    the scale, with "-" for the eleventh.
    """
    if set(values) <= set(range(1, 11)):
        return [str(value % 10) for value in values]
    if set(values) <= set(range(10)):
        return [str(value) for value in values]
    return list("1234567890-")


def questions_for(
    protocol: Protocol,
    candidate: int,
    answers: Answers | None = None,
    *,
    text: str = "",
    shown: Sequence[int] = (),
) -> list[CriterionQuestion]:
    """The criteria as the card of a candidate asks them, with the answers so far.

    text: that of the candidate, whose parts can be marked. shown: of a set, the numbers of its
    candidates in the order in which they are shown.
    """
    answers = answers or {}
    fields = {
        criterion.name: f"answer-{candidate}-{at}" for at, criterion in enumerate(protocol.criteria)
    }
    fields[""] = f"value-{candidate}"
    return [
        CriterionQuestion(
            criterion,
            fields[criterion.name],
            answers.get(criterion.name),
            fields[criterion.condition.criterion] if criterion.condition else "",
            _condition(protocol, criterion),
            text,
            [(number, point.label) for number, point in zip(shown, protocol.scale, strict=False)],
        )
        for criterion in protocol.criteria
    ]


def answers_of_form(
    protocol: Protocol, candidate: int, value: int | None, fields: Mapping[str, str]
) -> dict[str, object]:
    """The answers in a form's fields, not validated; without those to questions not asked."""
    answers = {}
    for at, criterion in enumerate(protocol.criteria):
        answer = _answer(criterion, f"answer-{candidate}-{at}", fields)
        if answer is not None:
            answers[criterion.name] = answer
    asked = {criterion.name for criterion in asked_criteria(protocol, value, answers)}
    return {name: answer for name, answer in answers.items() if name in asked}


def fields_of_answers(protocol: Protocol, candidate: int, answers: Answers) -> dict[str, str]:
    """Valid answers as fields of a form, which `answers_of_form` reads."""
    fields: dict[str, str] = {}
    for at, criterion in enumerate(protocol.criteria):
        answer, field = answers.get(criterion.name), f"answer-{candidate}-{at}"
        if criterion.kind == "spans":
            fields |= fields_of_spans(field, answer or [])
        elif isinstance(answer, list):
            chosen = ((n, o) for n, o in enumerate(criterion.options) if o in answer)
            fields |= {f"{field}-{number}": option for number, option in chosen}
        elif isinstance(answer, bool):
            fields[field] = YES if answer else NO
        elif answer is not None:
            fields[field] = str(answer)
    return fields


def _answer(criterion: Criterion, field: str, fields: Mapping[str, str]) -> object:
    """The answer to a criterion; None if its fields are empty."""
    if criterion.kind == "spans":
        return spans_of_form(criterion, field, fields)
    if criterion.kind == "choices":
        chosen = [fields.get(f"{field}-{at}", "") for at in range(len(criterion.options))]
        return [option for option in chosen if option] or None
    text = fields.get(field, "")
    if not text.strip():
        return None
    if criterion.kind == "yes-no":
        return {YES: True, NO: False}.get(text, text)
    if criterion.kind in ("scale", "slider", "worst"):
        number = whole_number(text.strip())
        return text if number is None else number
    return text


def _condition(protocol: Protocol, criterion: Criterion) -> str:
    """When the criterion is asked, in words; empty where always."""
    condition = criterion.condition
    if condition is None:
        return ""
    questions = {one.name: one.question for one in protocol.criteria} | {"": protocol.question}
    value = condition.value
    if value in (YES, NO):
        value = yes_or_no(value == YES)
    texts = {
        "below": gettext("Only if your answer to “%(question)s” is below %(value)s."),
        "above": gettext("Only if your answer to “%(question)s” is above %(value)s."),
        "equal": gettext("Only if your answer to “%(question)s” is %(value)s."),
    }
    return texts[condition.relation] % {
        "question": questions[condition.criterion],
        "value": value,
    }
