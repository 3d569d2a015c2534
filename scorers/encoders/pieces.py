"""Texts as an encoder reads them: wordpieces, and where each lies in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Pieces:
    """One input: token ids and types, special tokens among them, and its text's wordpieces.

    The text's wordpieces are `ids[start:end]`. For each of them `spans` has its place in the text,
    in characters, and `words` the number of the word it is cut from. `truncated` says that the
    text went on beyond the length the encoder takes.
    """

    ids: list[int]
    types: list[int]
    start: int
    end: int
    spans: list[tuple[int, int]]
    words: list[int]
    truncated: bool = False

    def __len__(self) -> int:
        """How many tokens the encoder reads, special ones included."""
        return len(self.ids)


def replace_surrogates(text: str) -> str:
    """The text with lone surrogates, which no encoder can read, as replacement characters."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def tokenise(tokeniser: Any, texts: Iterable[str], max_tokens: int) -> list[Pieces]:
    """Each text on its own, cut after `max_tokens` tokens."""
    rows = [replace_surrogates(text) for text in texts]
    if not rows:
        return []
    encodings = tokeniser(rows, truncation=True, max_length=max_tokens).encodings
    return [_pieces(encoding, 0) for encoding in encodings]


def tokenise_pairs(
    tokeniser: Any, pairs: Iterable[tuple[str, str]], max_tokens: int
) -> list[Pieces]:
    """Each (question, text) as one input, the text's type apart from the question's.

    A question may fill half of `max_tokens` at most; the text is cut after what it leaves.
    """
    rows = [(replace_surrogates(question), replace_surrogates(text)) for question, text in pairs]
    if not rows:
        return []
    questions = _shorten(tokeniser, [question for question, _ in rows], max_tokens // 2)
    encodings = tokeniser(
        questions,
        [text for _, text in rows],
        truncation="only_second",
        max_length=max_tokens,
    ).encodings
    return [_pieces(encoding, 1) for encoding in encodings]


def _shorten(tokeniser: Any, questions: Sequence[str], most: int) -> list[str]:
    """The questions, each cut where its wordpieces pass the most it may have."""
    encodings = tokeniser(list(questions), add_special_tokens=False).encodings
    return [
        question[: encoding.offsets[most - 1][1]] if len(encoding.ids) > most else question
        for question, encoding in zip(questions, encodings, strict=True)
    ]


def _pieces(encoding: Any, sequence: int) -> Pieces:
    places = [i for i, which in enumerate(encoding.sequence_ids) if which == sequence]
    start, end = (places[0], places[-1] + 1) if places else (0, 0)
    return Pieces(
        ids=list(encoding.ids),
        types=list(encoding.type_ids),
        start=start,
        end=end,
        spans=list(encoding.offsets[start:end]),
        words=list(encoding.word_ids[start:end]),
        truncated=bool(encoding.overflowing),
    )
