"""Documents in MTurk's XML: ExternalQuestion, HTMLQuestion, QuestionForm and AnswerKey."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

from annotation.crowds.providers.provider import CrowdError, Test, TestItem

MAX_BYTES = 65_535
SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
EXTERNAL = f"{SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
HTML = f"{SCHEMAS}/2011-11-11/HTMLQuestion.xsd"
FORM = f"{SCHEMAS}/2017-11-06/QuestionForm.xsd"
KEY = f"{SCHEMAS}/2005-10-01/AnswerKey.xsd"
# Characters that XML 1.0 cannot contain, even escaped.
INVALID_XML_CHARS = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class DocumentTooLongError(CrowdError):
    """A document with more bytes than MTurk accepts."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(f"The {name} has {size:,} bytes; MTurk accepts {MAX_BYTES:,}.")


def external_question(url: str, frame_height: int = 0) -> str:
    """A page of this site in a frame. With height 0 it fills the window."""
    return _check_size(
        f'<ExternalQuestion xmlns="{EXTERNAL}"><ExternalURL>{_text(url)}</ExternalURL>'
        f"<FrameHeight>{frame_height}</FrameHeight></ExternalQuestion>",
        "question",
    )


def html_question(page: str, frame_height: int = 0) -> str:
    """A self-contained page. Raises DocumentTooLongError."""
    content = INVALID_XML_CHARS.sub("", page).replace("]]>", "]]]]><![CDATA[>")
    return _check_size(
        f'<HTMLQuestion xmlns="{HTML}"><HTMLContent><![CDATA[{content}]]></HTMLContent>'
        f"<FrameHeight>{frame_height}</FrameHeight></HTMLQuestion>",
        "question",
    )


def question_form(test: Test) -> str:
    """The qualification test as a form with one question per answer to rate.

    Raises DocumentTooLongError.
    """
    overview = (
        f"<Overview><Title>{_text(test.title)}</Title>{_paragraphs([test.instructions])}</Overview>"
    )
    questions = "".join(_question(test, item, n) for n, item in enumerate(test.items, start=1))
    form = f'<QuestionForm xmlns="{FORM}">{overview}{questions}</QuestionForm>'
    return _check_size(form, "qualification test (its instructions, passages and answers)")


def answer_key(test: Test) -> str:
    """The scoring of the form: one point per correct answer, the value is the percentage."""
    questions = "".join(
        f"<Question><QuestionIdentifier>{_text(item.key)}</QuestionIdentifier>"
        + "".join(
            f"<AnswerOption><SelectionIdentifier>{value}</SelectionIdentifier>"
            f"<AnswerScore>{int(value in item.right)}</AnswerScore></AnswerOption>"
            for value, _ in test.scale
        )
        + "</Question>"
        for item in test.items
    )
    mapping = (
        "<QualificationValueMapping><PercentageMapping>"
        f"<MaximumSummedScore>{len(test.items)}</MaximumSummedScore>"
        "</PercentageMapping></QualificationValueMapping>"
    )
    return _check_size(f'<AnswerKey xmlns="{KEY}">{questions}{mapping}</AnswerKey>', "answer key")


def _question(test: Test, item: TestItem, number: int) -> str:
    shown = [
        *([f"Passage: {item.passage}"] if item.passage else []),
        *([f"Question: {item.question}"] if item.question else []),
        *(f"Correct answer: {reference}" for reference in item.references),
        f"Answer to rate: {item.candidate or '(the answer is empty)'}",
        test.question,
    ]
    selections = "".join(
        f"<Selection><SelectionIdentifier>{value}</SelectionIdentifier>"
        f"<Text>{_text(f'{value}: {label}')}</Text></Selection>"
        for value, label in test.scale
    )
    return (
        f"<Question><QuestionIdentifier>{_text(item.key)}</QuestionIdentifier>"
        f"<DisplayName>{number} of {len(test.items)}</DisplayName><IsRequired>true</IsRequired>"
        f"<QuestionContent>{_paragraphs(shown)}</QuestionContent>"
        "<AnswerSpecification><SelectionAnswer><StyleSuggestion>radiobutton</StyleSuggestion>"
        f"<Selections>{selections}</Selections></SelectionAnswer></AnswerSpecification></Question>"
    )


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<Text>{_text(text)}</Text>" for text in texts if text.strip())


def _text(text: str) -> str:
    return escape(INVALID_XML_CHARS.sub("", text))


def _check_size(xml: str, name: str) -> str:
    size = len(xml.encode())
    if size > MAX_BYTES:
        raise DocumentTooLongError(name, size)
    return xml
