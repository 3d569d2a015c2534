"""The words that differ between two texts, for marking them side by side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

# Matching is quadratic in the worst case; longer texts are not marked.
MAX_WORDS = 2000
_TOKEN = re.compile(r"\w+|[^\w\s]+|\s+")


@dataclass(frozen=True, slots=True)
class WordPiece:
    """A part of a text; `differs` is whether the other text has no match for its words."""

    text: str
    differs: bool


def word_differences(one: str, other: str) -> tuple[list[WordPiece], list[WordPiece]]:
    """Both texts as pieces that are or are not in a longest matching of their words.

    Words are compared without case. White space and punctuation differ only between two words that
    differ. The pieces of a text joined are the text. If a text has more than MAX_WORDS words, both
    are returned as one piece.
    """
    left, right = _TOKEN.findall(one), _TOKEN.findall(other)
    if max(len(left), len(right)) > 2 * MAX_WORDS:
        return [WordPiece(one, False)], [WordPiece(other, False)]
    words_left = [i for i, token in enumerate(left) if _is_word(token)]
    words_right = [i for i, token in enumerate(right) if _is_word(token)]
    matcher = SequenceMatcher(
        None,
        [left[i].casefold() for i in words_left],
        [right[i].casefold() for i in words_right],
        autojunk=False,
    )
    same_left: set[int] = set()
    same_right: set[int] = set()
    for block in matcher.get_matching_blocks():
        same_left.update(words_left[block.a : block.a + block.size])
        same_right.update(words_right[block.b : block.b + block.size])
    return _pieces(left, same_left), _pieces(right, same_right)


def _pieces(tokens: list[str], same: set[int]) -> list[WordPiece]:
    differing = [_is_word(token) and i not in same for i, token in enumerate(tokens)]
    for i in range(1, len(tokens) - 1):
        # White space and punctuation between two differing words are marked with them.
        if not _is_word(tokens[i]):
            following = next((k for k in range(i, len(tokens)) if _is_word(tokens[k])), i)
            differing[i] = differing[i - 1] and differing[following]
    pieces: list[WordPiece] = []
    for token, differs in zip(tokens, differing, strict=True):
        if pieces and pieces[-1].differs == differs:
            pieces[-1] = WordPiece(pieces[-1].text + token, differs)
        else:
            pieces.append(WordPiece(token, differs))
    return pieces


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"
