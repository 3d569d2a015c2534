"""The wordpieces of texts, and their positions in the text; inputs joined of several texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Pieces:
    """One input of an encoder: token ids and types, including special tokens.

    The text's wordpieces are `ids[start:end]`. For each of them `spans` has its (start, end) in the
    characters of the text, and `words` the index of its word. `truncated` is True if the text was
    longer than the limit.
    """

    ids: list[int]
    types: list[int]
    start: int
    end: int
    spans: list[tuple[int, int]]
    words: list[int]
    truncated: bool = False

    @property
    def key(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Equal for texts that are the same to the encoder."""
        return tuple(self.ids), tuple(self.types)

    def __len__(self) -> int:
        """The number of tokens, including special tokens."""
        return len(self.ids)


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which tokenisers reject, by replacement characters."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def tokenise(tokeniser: Any, texts: Iterable[str], max_tokens: int) -> list[Pieces]:
    """Each text as one input, cut after `max_tokens` tokens."""
    rows = [replace_surrogates(text) for text in texts]
    if not rows:
        return []
    encodings = tokeniser(rows, truncation=True, max_length=max_tokens).encodings
    return [_pieces(encoding, 0) for encoding in encodings]


def tokenise_pairs(
    tokeniser: Any, pairs: Iterable[tuple[str, str]], max_tokens: int
) -> list[Pieces]:
    """Each (question, text) as one input, with different token types for question and text.

    A question may fill at most half of `max_tokens`; the text is cut to the rest.
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


def _shorten(tokeniser: Any, questions: Sequence[str], max_tokens: int) -> list[str]:
    """Cut each question after `max_tokens` wordpieces."""
    encodings = tokeniser(list(questions), add_special_tokens=False).encodings
    return [
        question[: encoding.offsets[max_tokens - 1][1]]
        if len(encoding.ids) > max_tokens
        else question
        for question, encoding in zip(questions, encodings, strict=True)
    ]


def _pieces(encoding: Any, sequence: int) -> Pieces:
    indices = [i for i, part in enumerate(encoding.sequence_ids) if part == sequence]
    start, end = (indices[0], indices[-1] + 1) if indices else (0, 0)
    return Pieces(
        ids=list(encoding.ids),
        types=list(encoding.type_ids),
        start=start,
        end=end,
        spans=list(encoding.offsets[start:end]),
        words=list(encoding.word_ids[start:end]),
        truncated=bool(encoding.overflowing),
    )


Segments = Sequence[tuple[str, int]]


def join_texts(
    tokeniser: Any, rows: Sequence[Segments], max_tokens: int, shortened: int = 0
) -> list[Pieces]:
    """Each row of (text, token type) as `[CLS] text [SEP] text [SEP] ... [SEP]`.

    All rows have the same number of texts. A text's separator has the text's type, and [CLS] the
    type of the first text. If a row is longer than `max_tokens`, the text at index `shortened`
    loses its end. If the row is still too long, the other texts lose their ends, the earliest
    first. An encoder whose pairs have two separators in the middle (RoBERTa) has two between all
    texts. `start` and `end` of a row are those of its last text.
    """
    if not rows:
        return []
    distinct = list(dict.fromkeys(text for row in rows for text, _ in row))
    tokenised = tokeniser(
        [replace_surrogates(text) for text in distinct], add_special_tokens=False
    ).encodings
    encodings = dict(zip(distinct, tokenised, strict=True))
    between = _separators(tokeniser)
    return [
        _join(
            tokeniser,
            [encodings[text] for text, _ in row],
            [kind for _, kind in row],
            max_tokens,
            shortened,
            between,
        )
        for row in rows
    ]


def _separators(tokeniser: Any) -> int:
    """The number of separators between the texts of a pair."""
    ids = tokeniser("a", "a")["input_ids"]
    return max(1, int(ids.count(tokeniser.sep_token_id)) - 1)


def _join(
    tokeniser: Any,
    encodings: Sequence[Any],
    kinds: Sequence[int],
    max_tokens: int,
    shortened: int,
    between: int,
) -> Pieces:
    lengths = [len(encoding.ids) for encoding in encodings]
    special = 2 + between * (len(encodings) - 1)
    counts = _fit_lengths(lengths, max_tokens - special, shortened)
    ids, types = [tokeniser.cls_token_id], [kinds[0]]
    start = end = 0
    for index, (encoding, kind, count) in enumerate(zip(encodings, kinds, counts, strict=True)):
        start, end = len(ids), len(ids) + count
        separators = between if index < len(encodings) - 1 else 1
        ids += [*encoding.ids[:count], *[tokeniser.sep_token_id] * separators]
        types += [kind] * (count + separators)
    last = encodings[-1]
    return Pieces(
        ids=ids,
        types=types,
        start=start,
        end=end,
        spans=list(last.offsets[: counts[-1]]),
        words=list(last.word_ids[: counts[-1]]),
        truncated=counts != lengths,
    )


def _fit_lengths(lengths: Sequence[int], max_tokens: int, shortened: int) -> list[int]:
    """The number of tokens of each text if all together may have `max_tokens`."""
    fitted = list(lengths)
    order = [shortened, *(index for index in range(len(lengths)) if index != shortened)]
    for index in order:
        excess = sum(fitted) - max(0, max_tokens)
        if excess <= 0:
            break
        fitted[index] = max(0, fitted[index] - excess)
    return fitted
