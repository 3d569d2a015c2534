"""Detokenisation of Penn Treebank tokens, with the position of each token."""

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
    """The text of some tokens, and each token's (start, end) in it.

    Brackets and quotes are restored. Closing punctuation and clitics are joined to the previous
    token, and the token after an opening bracket or quote to that.
    """
    text = ""
    spans: list[Span] = []
    joins_next = True
    for token in tokens:
        joins_previous = token in _CLITICS or _plain(token) in _CLOSING or token == "''"
        if not (joins_next or joins_previous):
            text += " "
        written = _QUOTES.get(token, _plain(token))
        spans.append((len(text), len(text) + len(written)))
        text += written
        joins_next = token == "``" or _plain(token) in _OPENING
    return text, spans


def _plain(token: str) -> str:
    return _BRACKETS.get(token, token)
