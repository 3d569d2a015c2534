"""Answer sentence selection sets: questions with correct and wrong sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from scorers.datasets.lines import read_records, text_lines
from scorers.datasets.trec import read_sentences
from scorers.errors import FileError


class LabelledSentence(NamedTuple):
    """A sentence of a question, and whether it answers the question."""

    question: str
    sentence: str
    correct: bool


@dataclass(frozen=True, slots=True)
class SelectionQuestion:
    """A question with its distinct sentences, in the file's order.

    A sentence that a file marks as both correct and wrong counts as correct.
    """

    question: str
    correct: tuple[str, ...]
    wrong: tuple[str, ...]


def group_by_question(rows: Iterable[LabelledSentence]) -> list[SelectionQuestion]:
    """Group sentences by the question's text, in the order of first occurrence."""
    questions: dict[str, dict[str, bool]] = {}
    for row in rows:
        is_correct = questions.setdefault(row.question, {})
        is_correct[row.sentence] = is_correct.get(row.sentence, False) or row.correct
    return [
        SelectionQuestion(
            question,
            tuple(sentence for sentence, correct in is_correct.items() if correct),
            tuple(sentence for sentence, correct in is_correct.items() if not correct),
        )
        for question, is_correct in questions.items()
    ]


_LABELS = {"0": False, "1": True}
_WIKIQA = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence")


def read_wikiqa(path: Path) -> Iterator[LabelledSentence]:
    """WikiQA (Yang et al., 2015): a heading, then rows of question, sentence and label (0 or 1)."""
    for index, (number, line) in enumerate(text_lines(path)):
        columns = line.split("\t")
        if index == 0:
            if tuple(columns[: len(_WIKIQA)]) != _WIKIQA:
                raise FileError(f"{path}, line 1: the heading must begin with {', '.join(_WIKIQA)}")
            continue
        if len(columns) != len(_WIKIQA) + 1:
            raise FileError(f"{path}, line {number}: has {len(columns)} columns, not 7")
        yield _label_sentence(path, number, columns[1], columns[5], columns[6])


def read_plain(path: Path) -> Iterator[LabelledSentence]:
    """Rows of question, sentence and label (0 or 1); the first line may be a heading.

    A heading may name further columns, which are ignored; all rows must have as many columns.
    """
    width = 3
    for index, (number, line) in enumerate(text_lines(path)):
        columns = line.split("\t")
        if index == 0 and len(columns) >= width and columns[2].strip() not in _LABELS:
            width = len(columns)
            continue
        if len(columns) != width:
            expected = "question, sentence, label" if width == 3 else f"the {width} of the heading"
            raise FileError(f"{path}, line {number}: has {len(columns)} columns, not {expected}")
        yield _label_sentence(path, number, *columns[:3])


def _label_sentence(
    path: Path, number: int, question: str, sentence: str, label: str
) -> LabelledSentence:
    if label.strip() not in _LABELS:
        raise FileError(f"{path}, line {number}: the label must be 0 or 1, not {label!r}")
    return LabelledSentence(question.strip(), sentence.strip(), _LABELS[label.strip()])


def read_trecqa(path: Path) -> Iterator[LabelledSentence]:
    """TREC-QA (Wang et al., 2007): all sentences, positive and negative, detokenised."""
    for sentence in read_sentences(path):
        yield LabelledSentence(sentence.question, sentence.detokenised[0], sentence.positive)


FORMATS: Mapping[str, Callable[[Path], Iterator[LabelledSentence]]] = MappingProxyType(
    {"trecqa": read_trecqa, "wikiqa": read_wikiqa, "tsv": read_plain}
)


def read_questions(path: Path, format_: str) -> list[SelectionQuestion]:
    """Read the questions of a file, each with its correct and wrong sentences.

    Raises FileError, which names file and line, for an invalid file and for a file without
    sentences.
    """
    return group_by_question(read_records(path, format_, FORMATS, "sentence"))


COLUMNS = ("question", "sentence", "label", "probability", "verdict", "threshold", "signature",
           "id")  # fmt: skip
_VERDICTS = ("incorrect", "correct")


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer to a question, and the probability in [0, 1] that it is correct."""

    id: str
    question: str
    answer: str
    probability: float


def check_threshold(threshold: float) -> None:
    """Raises ValueError for a threshold outside 0 to 1."""
    if not 0 <= threshold <= 1:
        raise ValueError(f"the threshold must be from 0 to 1, not {threshold}")


def usable_answers(answers: Iterable[ScoredAnswer]) -> Iterator[ScoredAnswer]:
    """The answers with a question, a text and a probability."""
    for answer in answers:
        is_scored = answer.probability == answer.probability  # False for NaN
        if answer.question.strip() and answer.answer.strip() and is_scored:
            yield answer


def labelled_lines(
    answers: Iterable[ScoredAnswer], threshold: float, signature: str
) -> Iterator[str]:
    """The heading and a line for each usable answer; it is correct from the threshold on.

    `signature` is that of the metric. White space within a text becomes single spaces, because each
    row is a line. Raises ValueError for a threshold outside 0 to 1.
    """
    check_threshold(threshold)
    yield _line(COLUMNS)
    for answer in usable_answers(answers):
        correct = answer.probability >= threshold
        yield _line(
            (
                answer.question,
                answer.answer,
                str(int(correct)),
                repr(answer.probability),
                _VERDICTS[correct],
                repr(threshold),
                signature,
                answer.id,
            )
        )


def _line(cells: Iterable[str]) -> str:
    return "\t".join(" ".join(cell.split()) for cell in cells) + "\n"
