"""Sentence splitting by rules of English typography."""

from __future__ import annotations

import re

from scorers.keyphrases.sources.records import Span

# A mark that may end a sentence, closing quotes or brackets, and white space.
_END = re.compile(r"[.!?…]+[\"'\u201d\u2019)\]]*(?=\s)")
_TITLES = {
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "rev",
    "gen",
    "col",
    "lt",
    "sgt",
    "capt",
    "st",
    "jr",
    "sr",
}
_MONTHS = {"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"}
_OTHERS = {
    "vs",
    "etc",
    "inc",
    "ltd",
    "co",
    "corp",
    "no",
    "vol",
    "fig",
    "al",
    "e.g",
    "i.e",
    "cf",
    "ca",
}
_ABBREVIATIONS = frozenset(_TITLES | _MONTHS | _OTHERS | {"approx", "dept", "est"})
_LAST_WORD = re.compile(r"(\S+)$")


def sentence_spans(text: str) -> list[Span]:
    """The (start, end) of each sentence, in order, without the white space around it.

    A sentence ends at . ! ? or … (and closing quotes or brackets) before white space, unless the
    period closes an abbreviation or an initial, or the next word starts in lower case; and at an
    empty line. Every character that is not white space lies in exactly one sentence.
    """
    ends = [match.end() for match in _END.finditer(text) if _ends_sentence(text, match)]
    ends += [match.start() for match in re.finditer(r"\n\s*\n", text)]
    spans = []
    start = 0
    for end in [*sorted(set(ends)), len(text)]:
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            spans.append((start + lead, start + len(piece.rstrip())))
        start = end
    return spans


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    following = text[match.end() :].lstrip()
    if following[:1].islower():
        return False
    if match.group()[0] != "." or match.group().startswith(".."):
        return True
    word = _LAST_WORD.search(text[: match.start()])
    if word is None:
        return True
    last = word.group(1).lstrip("(\"'\u201c\u2018[")
    initial = len(last) == 1 and last.isalpha() and last.isupper()
    return not (initial or last.lower() in _ABBREVIATIONS)
