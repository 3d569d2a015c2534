"""Which words of two texts differ, for marking them side by side. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

# Matching is quadratic in the worst case; past this many words a text is shown unmarked.
MOST_WORDS = 2000
_TOKEN = re.compile(r"\w+|[^\w\s]+|\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a text; `differs` where the other text has no match for its words."""

    text: str
    differs: bool


def word_differences(one: str, other: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts cut into pieces that are, or are not, in a longest matching of their words.

    Words are compared without case; white space and punctuation differ only between two words that
    do. The pieces of each text put together are the text. Texts of
    more than MOST_WORDS words come back as one piece.
    """
    left, right = _TOKEN.findall(one), _TOKEN.findall(other)
    if max(len(left), len(right)) > 2 * MOST_WORDS:
        return [Piece(one, False)], [Piece(other, False)]
    words_left = [at for at, token in enumerate(left) if _is_word(token)]
    words_right = [at for at, token in enumerate(right) if _is_word(token)]
    matcher = SequenceMatcher(
        None,
        [left[at].casefold() for at in words_left],
        [right[at].casefold() for at in words_right],
        autojunk=False,
    )
    same_left: set[int] = set()
    same_right: set[int] = set()
    for block in matcher.get_matching_blocks():
        same_left.update(words_left[block.a : block.a + block.size])
        same_right.update(words_right[block.b : block.b + block.size])
    return _pieces(left, same_left), _pieces(right, same_right)


def _pieces(tokens: list[str], same: set[int]) -> list[Piece]:
    differing = [_is_word(token) and at not in same for at, token in enumerate(tokens)]
    for at in range(1, len(tokens) - 1):
        # What stands between two differing words is marked with them, as one stretch.
        if not _is_word(tokens[at]):
            following = next((k for k in range(at, len(tokens)) if _is_word(tokens[k])), at)
            differing[at] = differing[at - 1] and differing[following]
    found: list[Piece] = []
    for token, differs in zip(tokens, differing, strict=True):
        if found and found[-1].differs == differs:
            found[-1] = Piece(found[-1].text + token, differs)
        else:
            found.append(Piece(token, differs))
    return found


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"
