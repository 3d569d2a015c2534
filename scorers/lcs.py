"""Lengths of longest common subsequences by Hyyrö's (2004) bit-parallel algorithm.

The column of the dynamic program is a bit vector with a zero wherever the column's value rises by
one. A single addition advances it by one word of the other text. The bit vectors are Python
integers, so texts may have any length.
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
