"""AnswerKey: the score of a qualification test.

Source: the API reference's page on the AnswerKey data structure. An option has one selection, and
the value is the percentage of the highest sum; "rounded to the nearest integer" rounds halves up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mturk_sandbox.errors import xml_problem
from mturk_sandbox.questions import Selections, read_document
from mturk_sandbox.safe_xml import child, child_text, children


@dataclass(frozen=True)
class AnswerKey:
    """The score of each selection by question, and the sum that is 100 percent."""

    scores: dict[str, dict[str, int]]
    maximum: int

    def score(self, answers: Mapping[str, str]) -> int:
        """The qualification's value for the selections of a worker."""
        total = sum(scores.get(answers.get(name, ""), 0) for name, scores in self.scores.items())
        return (200 * total + self.maximum) // (2 * self.maximum)


def read_answer_key(text: str, selections: Selections) -> AnswerKey:
    """Parse and check a key.

    Raises a TurkError when the key is too long, violates its schema, or names questions or
    selections that the test does not have.
    """
    root = read_document(text, "AnswerKey")
    scores = {}
    for question in children(root, "Question"):
        name = child_text(question, "QuestionIdentifier")
        if name not in selections:
            raise xml_problem(f"the test has no question {name!r}")
        scores[name] = {
            child_text(option, "SelectionIdentifier"): _number(option, "AnswerScore")
            for option in children(question, "AnswerOption")
        }
        if unknown := scores[name].keys() - selections[name]:
            missing = ", ".join(sorted(unknown))
            raise xml_problem(f"question {name} of the test has no selection {missing}")
    if not scores:
        raise xml_problem("AnswerKey has no Question")
    element: Element | None = child(root, "QualificationValueMapping")
    mapping = None if element is None else child(element, "PercentageMapping")
    if mapping is None:
        raise xml_problem("QualificationValueMapping has no PercentageMapping")
    maximum = _number(mapping, "MaximumSummedScore")
    if maximum <= 0:
        raise xml_problem("MaximumSummedScore is not above 0")
    return AnswerKey(scores, maximum)


def _number(element: Element, name: str) -> int:
    text = child_text(element, name)
    try:
        return int(text)
    except ValueError:
        raise xml_problem(f"{name} is not a number: {text!r}") from None
