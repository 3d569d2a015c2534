"""QuestionFormAnswers: a worker's answers in the API's format."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from mturk_sandbox.safe_xml import SCHEMAS

NAMESPACE = SCHEMAS + "2005-10-01/QuestionFormAnswers.xsd"
# Characters that XML 1.0 does not allow, not even as a character reference.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Fields = list[tuple[str, str]]


def free_text_answers(fields: Fields) -> str:
    """The fields of an external form: one Answer for each name, its values joined by a bar."""
    joined: dict[str, list[str]] = {}
    for name, value in fields:
        joined.setdefault(name, []).append(value)
    root = ElementTree.Element("QuestionFormAnswers", {"xmlns": NAMESPACE})
    for name, values in joined.items():
        answer = ElementTree.SubElement(root, "Answer")
        ElementTree.SubElement(answer, "QuestionIdentifier").text = FORBIDDEN.sub("", name)
        ElementTree.SubElement(answer, "FreeText").text = FORBIDDEN.sub("", "|".join(values))
    body = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii")
    return f'<?xml version="1.0" encoding="ASCII"?>{body}'
