"""QuestionFormAnswers: what MTurk says that a worker's browser posted."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from annotation.crowds.providers.mturk.questions import SCHEMAS
from annotation.crowds.providers.provider import CrowdError

ANSWERS = f"{SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
MOST_CHARS = 4_000_000


def read_answers(xml: str) -> dict[str, str]:
    """The fields of the form. Several values of one field are joined by `|`, as MTurk does.

    Raises CrowdError for what is not an answer; a document type, which can hide an expansion
    without end, is none.
    """
    if not xml.strip():
        return {}
    if "<!DOCTYPE" in xml[:2000].upper() or "<!ENTITY" in xml.upper() or len(xml) > MOST_CHARS:
        raise CrowdError("The answer is no QuestionFormAnswers document.")
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise CrowdError(f"The answer is not well-formed XML: {error}.") from error
    found: dict[str, str] = {}
    for answer in root:
        name, values = "", []
        for part in answer:
            tag = part.tag.rpartition("}")[2]
            if tag == "QuestionIdentifier":
                name = (part.text or "").strip()
            elif tag in ("FreeText", "SelectionIdentifier", "OtherSelectionText"):
                values.append(part.text or "")
        if name:
            found[name] = "|".join(values)
    return found


def write_answers(fields: Mapping[str, str]) -> str:
    """The document that `read_answers` reads."""
    answers = "".join(
        f"<Answer><QuestionIdentifier>{escape(name)}</QuestionIdentifier>"
        f"<FreeText>{escape(value)}</FreeText></Answer>"
        for name, value in fields.items()
    )
    return f'<QuestionFormAnswers xmlns="{ANSWERS}">{answers}</QuestionFormAnswers>'
