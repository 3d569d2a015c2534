"""Making ordinary text of Penn Treebank tokens, keeping track of where each token went."""

from __future__ import annotations

from collections.abc import Sequence

from scorers.keyphrases.sources.records import Span

_BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}
_OPENING = {"(", "[", "{", "$", "#", "``", "`"}
_CLOSING = {")", "]", "}", ",", ".", ";", ":", "?", "!", "%", "''", "...", "'"}
_CLITICS = {"n't", "'s", "'re", "'ve", "'ll", "'d", "'m"}
_QUOTES = {"``": '"', "''": '"', "`": "'"}


def detokenise(tokens: Sequence[str]) -> tuple[str, list[Span]]:
    """The text a person would have written, and each token's (start, end) in it.

    Brackets and quotes are put back, closing punctuation and clitics joined to the word before
    them, and what follows an opening bracket or quote to it.
    """
    text = ""
    spans: list[Span] = []
    glued = True
    for token in tokens:
        joins = token in _CLITICS or _plain(token) in _CLOSING or token == "''"
        if not (glued or joins):
            text += " "
        shown = _QUOTES.get(token, _plain(token))
        spans.append((len(text), len(text) + len(shown)))
        text += shown
        glued = token == "``" or _plain(token) in _OPENING
    return text, spans


def _plain(token: str) -> str:
    return _BRACKETS.get(token, token)
