"""QuestionFormAnswers: a worker's answers in the API's format."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from mturk_sandbox.safe_xml import SCHEMAS, child_text, children, parse

NAMESPACE = SCHEMAS + "2005-10-01/QuestionFormAnswers.xsd"
# Characters that XML 1.0 does not allow, not even as a character reference.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Fields = list[tuple[str, str]]
# A question, and pairs of FreeText, SelectionIdentifier or OtherSelectionText and a value.
Answer = tuple[str, list[tuple[str, str]]]


def free_text_answers(fields: Fields) -> str:
    """The fields of an external form: one Answer for each name, its values joined by a bar."""
    joined: dict[str, list[str]] = {}
    for name, value in fields:
        joined.setdefault(name, []).append(value)
    return answers_xml((name, [("FreeText", "|".join(values))]) for name, values in joined.items())


def answers_xml(answers: Iterable[Answer]) -> str:
    """A QuestionFormAnswers document."""
    root = ElementTree.Element("QuestionFormAnswers", {"xmlns": NAMESPACE})
    for name, values in answers:
        answer = ElementTree.SubElement(root, "Answer")
        ElementTree.SubElement(answer, "QuestionIdentifier").text = FORBIDDEN.sub("", name)
        for kind, value in values:
            ElementTree.SubElement(answer, kind).text = FORBIDDEN.sub("", value)
    body = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii")
    return f'<?xml version="1.0" encoding="ASCII"?>{body}'


def selected_options(document: str) -> dict[str, frozenset[str]]:
    """The selections of each question of a QuestionFormAnswers document."""
    return {
        child_text(answer, "QuestionIdentifier"): frozenset(
            (selection.text or "").strip() for selection in children(answer, "SelectionIdentifier")
        )
        for answer in children(parse(document), "Answer")
    }
