"""Question data: ExternalQuestion, HTMLQuestion and QuestionForm, checked as CreateHIT checks them.

Limits and namespaces are those of the API reference's pages on the three structures. The schemas
are not checked completely, only the elements that the worker's page uses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from mturk_sandbox.errors import TurkError, invalid, xml_problem
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
    "ExternalQuestion": ("2006-07-14/ExternalQuestion.xsd",),
    "HTMLQuestion": ("2011-11-11/HTMLQuestion.xsd",),
    "QuestionForm": ("2005-10-01/QuestionForm.xsd", "2017-11-06/QuestionForm.xsd"),
}
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
ANSWER_KINDS = ("FreeTextAnswer", "SelectionAnswer", "FileUploadAnswer")


@dataclass(frozen=True)
class HitQuestion:
    """A HIT's question: `kind` is the root element's name; `url` or `html` depend on it."""

    kind: str
    root: Element
    height: int = 0
    url: str = ""
    html: str = ""


def read_question(text: str, *, local_http: bool) -> HitQuestion:
    """Parse and check the question of a HIT. Raises a TurkError as CreateHIT does."""
    root = _root(text, tuple(NAMESPACES))
    kind = local_name(root)
    if kind == "QuestionForm":
        _check_form(root)
        return HitQuestion(kind, root)
    height = child_text(root, "FrameHeight")
    if not height.isdigit():
        raise xml_problem(f"{kind} has no FrameHeight, or it is not a whole number")
    if kind == "HTMLQuestion":
        html = child_text(root, "HTMLContent")
        if not html:
            raise xml_problem("HTMLQuestion has no HTMLContent")
        return HitQuestion(kind, root, int(height), html=html)
    url = child_text(root, "ExternalURL")
    _check_address(url, local_http=local_http)
    return HitQuestion(kind, root, int(height), url=url)


def read_test(text: str) -> Element:
    """Parse and check the QuestionForm of a qualification test. Raises a TurkError."""
    root = _root(text, ("QuestionForm",))
    _check_form(root)
    return root


def _root(text: str, kinds: tuple[str, ...]) -> Element:
    size = len(text.encode("utf-8"))
    if size > MAX_BYTES:
        raise invalid(f"The question is {size} bytes; the maximum is {MAX_BYTES}.")
    try:
        root = parse(text)
    except XMLProblemError as error:
        raise xml_problem(str(error)) from error
    kind = local_name(root)
    if kind not in kinds:
        raise xml_problem(f"the root element is {kind}, not {' or '.join(kinds)}")
    if namespace(root) not in {SCHEMAS + path for path in NAMESPACES[kind]}:
        raise xml_problem(f"{kind} is not in its namespace, {SCHEMAS}{NAMESPACES[kind][-1]}")
    return root


def _check_address(url: str, *, local_http: bool) -> None:
    parts = urlsplit(url)
    # A difference: MTurk only accepts https, but a sandbox is used on one machine.
    is_local = local_http and parts.scheme == "http" and parts.hostname in LOCAL_HOSTS
    if not parts.netloc or not (parts.scheme == "https" or is_local):
        raise _address_error(url)
    if re.search(r"\s", url):
        raise _address_error(url)


def _address_error(url: str) -> TurkError:
    return invalid(f"The ExternalURL {url!r} must be a URL that begins with https://.")


def _check_form(root: Element) -> None:
    questions = children(root, "Question")
    if not questions:
        raise xml_problem("QuestionForm has no Question")
    names: set[str] = set()
    for question in questions:
        name = child_text(question, "QuestionIdentifier")
        if not name:
            raise xml_problem("a Question has no QuestionIdentifier")
        if name in names:
            raise xml_problem(f"two questions are called {name}")
        names.add(name)
        if child(question, "QuestionContent") is None:
            raise xml_problem(f"question {name} has no QuestionContent")
        _check_answer(name, child(question, "AnswerSpecification"))


def _check_answer(name: str, specification: Element | None) -> None:
    if specification is None or len(specification) != 1:
        raise xml_problem(f"question {name} has no AnswerSpecification with one kind of answer")
    answer = specification[0]
    if local_name(answer) not in ANSWER_KINDS:
        raise xml_problem(f"question {name} wants an answer of unknown kind {local_name(answer)}")
    if local_name(answer) == "SelectionAnswer":
        selections = child(answer, "Selections")
        if selections is None or not children(selections, "Selection"):
            raise xml_problem(f"question {name} has no Selection")
        for selection in children(selections, "Selection"):
            if not child_text(selection, "SelectionIdentifier"):
                raise xml_problem(f"a Selection of question {name} has no SelectionIdentifier")


def selection_identifiers(root: Element) -> dict[str, set[str]]:
    """The selections of each multiple-choice question of a form, by the question's identifier."""
    identifiers: dict[str, set[str]] = {}
    for question in children(root, "Question"):
        answer = child(question, "AnswerSpecification")
        selection = None if answer is None else child(answer, "SelectionAnswer")
        selections = None if selection is None else child(selection, "Selections")
        identifiers[child_text(question, "QuestionIdentifier")] = (
            set()
            if selections is None
            else {
                child_text(element, "SelectionIdentifier")
                for element in children(selections, "Selection")
            }
        )
    return identifiers
