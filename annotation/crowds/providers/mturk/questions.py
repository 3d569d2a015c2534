"""What MTurk shows, in its own XML: ExternalQuestion, HTMLQuestion, QuestionForm and AnswerKey."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

from annotation.crowds.providers.provider import CrowdError, Test, TestItem

MOST_BYTES = 65_535
SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
EXTERNAL = f"{SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
HTML = f"{SCHEMAS}/2011-11-11/HTMLQuestion.xsd"
FORM = f"{SCHEMAS}/2017-11-06/QuestionForm.xsd"
KEY = f"{SCHEMAS}/2005-10-01/AnswerKey.xsd"
# What XML 1.0 cannot hold, however it is escaped.
UNSPEAKABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class TooLongError(CrowdError):
    """A document of more bytes than MTurk takes."""

    def __init__(self, what: str, found: int) -> None:
        super().__init__(f"The {what} has {found:,} bytes, and MTurk takes {MOST_BYTES:,}.")


def external_question(url: str, frame_height: int = 0) -> str:
    """A page of ours in a frame; height 0 lets it have the window's."""
    return _checked(
        f'<ExternalQuestion xmlns="{EXTERNAL}"><ExternalURL>{_text(url)}</ExternalURL>'
        f"<FrameHeight>{frame_height}</FrameHeight></ExternalQuestion>",
        "question",
    )


def html_question(page: str, frame_height: int = 0) -> str:
    """A page that needs no server. Raises TooLongError."""
    whole = UNSPEAKABLE.sub("", page).replace("]]>", "]]]]><![CDATA[>")
    return _checked(
        f'<HTMLQuestion xmlns="{HTML}"><HTMLContent><![CDATA[{whole}]]></HTMLContent>'
        f"<FrameHeight>{frame_height}</FrameHeight></HTMLQuestion>",
        "question",
    )


def question_form(test: Test) -> str:
    """The qualification test as a form: a question an answer to be rated. Raises TooLongError."""
    overview = (
        f"<Overview><Title>{_text(test.title)}</Title>{_paragraphs([test.instructions])}</Overview>"
    )
    questions = "".join(_question(test, item, n) for n, item in enumerate(test.items, start=1))
    form = f'<QuestionForm xmlns="{FORM}">{overview}{questions}</QuestionForm>'
    return _checked(form, "qualification test (its instructions, passages and answers)")


def answer_key(test: Test) -> str:
    """Scores the form: every right answer one point, the value what per cent are right."""
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
    return _checked(f'<AnswerKey xmlns="{KEY}">{questions}{mapping}</AnswerKey>', "answer key")


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
    return escape(UNSPEAKABLE.sub("", text))


def _checked(xml: str, what: str) -> str:
    size = len(xml.encode())
    if size > MOST_BYTES:
        raise TooLongError(what, size)
    return xml
