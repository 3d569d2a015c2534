"""Lengths of longest common subsequences, many word positions at a time.

Hyyrö's (2004) form of the bit-parallel algorithm: the dynamic-programming column is a bit vector
with a zero where the column's value rises by one, and one addition moves it a whole word of the
other text. Python's integers are the bit vectors, so texts may be of any length.
"""

from __future__ import annotations

from collections.abc import Sequence


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """The number of words in the longest common subsequence of two texts."""
    if len(first) > len(second):
        first, second = second, first
    # For each word of the shorter text, the bit mask of its positions there.
    positions: dict[str, int] = {}
    bit = 1
    for word in first:
        positions[word] = positions.get(word, 0) | bit
        bit <<= 1
    full = column = bit - 1
    for word in second:
        if word in positions:
            matched = column & positions[word]
            column = ((column + matched) | (column - matched)) & full
    return len(first) - column.bit_count()
