"""Documents in MTurk's XML: ExternalQuestion, QuestionForm and AnswerKey."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

from annotation.crowds.providers.provider import CrowdError, Test, TestItem, TestQuestion

MAX_BYTES = 65_535
SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
EXTERNAL = f"{SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
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


def question_form(test: Test) -> str:
    """The qualification test as a form with a question for each answer that has a key.

    Raises DocumentTooLongError.
    """
    overview = (
        f"<Overview><Title>{_text(test.title)}</Title>{_paragraphs([test.instructions])}</Overview>"
    )
    questions = "".join(_item(item, n, len(test.items)) for n, item in enumerate(test.items, 1))
    form = f'<QuestionForm xmlns="{FORM}">{overview}{questions}</QuestionForm>'
    return _check_size(form, "qualification test (its instructions, passages and answers)")


def answer_key(test: Test) -> str:
    """The scoring of the form: one point per correct answer, the value is the percentage."""
    asked = [question for item in test.items for question in item.questions]
    questions = "".join(
        f"<Question><QuestionIdentifier>{_text(question.key)}</QuestionIdentifier>"
        + "".join(
            f"<AnswerOption><SelectionIdentifier>{_text(value)}</SelectionIdentifier>"
            f"<AnswerScore>{int(value in question.right)}</AnswerScore></AnswerOption>"
            for value, _ in question.options
        )
        + "</Question>"
        for question in asked
    )
    mapping = (
        "<QualificationValueMapping><PercentageMapping>"
        f"<MaximumSummedScore>{len(asked)}</MaximumSummedScore>"
        "</PercentageMapping></QualificationValueMapping>"
    )
    return _check_size(f'<AnswerKey xmlns="{KEY}">{questions}{mapping}</AnswerKey>', "answer key")


def _item(item: TestItem, number: int, count: int) -> str:
    """The questions about an item; the first one shows its texts."""
    shown = [
        *([f"Passage: {item.passage}"] if item.passage else []),
        *([f"Question: {item.question}"] if item.question else []),
        *(f"Correct answer: {reference}" for reference in item.references),
        f"Answer to rate: {item.candidate or '(the answer is empty)'}",
    ]
    name = f"{number} of {count}"
    return "".join(
        _question(question, name, [*(shown if at == 0 else []), question.text])
        for at, question in enumerate(item.questions)
    )


def _question(question: TestQuestion, name: str, shown: Iterable[str]) -> str:
    selections = "".join(
        f"<Selection><SelectionIdentifier>{_text(value)}</SelectionIdentifier>"
        f"<Text>{_text(label)}</Text></Selection>"
        for value, label in question.options
    )
    return (
        f"<Question><QuestionIdentifier>{_text(question.key)}</QuestionIdentifier>"
        f"<DisplayName>{name}</DisplayName><IsRequired>true</IsRequired>"
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
