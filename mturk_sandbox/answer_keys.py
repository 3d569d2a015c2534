"""AnswerKey: the score of a qualification test.

Source: the API reference's page on the AnswerKey data structure. "Rounded to the nearest integer"
rounds halves up here. The reference does not say how a scaled sum is rounded; here it is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from xml.etree.ElementTree import Element

from mturk_sandbox.errors import invalid, xml_problem
from mturk_sandbox.questions import MAX_BYTES
from mturk_sandbox.safe_xml import (
    SCHEMAS,
    XMLProblemError,
    child,
    child_text,
    children,
    local_name,
    namespace,
    parse,
)

NAMESPACE = SCHEMAS + "2005-10-01/AnswerKey.xsd"
MAPPINGS = ("PercentageMapping", "ScaleMapping", "RangeMapping")


@dataclass(frozen=True)
class QuestionKey:
    """The key of a question: the score of each exact set of selections, and of any other answer."""

    options: dict[frozenset[str], int]
    default: int


@dataclass(frozen=True)
class AnswerKey:
    """The keys of all questions, and the mapping of their sum to the value (None: identity)."""

    questions: dict[str, QuestionKey]
    mapping: Element | None

    def score(self, answers: Mapping[str, frozenset[str]]) -> int:
        """The qualification's value for some selections; a missing answer is an empty set."""
        total = 0
        for name, question_key in self.questions.items():
            total += question_key.options.get(answers.get(name, frozenset()), question_key.default)
        return self._value(total)

    def _value(self, total: int) -> int:
        if self.mapping is None:
            return total
        kind = local_name(self.mapping)
        if kind == "PercentageMapping":
            return _round_half_up(
                Decimal(total) * 100 / _number(self.mapping, "MaximumSummedScore")
            )
        if kind == "ScaleMapping":
            return _round_half_up(total * _number(self.mapping, "SummedScoreMultiplier"))
        for span in children(self.mapping, "SummedScoreRange"):
            low, high = _number(span, "InclusiveLowerBound"), _number(span, "InclusiveUpperBound")
            if low <= total <= high:
                return int(_number(span, "QualificationValue"))
        return int(_number(self.mapping, "OutOfRangeQualificationValue"))


def read_answer_key(text: str, selections: Mapping[str, set[str]]) -> AnswerKey:
    """Parse and check a key. `selections` are those of the test, by question.

    Raises a TurkError when the key is too long, violates its schema, or names questions or
    selections that the test does not have.
    """
    if len(text.encode("utf-8")) > MAX_BYTES:
        raise invalid(f"The AnswerKey is longer than {MAX_BYTES} bytes.")
    try:
        root = parse(text)
    except XMLProblemError as error:
        raise xml_problem(str(error)) from error
    if local_name(root) != "AnswerKey" or namespace(root) != NAMESPACE:
        raise xml_problem(f"the root element is not an AnswerKey of {NAMESPACE}")
    questions = {}
    for question in children(root, "Question"):
        name = child_text(question, "QuestionIdentifier")
        if name not in selections:
            raise xml_problem(f"the test has no question {name!r}")
        questions[name] = _question_key(question, name, selections[name])
    if not questions:
        raise xml_problem("AnswerKey has no Question")
    return AnswerKey(questions, _mapping(root))


def _question_key(question: Element, name: str, selections: set[str]) -> QuestionKey:
    options = {}
    for option in children(question, "AnswerOption"):
        option_selections = frozenset(
            (selection.text or "").strip() for selection in children(option, "SelectionIdentifier")
        )
        if not option_selections <= selections:
            unknown = ", ".join(sorted(option_selections - selections))
            raise xml_problem(f"question {name} of the test has no selection {unknown}")
        options[option_selections] = int(_number(option, "AnswerScore"))
    if not options:
        raise xml_problem(f"question {name} has no AnswerOption")
    default = child(question, "DefaultScore")
    return QuestionKey(options, 0 if default is None else int(_number(question, "DefaultScore")))


def _mapping(root: Element) -> Element | None:
    wrapper = child(root, "QualificationValueMapping")
    if wrapper is None:
        return None
    if len(wrapper) != 1 or local_name(wrapper[0]) not in MAPPINGS:
        raise xml_problem(f"QualificationValueMapping has none of {', '.join(MAPPINGS)}")
    mapping = wrapper[0]
    kind = local_name(mapping)
    if kind == "PercentageMapping" and _number(mapping, "MaximumSummedScore") <= 0:
        raise xml_problem("MaximumSummedScore is not above 0")
    if kind == "ScaleMapping":
        _number(mapping, "SummedScoreMultiplier")
    if kind == "RangeMapping":
        _number(mapping, "OutOfRangeQualificationValue")
        for span in children(mapping, "SummedScoreRange"):
            for name in ("InclusiveLowerBound", "InclusiveUpperBound", "QualificationValue"):
                _number(span, name)
    return mapping


def _number(element: Element, name: str) -> Decimal:
    text = child_text(element, name)
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise xml_problem(f"{name} is not a number: {text!r}") from None
    if not number.is_finite():
        raise xml_problem(f"{name} is not a number: {text!r}")
    return number


def _round_half_up(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_HALF_UP))
