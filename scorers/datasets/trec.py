"""TREC-QA answer sentence selection (Wang et al., 2007): questions with marked sentences.

Published format: an XML-like file of `<QApairs>`; a question and each sentence are lines of
tab-separated values (words, tags, relations, heads, entities); under a `<positive>` sentence stand
the answer's words and their positions, counted from 1. The tokens are those of the Penn Treebank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorers.datasets.lines import text_lines
from scorers.errors import FileError

_BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}
_OPENING = {"(", "[", "{", "$", "#", "``", "`"}
_CLOSING = {")", "]", "}", ",", ".", ";", ":", "?", "!", "%", "''", "...", "'"}
_CLITICS = {"n't", "'s", "'re", "'ve", "'ll", "'d", "'m"}
_QUOTES = {"``": '"', "''": '"', "`": "'"}


def detokenise(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The text of some tokens, and each token's (start, end) in it.

    Brackets and quotes are restored. Closing punctuation and clitics are joined to the previous
    token, and the token after an opening bracket or quote to that.
    """
    text = ""
    spans: list[tuple[int, int]] = []
    joins_next = True
    for token in tokens:
        joins_previous = token in _CLITICS or _plain(token) in _CLOSING or token == "''"
        if not (joins_next or joins_previous):
            text += " "
        written = _QUOTES.get(token, _plain(token))
        spans.append((len(text), len(text) + len(written)))
        text += written
        joins_next = token == "``" or _plain(token) in _OPENING
    return text, spans


def _plain(token: str) -> str:
    return _BRACKETS.get(token, token)


_PAIRS = re.compile(r"<QApairs id='([^']*)'>")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a question, with the numbered lines of its block."""

    group: str
    question: str
    positive: bool
    lines: list[tuple[int, str]]

    @property
    def detokenised(self) -> tuple[str, list[tuple[int, int]]]:
        """The sentence's text, and each token's (start, end) in it."""
        return detokenise(self.lines[0][1].strip().split("\t"))


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
