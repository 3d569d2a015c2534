"""QAMR (Michael et al., 2018) as a multiple-choice set: answers to other questions are wrong ones.

QAMR has no choices. They are made from its questions, several of which ask about one sentence:
the passage is the sentence; the right answers are the spans its annotators marked; the wrong ones
are spans that answer other questions about the sentence and share no word with a right answer. At
most `MAX_WRONG` wrong answers are drawn for a question, by a hash of the question. The files are
those of `scorers.keyphrases.sources.qamr`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from scorers.keyphrases.sources import qamr
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport, Span
from scorers.multiple_choice.records import ChoiceQuestion

MAX_WRONG = 2

Answer = tuple[Span, ...]


def read(path: Path) -> Iterator[ChoiceQuestion]:
    """The questions that have a right and a wrong answer, in the file's order.

    An annotator's answer that shares no word with the question writer's is left out, and so is it
    as a wrong one. A question with several different right answers allows several.
    """
    questions = list(qamr.read(path, ReadReport()))
    by_sentence: dict[str, list[Answer]] = {}
    for question in questions:
        by_sentence.setdefault(question.group, []).append(question.answers[0])
    for question in questions:
        right = _right(question)
        wrong = _wrong(question, by_sentence[question.group])
        if wrong:
            yield ChoiceQuestion(
                question.passage,
                question.question,
                right,
                wrong,
                question.group,
                several=len(right) > 1,
            )


def _right(question: QuestionAnswer) -> tuple[str, ...]:
    """The distinct answers that share a word with the first, which the question's writer gave."""
    first = {*question.answers[0]}
    right = [answer for answer in question.answers if first & {*answer}]
    return _texts(question.passage, right)


def _wrong(question: QuestionAnswer, others: Iterable[Answer]) -> tuple[str, ...]:
    """Some of the other answers that share no word with any annotator's answer."""
    answered = {span for answer in question.answers for span in answer}
    apart = [answer for answer in others if not answered & {*answer}]
    texts = set(_texts(question.passage, apart))
    # Equal words at another place of the sentence would be a right answer.
    texts -= set(_texts(question.passage, question.answers))
    drawn = sorted(texts, key=lambda text: _draw(question.question, text))
    return tuple(drawn[:MAX_WRONG])


def _texts(passage: str, answers: Iterable[Answer]) -> tuple[str, ...]:
    """The distinct texts of some answers: adjacent words as they stand, the rest with a space."""
    return tuple(dict.fromkeys(_text(passage, answer) for answer in answers))


def _text(passage: str, answer: Answer) -> str:
    text = ""
    end = -1
    for start, stop in sorted(answer):
        gap = passage[end:start] if end >= 0 else ""
        text += (gap if not gap.strip() else " ") + passage[start:stop]
        end = stop
    return text


def _draw(question: str, text: str) -> bytes:
    key = f"{question}\n{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(key, digest_size=8).digest()
