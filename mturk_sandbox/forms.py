"""A QuestionForm as an HTML form, and the answers that come back from it.

Source: the API reference's page on the QuestionForm data structure. Applications and files to
upload, which MTurk gave up, are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from xml.etree.ElementTree import Element

import nh3

from mturk_sandbox.answers import Answer, Fields
from mturk_sandbox.safe_xml import child, children, local, text_of

OTHER = "::other"


def form_fields(root: Element) -> str:
    """The HTML of a form's overview and questions, without the form element itself."""
    parts = []
    for element in root:
        if local(element) == "Overview":
            parts.append(f'<section class="overview">{_content(element)}</section>')
        elif local(element) == "Question":
            parts.append(_question(element))
    return "".join(parts)


def _content(element: Element) -> str:
    """Titles, texts, pictures, lists and formatted content, as far as they are harmless."""
    return "".join(_RENDERED.get(local(part), _nothing)(part) for part in element)


def _nothing(_: Element) -> str:
    return ""


def _binary(part: Element) -> str:
    """A picture, sound or film by its address."""
    url, alt = text_of(part, "DataURL"), text_of(part, "AltText")
    mime = child(part, "MimeType")
    kind = "image" if mime is None else text_of(mime, "Type")
    if not re.match(r"https?://", url):
        return ""
    if kind in ("audio", "video"):
        return f'<{kind} controls src="{escape(url)}" aria-label="{escape(alt)}"></{kind}>'
    return f'<img src="{escape(url)}" alt="{escape(alt)}">'


_RENDERED: dict[str, Callable[[Element], str]] = {
    "Title": lambda part: f"<h2>{escape((part.text or '').strip())}</h2>",
    "Text": lambda part: f"<p>{escape((part.text or '').strip())}</p>",
    "FormattedContent": lambda part: str(nh3.clean(part.text or "")),
    "List": lambda part: (
        "<ul>"
        + "".join(f"<li>{escape(item.text or '')}</li>" for item in children(part, "ListItem"))
        + "</ul>"
    ),
    "Binary": _binary,
    "EmbeddedBinary": _binary,
}


def _question(question: Element) -> str:
    name = text_of(question, "QuestionIdentifier")
    title = text_of(question, "DisplayName")
    content = child(question, "QuestionContent")
    shown = "" if content is None else _content(content)
    needed = text_of(question, "IsRequired") == "true"
    mark = ' <span class="needed">(needed)</span>' if needed else ""
    head = (f"<h2>{escape(title)}</h2>" if title else "") + shown + mark
    specification = child(question, "AnswerSpecification")
    answer = None if specification is None else specification[0]
    if answer is not None and local(answer) == "SelectionAnswer":
        # The question is the group's name; a legend may hold headings and texts alike.
        return f"<fieldset><legend>{head}</legend>{_selections(name, answer, needed)}</fieldset>"
    field = "" if answer is None else _free_text(name, answer, needed)
    identifier = escape(f"text-{name}")
    return f'<div class="question"><div id="{identifier}-label">{head}</div>{field}</div>'


def _free_text(name: str, answer: Element, needed: bool) -> str:
    if local(answer) != "FreeTextAnswer":
        return '<p class="help">Files cannot be sent here.</p>'
    lines = text_of(answer, "NumberOfLinesSuggestion", "1")
    default = text_of(answer, "DefaultText")
    required = " required" if needed else ""
    shared = (
        f'id="{escape(f"text-{name}")}" name="{escape(name)}"'
        f' aria-labelledby="{escape(f"text-{name}-label")}"{required}'
    )
    if lines.isdecimal() and int(lines) > 1:
        return f'<textarea {shared} rows="{min(int(lines), 40)}">{escape(default)}</textarea>'
    return f'<input {shared} value="{escape(default)}">'


def _selections(name: str, answer: Element, needed: bool) -> str:
    listed = child(answer, "Selections")
    assert listed is not None
    many = _limits(answer)[1] != 1
    kind = "checkbox" if many else "radio"
    required = " required" if needed and not many else ""
    parts = []
    for selection in children(listed, "Selection"):
        value = text_of(selection, "SelectionIdentifier")
        label = text_of(selection, "Text")
        shown = escape(label) if label else _content(selection)
        parts.append(
            f'<label class="check"><input type="{kind}" name="{escape(name)}"'
            f' value="{escape(value)}"{required}> <span>{shown}</span></label>'
        )
    if child(listed, "OtherSelection") is not None:
        other = escape(name + OTHER)
        parts.append(
            f'<label for="{other}">Something else</label><input id="{other}" name="{other}">'
        )
    return "".join(parts)


def _limits(answer: Element) -> tuple[int, int]:
    """How few and how many selections are wanted; one where nothing is said."""
    found = []
    for name, default in (("MinSelectionCount", 1), ("MaxSelectionCount", 1)):
        text = text_of(answer, name)
        found.append(int(text) if text.isdecimal() else default)
    return found[0], found[1]


def read_form(root: Element, fields: Fields) -> tuple[list[Answer], list[str]]:
    """The answers to a form's questions, and what is wrong with them in words for the worker."""
    answers: list[Answer] = []
    problems: list[str] = []
    for question in children(root, "Question"):
        name = text_of(question, "QuestionIdentifier")
        given = [value for key, value in fields if key == name and value.strip()]
        specification = child(question, "AnswerSpecification")
        if specification is None:
            continue
        answer = specification[0]
        needed = text_of(question, "IsRequired") == "true"
        shown = text_of(question, "DisplayName") or name
        if local(answer) == "SelectionAnswer":
            other = [value for key, value in fields if key == name + OTHER and value.strip()]
            problem = _selection_problem(answer, given, needed and not other)
            chosen = [("SelectionIdentifier", value) for value in given]
            answers.append((name, chosen + [("OtherSelectionText", value) for value in other[:1]]))
        else:
            problem = _text_problem(answer, given[0] if given else "", needed)
            if given:
                answers.append((name, [("FreeText", given[0])]))
        if problem:
            problems.append(f"Question {shown}: {problem}")
    return answers, problems


def _selection_problem(answer: Element, given: list[str], needed: bool) -> str:
    listed = child(answer, "Selections")
    assert listed is not None
    known = {text_of(one, "SelectionIdentifier") for one in children(listed, "Selection")}
    least, most = _limits(answer)
    if not set(given) <= known:
        return "this is not one of the answers."
    if needed and not given:
        return "an answer is needed."
    if given and not least <= len(given) <= max(least, most):
        return f"choose {least} to {most} answers."
    return ""


def _text_problem(answer: Element, given: str, needed: bool) -> str:
    if not given.strip():
        return "an answer is needed." if needed else ""
    constraints = child(answer, "Constraints")
    if constraints is None:
        return ""
    length, numeric = child(constraints, "Length"), child(constraints, "IsNumeric")
    if length is not None:
        least, most = length.get("minLength", "0"), length.get("maxLength", "")
        if least.isdecimal() and len(given) < int(least):
            return f"write {least} characters at least."
        if most.isdecimal() and len(given) > int(most):
            return f"write {most} characters at most."
    if numeric is not None:
        return _number_problem(numeric, given)
    return ""


def _number_problem(constraint: Element, given: str) -> str:
    try:
        number = float(given)
    except ValueError:
        return "write a number."
    for name, wrong in (("minValue", float.__lt__), ("maxValue", float.__gt__)):
        limit = constraint.get(name)
        if limit is not None and wrong(number, float(limit)):
            return (
                f"write a number that is {'at least' if name == 'minValue' else 'at most'} {limit}."
            )
    return ""
