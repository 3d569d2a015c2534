"""QuestionFormAnswers documents: the form fields that a worker submitted to MTurk."""

from __future__ import annotations

from xml.etree import ElementTree

from annotation.crowds.providers.mturk.questions import SCHEMAS
from annotation.crowds.providers.provider import CrowdError

ANSWERS = f"{SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
MAX_CHARS = 4_000_000


def read_answers(xml: str) -> dict[str, str]:
    """Read the fields of the form. Several values of one field are joined by `|`, as MTurk does.

    Raises CrowdError if the text is not an answer document. Document type declarations are refused,
    because their entities can expand without limit.
    """
    if not xml.strip():
        return {}
    if "<!DOCTYPE" in xml[:2000].upper() or "<!ENTITY" in xml.upper() or len(xml) > MAX_CHARS:
        raise CrowdError("The answer is not a QuestionFormAnswers document.")
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise CrowdError(f"The answer is not well-formed XML: {error}.") from error
    fields: dict[str, str] = {}
    for answer in root:
        name, values = "", []
        for part in answer:
            tag = part.tag.rpartition("}")[2]
            if tag == "QuestionIdentifier":
                name = (part.text or "").strip()
            elif tag in ("FreeText", "SelectionIdentifier", "OtherSelectionText"):
                values.append(part.text or "")
        if name:
            fields[name] = "|".join(values)
    return fields
