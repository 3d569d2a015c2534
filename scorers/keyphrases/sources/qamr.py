"""QAMR (Michael et al., 2018): questions to single sentences, answers by token positions.

Published format: `dev.tsv`, `test.tsv`, `train.tsv` of eight columns or more, of which column 0 is
the sentence's id, 5 the question, 6 the answer's positions as its writer gave them, and 7 and on
those of validators as `worker:positions`, or `Invalid`; and `wiki-sentences.tsv` (the id, then the
sentence's tokens) in the same folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scorers.jsonl import FileError
from scorers.keyphrases.sources.detokenise import detokenise
from scorers.keyphrases.sources.lines import text_lines
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport, Span

_SENTENCES = "wiki-sentences.tsv"


def read(path: Path, report: ReadReport) -> Iterator[QuestionAnswer]:
    """The questions of a file, with every annotator's answer."""
    sentences = _sentences(path.parent / _SENTENCES)
    for number, line in text_lines(path):
        columns = line.split("\t")
        if len(columns) < 7:
            raise FileError(
                f"{path}, line {number}: has {len(columns)} columns, but QAMR needs 7 or more"
            )
        identity, question = columns[0], columns[5]
        if identity not in sentences:
            raise FileError(
                f"{path}, line {number}: the sentence {identity!r} is not in {_SENTENCES}"
            )
        text, spans = sentences[identity]
        try:
            answers = [_answer(columns[6], spans)]
            answers += [
                _answer(column.rpartition(":")[2], spans)
                for column in columns[7:]
                if column and not column.rpartition(":")[2].startswith("Invalid")
            ]
        except (ValueError, IndexError):
            raise FileError(
                f"{path}, line {number}: an answer must be indices of the sentence's "
                f"{len(spans)} tokens"
            ) from None
        answers = [answer for answer in answers if answer]
        if not answers:
            report.left_out["without an answer"] += 1
            continue
        report.read += 1
        yield QuestionAnswer(question, text, tuple(answers), identity)


def _sentences(path: Path) -> dict[str, tuple[str, list[Span]]]:
    sentences = {}
    for number, line in text_lines(path):
        identity, tab, tokens = line.partition("\t")
        if not tab:
            raise FileError(f"{path}, line {number}: must be a sentence's id, a tab and its tokens")
        sentences[identity] = detokenise(tokens.split(" "))
    return sentences


def _answer(positions: str, spans: list[Span]) -> tuple[Span, ...]:
    numbers = [int(position) for position in positions.split()]
    if any(number < 0 for number in numbers):
        raise ValueError
    return tuple(spans[number] for number in numbers)
