"""Joining several texts to one input with separators, shortening one text if necessary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scorers.encoders.pieces import Pieces, replace_surrogates

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
