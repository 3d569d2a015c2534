"""Readers of answer sentence selection sets, by format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from scorers.answer_selection.records import LabelledSentence, SelectionQuestion, group_by_question
from scorers.jsonl import FileError
from scorers.keyphrases.sources.lines import text_lines
from scorers.keyphrases.sources.trecqa import read_sentences

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
        yield LabelledSentence(sentence.question, sentence.text, sentence.positive)


FORMATS: Mapping[str, Callable[[Path], Iterator[LabelledSentence]]] = MappingProxyType(
    {"trecqa": read_trecqa, "wikiqa": read_wikiqa, "tsv": read_plain}
)


def read_questions(path: Path, format_: str) -> list[SelectionQuestion]:
    """Read the questions of a file, each with its correct and wrong sentences.

    Raises FileError, which names file and line, for an invalid file and for a file without
    sentences.
    """
    if format_ not in FORMATS:
        raise FileError(f"the format must be one of {', '.join(FORMATS)}, not {format_!r}")
    questions = group_by_question(FORMATS[format_](path))
    if not questions:
        raise FileError(f"{path} has no sentence")
    return questions
