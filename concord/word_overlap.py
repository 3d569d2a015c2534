"""The words that two texts share (AVA, Section 5.1)."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"\w+|[^\w\s]")


def split_words(text: str) -> list[str]:
    """The words and punctuation marks of a text, in lower case."""
    return _WORD.findall(text.casefold())


def sim_text(first: str, second: str) -> float:
    """2 |first & second| / (|first| + |second|) over multisets of words, in [0, 1].

    AVA's "sort of Jaccard similarity" (Section 5.1). Two texts without words score 0.
    """
    first_counts, second_counts = Counter(split_words(first)), Counter(split_words(second))
    total = first_counts.total() + second_counts.total()
    return 2 * (first_counts & second_counts).total() / total if total else 0.0


def is_included(part: str, whole: str) -> bool:
    """Whether the words of `part` occur in sequence in `whole`; False for an empty `part`."""
    part_words, whole_words = split_words(part), split_words(whole)
    if not part_words:
        return False
    return any(
        whole_words[start : start + len(part_words)] == part_words
        for start in range(len(whole_words) - len(part_words) + 1)
    )
