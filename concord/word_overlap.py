"""Words two texts have in common (AVA, Section 5.1)."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"\w+|[^\w\s]")


def words(text: str) -> list[str]:
    """A text's words and marks of punctuation, letter case apart."""
    return _WORD.findall(text.casefold())


def sim_text(one: str, other: str) -> float:
    """2 |both| / (|one| + |other|) over the texts' words, each as often as it occurs; 0 to 1.

    AVA's "sort of Jaccard similarity" (Section 5.1). Two texts without words have 0.
    """
    ours, theirs = Counter(words(one)), Counter(words(other))
    whole = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / whole if whole else 0.0


def is_included(part: str, whole: str) -> bool:
    """Whether a text holds another one, word by word; an empty one is held by none."""
    wanted, found = words(part), words(whole)
    if not wanted:
        return False
    return any(found[at : at + len(wanted)] == wanted for at in range(len(found) - len(wanted) + 1))
