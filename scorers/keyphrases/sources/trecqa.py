"""TREC-QA answer sentence selection (Wang et al., 2007): questions with marked sentences.

Published format: an XML-like file of `<QApairs>`; a question and each sentence are lines of
tab-separated values (words, tags, relations, heads, entities); under a `<positive>` sentence stand
the answer's words and their positions, counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scorers.jsonl import FileError
from scorers.keyphrases.sources.detokenise import detokenise
from scorers.keyphrases.sources.lines import text_lines
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport

_PAIRS = re.compile(r"<QApairs id='([^']*)'>")
_LINES_OF_TREE = 5


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a question, with the numbered lines of its block."""

    group: str
    question: str
    positive: bool
    lines: list[tuple[int, str]]

    @property
    def text(self) -> str:
        """The sentence's text, detokenised."""
        return detokenise(self.lines[0][1].strip().split("\t"))[0]


def read_sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a file, in order. Raises FileError for an invalid file."""
    question, group = "", None
    block: list[tuple[int, str]] | None = None
    for number, line in text_lines(path):
        opened = _PAIRS.match(line)
        if opened:
            group = opened.group(1)
        elif line in ("<question>", "<positive>", "<negative>"):
            if group is None:
                raise FileError(f"{path}, line {number}: {line} before any <QApairs id='...'>")
            block = []
        elif line == "</question>" and block:
            question = detokenise(block[0][1].strip().split("\t"))[0]
        elif line in ("</positive>", "</negative>") and block:
            yield Sentence(group or "", question, line == "</positive>", block)
        elif not line.startswith("</") and block is not None:
            block.append((number, line))
    if group is None:
        raise FileError(f"{path} is not a TREC-QA file: it has no <QApairs id='...'>")


def read(path: Path, report: ReadReport) -> Iterator[QuestionAnswer]:
    """A question for each of its positive sentences."""
    for sentence in read_sentences(path):
        if not sentence.positive:
            report.left_out["wrong sentences"] += 1
            continue
        record = _positive_answer(path, sentence.lines, sentence.question, sentence.group)
        if record is None:
            report.left_out["without an answer"] += 1
        else:
            report.read += 1
            yield record


def _positive_answer(
    path: Path, block: list[tuple[int, str]], question: str, group: str
) -> QuestionAnswer | None:
    text, spans = detokenise(block[0][1].strip().split("\t"))
    if len(block) < _LINES_OF_TREE + 2:
        return None
    number, positions = block[-1]
    try:
        # "#" separates the parts of an answer.
        indices = [int(position) - 1 for position in positions.split() if position != "#"]
        if any(index < 0 for index in indices):
            raise ValueError
        answer = tuple(spans[index] for index in indices)
    except (ValueError, IndexError):
        raise FileError(
            f"{path}, line {number}: must be positions from 1 to {len(spans)}"
        ) from None
    return QuestionAnswer(question, text, (answer,), group)
