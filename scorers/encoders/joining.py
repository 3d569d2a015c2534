"""Several texts as one input, parted by separators, of which only one gives way when too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scorers.encoders.pieces import Pieces, replace_surrogates

Segments = Sequence[tuple[str, int]]


def join_texts(
    tokeniser: Any, rows: Sequence[Segments], max_tokens: int, gives_way: int = 0
) -> list[Pieces]:
    """Each row of (text, token type) as `[CLS] text [SEP] text [SEP] ... [SEP]`.

    All rows have the same number of texts. A text's separator has its type, and [CLS] the first
    text's. Of a row longer than `max_tokens` the text at `gives_way` loses its end; where even
    without that one it is too long, the last texts are kept and the ones before them lose their
    ends, the earliest first. An encoder whose pairs have two separators in the middle (RoBERTa)
    has them between all texts. `start` and `end` of a row are those of its last text.
    """
    if not rows:
        return []
    distinct = list(dict.fromkeys(text for row in rows for text, _ in row))
    found = tokeniser(
        [replace_surrogates(text) for text in distinct], add_special_tokens=False
    ).encodings
    encodings = dict(zip(distinct, found, strict=True))
    between = _separators(tokeniser)
    return [
        _join(
            tokeniser,
            [encodings[text] for text, _ in row],
            [kind for _, kind in row],
            max_tokens,
            gives_way,
            between,
        )
        for row in rows
    ]


def _separators(tokeniser: Any) -> int:
    """How many separators stand between the texts of a pair."""
    ids = tokeniser("a", "a")["input_ids"]
    return max(1, int(ids.count(tokeniser.sep_token_id)) - 1)


def _join(
    tokeniser: Any,
    encodings: Sequence[Any],
    kinds: Sequence[int],
    max_tokens: int,
    gives_way: int,
    between: int,
) -> Pieces:
    lengths = [len(encoding.ids) for encoding in encodings]
    special = 2 + between * (len(encodings) - 1)
    kept = _fit_lengths(lengths, max_tokens - special, gives_way)
    ids, types = [tokeniser.cls_token_id], [kinds[0]]
    start = end = 0
    for place, (encoding, kind, count) in enumerate(zip(encodings, kinds, kept, strict=True)):
        start, end = len(ids), len(ids) + count
        closing = between if place < len(encodings) - 1 else 1
        ids += [*encoding.ids[:count], *[tokeniser.sep_token_id] * closing]
        types += [kind] * (count + closing)
    last = encodings[-1]
    return Pieces(
        ids=ids,
        types=types,
        start=start,
        end=end,
        spans=list(last.offsets[: kept[-1]]),
        words=list(last.word_ids[: kept[-1]]),
        truncated=kept != lengths,
    )


def _fit_lengths(lengths: Sequence[int], room: int, gives_way: int) -> list[int]:
    """How many tokens of each text are kept when there is room for so many."""
    kept = list(lengths)
    order = [gives_way, *(place for place in range(len(lengths)) if place != gives_way)]
    for place in order:
        excess = sum(kept) - max(0, room)
        if excess <= 0:
            break
        kept[place] = max(0, kept[place] - excess)
    return kept
