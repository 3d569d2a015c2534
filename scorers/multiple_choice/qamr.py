"""QAMR (Michael et al., 2018) as a multiple-choice set.

QAMR has no choices, but several questions about each sentence. Here the passage is the sentence.
The right answers are the spans that the annotators marked. The wrong answers are the answers of
other questions about the sentence that share no word with a right answer; at most `MAX_WRONG` of
them are drawn by a hash of the question. The files are those of `scorers.keyphrases.sources.qamr`.
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

    An annotator's answer that shares no word with the question writer's answer is neither right nor
    wrong. `several` is set for a question with several different right answers.
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
    """The distinct answers that share a word with the first one, by the question's writer."""
    first = {*question.answers[0]}
    right = [answer for answer in question.answers if first & {*answer}]
    return _texts(question.passage, right)


def _wrong(question: QuestionAnswer, others: Iterable[Answer]) -> tuple[str, ...]:
    """A draw of the other answers that share no word with any annotator's answer."""
    answer_spans = {span for answer in question.answers for span in answer}
    disjoint = [answer for answer in others if not answer_spans & {*answer}]
    texts = set(_texts(question.passage, disjoint))
    # The same words at another position in the sentence would be a right answer.
    texts -= set(_texts(question.passage, question.answers))
    drawn = sorted(texts, key=lambda text: _draw(question.question, text))
    return tuple(drawn[:MAX_WRONG])


def _texts(passage: str, answers: Iterable[Answer]) -> tuple[str, ...]:
    """The distinct texts of some answers; words that are not adjacent are joined by a space."""
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
