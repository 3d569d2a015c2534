"""Rendering a QuestionForm as an HTML form, and reading its answers.

Source: the API reference's page on the QuestionForm data structure. Applications and file
uploads, which MTurk removed, are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from xml.etree.ElementTree import Element

import nh3

from mturk_sandbox.answers import Answer, Fields
from mturk_sandbox.safe_xml import child, child_text, children, local_name

OTHER = "::other"


def form_fields(root: Element) -> str:
    """The HTML of a form's overview and questions, without the form element."""
    parts = []
    for element in root:
        if local_name(element) == "Overview":
            parts.append(f'<section class="overview">{_content(element)}</section>')
        elif local_name(element) == "Question":
            parts.append(_question(element))
    return "".join(parts)


def _content(element: Element) -> str:
    """Titles, texts, media, lists and sanitised formatted content."""
    return "".join(_RENDERERS.get(local_name(part), _render_nothing)(part) for part in element)


def _render_nothing(_: Element) -> str:
    return ""


def _binary(part: Element) -> str:
    """An image, audio or video by its URL."""
    url, alt = child_text(part, "DataURL"), child_text(part, "AltText")
    mime = child(part, "MimeType")
    kind = "image" if mime is None else child_text(mime, "Type")
    if not re.match(r"https?://", url):
        return ""
    if kind in ("audio", "video"):
        return f'<{kind} controls src="{escape(url)}" aria-label="{escape(alt)}"></{kind}>'
    return f'<img src="{escape(url)}" alt="{escape(alt)}">'


_RENDERERS: dict[str, Callable[[Element], str]] = {
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
    name = child_text(question, "QuestionIdentifier")
    title = child_text(question, "DisplayName")
    content = child(question, "QuestionContent")
    content_html = "" if content is None else _content(content)
    is_required = child_text(question, "IsRequired") == "true"
    mark = ' <span class="needed">(required)</span>' if is_required else ""
    head = (f"<h2>{escape(title)}</h2>" if title else "") + content_html + mark
    specification = child(question, "AnswerSpecification")
    answer = None if specification is None else specification[0]
    if answer is not None and local_name(answer) == "SelectionAnswer":
        # The question is the group's name; a legend may hold headings and texts alike.
        return (
            f"<fieldset><legend>{head}</legend>{_selections(name, answer, is_required)}</fieldset>"
        )
    field = "" if answer is None else _free_text(name, answer, is_required)
    identifier = escape(f"text-{name}")
    return f'<div class="question"><div id="{identifier}-label">{head}</div>{field}</div>'


def _free_text(name: str, answer: Element, is_required: bool) -> str:
    if local_name(answer) != "FreeTextAnswer":
        return '<p class="help">File uploads are not supported.</p>'
    lines = child_text(answer, "NumberOfLinesSuggestion", "1")
    default = child_text(answer, "DefaultText")
    required = " required" if is_required else ""
    shared = (
        f'id="{escape(f"text-{name}")}" name="{escape(name)}"'
        f' aria-labelledby="{escape(f"text-{name}-label")}"{required}'
    )
    if lines.isdecimal() and int(lines) > 1:
        return f'<textarea {shared} rows="{min(int(lines), 40)}">{escape(default)}</textarea>'
    return f'<input {shared} value="{escape(default)}">'


def _selections(name: str, answer: Element, is_required: bool) -> str:
    selections = child(answer, "Selections")
    assert selections is not None
    allows_several = _selection_limits(answer)[1] != 1
    kind = "checkbox" if allows_several else "radio"
    required = " required" if is_required and not allows_several else ""
    parts = []
    for selection in children(selections, "Selection"):
        value = child_text(selection, "SelectionIdentifier")
        label = child_text(selection, "Text")
        label_html = escape(label) if label else _content(selection)
        parts.append(
            f'<label class="check"><input type="{kind}" name="{escape(name)}"'
            f' value="{escape(value)}"{required}> <span>{label_html}</span></label>'
        )
    if child(selections, "OtherSelection") is not None:
        other = escape(name + OTHER)
        parts.append(
            f'<label for="{other}">Something else</label><input id="{other}" name="{other}">'
        )
    return "".join(parts)


def _selection_limits(answer: Element) -> tuple[int, int]:
    """The minimum and maximum number of selections, 1 by default."""
    limits = []
    for name, default in (("MinSelectionCount", 1), ("MaxSelectionCount", 1)):
        text = child_text(answer, name)
        limits.append(int(text) if text.isdecimal() else default)
    return limits[0], limits[1]


def read_form(root: Element, fields: Fields) -> tuple[list[Answer], list[str]]:
    """The answers to a form's questions, and the errors to show to the worker."""
    answers: list[Answer] = []
    problems: list[str] = []
    for question in children(root, "Question"):
        name = child_text(question, "QuestionIdentifier")
        values = [value for key, value in fields if key == name and value.strip()]
        specification = child(question, "AnswerSpecification")
        if specification is None:
            continue
        answer = specification[0]
        is_required = child_text(question, "IsRequired") == "true"
        label = child_text(question, "DisplayName") or name
        if local_name(answer) == "SelectionAnswer":
            other = [value for key, value in fields if key == name + OTHER and value.strip()]
            problem = _selection_problem(answer, values, is_required and not other)
            selections = [("SelectionIdentifier", value) for value in values]
            answers.append(
                (name, selections + [("OtherSelectionText", value) for value in other[:1]])
            )
        else:
            problem = _text_problem(answer, values[0] if values else "", is_required)
            if values:
                answers.append((name, [("FreeText", values[0])]))
        if problem:
            problems.append(f"Question {label}: {problem}")
    return answers, problems


def _selection_problem(answer: Element, values: list[str], is_required: bool) -> str:
    selections = child(answer, "Selections")
    assert selections is not None
    identifiers = {
        child_text(selection, "SelectionIdentifier")
        for selection in children(selections, "Selection")
    }
    minimum, maximum = _selection_limits(answer)
    if not set(values) <= identifiers:
        return "this is not one of the answers."
    if is_required and not values:
        return "an answer is required."
    if values and not minimum <= len(values) <= max(minimum, maximum):
        return f"choose {minimum} to {maximum} answers."
    return ""


def _text_problem(answer: Element, text: str, is_required: bool) -> str:
    if not text.strip():
        return "an answer is required." if is_required else ""
    constraints = child(answer, "Constraints")
    if constraints is None:
        return ""
    length, numeric = child(constraints, "Length"), child(constraints, "IsNumeric")
    if length is not None:
        minimum, maximum = length.get("minLength", "0"), length.get("maxLength", "")
        if minimum.isdecimal() and len(text) < int(minimum):
            return f"write {minimum} characters or more."
        if maximum.isdecimal() and len(text) > int(maximum):
            return f"write {maximum} characters or fewer."
    if numeric is not None:
        return _number_problem(numeric, text)
    return ""


def _number_problem(constraint: Element, text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return "write a number."
    for name, violates in (("minValue", float.__lt__), ("maxValue", float.__gt__)):
        limit = constraint.get(name)
        if limit is not None and violates(number, float(limit)):
            return (
                f"write a number that is {'at least' if name == 'minValue' else 'at most'} {limit}."
            )
    return ""
