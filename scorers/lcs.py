"""Lengths of longest common subsequences, many word positions at a time.

Hyyrö's (2004) form of the bit-parallel algorithm: the dynamic-programming column is a bit vector
with a zero where the column's value rises by one, and one addition moves it a whole word of the
other text. Python's integers are the bit vectors, so texts may be of any length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def positions(words: Sequence[str]) -> dict[str, int]:
    """For each distinct word, the set of its positions as a bit mask."""
    masks: dict[str, int] = {}
    for position, word in enumerate(words):
        masks[word] = masks.get(word, 0) | 1 << position
    return masks


def lcs_length(masks: Mapping[str, int], length: int, words: Sequence[str]) -> int:
    """The length of the longest common subsequence of two texts.

    The first is given by `positions` of its words and its length in words.
    """
    full = (1 << length) - 1
    column = full
    for word in words:
        found = masks.get(word)
        if found:
            matched = column & found
            column = ((column + matched) | (column - matched)) & full
    return length - column.bit_count()
