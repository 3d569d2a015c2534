"""Question data: the ExternalQuestion of a HIT and the QuestionForm of a qualification test.

Limits and namespaces are those of the API reference's pages on the two structures. The schemas are
not checked completely, only the elements that the worker's page uses. Each question of a test is
one choice among selections.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from mturk_sandbox.errors import invalid, xml_problem
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

MAX_BYTES = 65_535
NAMESPACES = {
    "AnswerKey": ("2005-10-01/AnswerKey.xsd",),
    "ExternalQuestion": ("2006-07-14/ExternalQuestion.xsd",),
    "QuestionForm": ("2005-10-01/QuestionForm.xsd", "2017-11-06/QuestionForm.xsd"),
}
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
# The selections of each question of a test, by the question's identifier.
Selections = dict[str, set[str]]


@dataclass(frozen=True)
class ExternalQuestion:
    """A page of the requester, shown in a frame of this height."""

    url: str
    height: int


def read_document(text: str, kind: str) -> Element:
    """The root of a document of this kind. Raises a TurkError."""
    size = len(text.encode("utf-8"))
    if size > MAX_BYTES:
        raise invalid(f"The {kind} is {size} bytes; the maximum is {MAX_BYTES}.")
    try:
        root = parse(text)
    except XMLProblemError as error:
        raise xml_problem(str(error)) from error
    if local_name(root) != kind:
        raise xml_problem(f"the root element is {local_name(root)}, not {kind}")
    if namespace(root) not in {SCHEMAS + path for path in NAMESPACES[kind]}:
        raise xml_problem(f"{kind} is not in its namespace, {SCHEMAS}{NAMESPACES[kind][-1]}")
    return root


def read_question(text: str, *, local_http: bool) -> ExternalQuestion:
    """Parse and check the question of a HIT. Raises a TurkError as CreateHIT does."""
    root = read_document(text, "ExternalQuestion")
    url, height = child_text(root, "ExternalURL"), child_text(root, "FrameHeight")
    if not height.isdigit():
        raise xml_problem("ExternalQuestion has no FrameHeight, or it is not a whole number")
    parts = urlsplit(url)
    # A difference: MTurk only accepts https, but a sandbox is used on one machine.
    is_local = local_http and parts.scheme == "http" and parts.hostname in LOCAL_HOSTS
    if not parts.netloc or not (parts.scheme == "https" or is_local) or re.search(r"\s", url):
        raise invalid(f"The ExternalURL {url!r} must be a URL that begins with https://.")
    return ExternalQuestion(url, int(height))


def read_test(text: str) -> tuple[Element, Selections]:
    """Parse and check a qualification test; returns its root and the selections of its questions.

    Raises a TurkError.
    """
    root = read_document(text, "QuestionForm")
    selections: Selections = {}
    for question in children(root, "Question"):
        name = child_text(question, "QuestionIdentifier")
        if not name:
            raise xml_problem("a Question has no QuestionIdentifier")
        if name in selections:
            raise xml_problem(f"two questions are called {name}")
        if child(question, "QuestionContent") is None:
            raise xml_problem(f"question {name} has no QuestionContent")
        identifiers = [child_text(one, "SelectionIdentifier") for one in _selections(question)]
        if not identifiers or not all(identifiers):
            raise xml_problem(f"question {name} has no Selection with a SelectionIdentifier")
        selections[name] = set(identifiers)
    if not selections:
        raise xml_problem("QuestionForm has no Question")
    return root, selections


def _selections(question: Element) -> list[Element]:
    element: Element | None = question
    for name in ("AnswerSpecification", "SelectionAnswer", "Selections"):
        element = None if element is None else child(element, name)
    return [] if element is None else children(element, "Selection")


def form_of_test(root: Element) -> str:
    """The HTML of a test's overview and questions, without the form element."""
    parts = []
    for element in root:
        if local_name(element) == "Overview":
            parts.append(f'<section class="overview">{_content(element)}</section>')
        elif local_name(element) == "Question":
            parts.append(_question(element))
    return "".join(parts)


def _content(element: Element) -> str:
    tags = {"Title": "h2", "Text": "p"}
    return "".join(
        f"<{tags[name]}>{escape((part.text or '').strip())}</{tags[name]}>"
        for part in element
        if (name := local_name(part)) in tags
    )


def _question(question: Element) -> str:
    name, title = child_text(question, "QuestionIdentifier"), child_text(question, "DisplayName")
    content = child(question, "QuestionContent")
    head = f"<h2>{escape(title)}</h2>" if title else ""
    head += "" if content is None else _content(content)
    choices = "".join(
        f'<label class="check"><input type="radio" name="{escape(name)}" required'
        f' value="{escape(child_text(one, "SelectionIdentifier"))}">'
        f" <span>{escape(child_text(one, 'Text'))}</span></label>"
        for one in _selections(question)
    )
    # The question is the group's name; a legend may hold headings and texts alike.
    return f"<fieldset><legend>{head}</legend>{choices}</fieldset>"
