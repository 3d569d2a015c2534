"""A text with the spans that a rater marked, as pieces for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from concord.formats.records import SEVERITIES, Span

UNDECIDED = "undecided"


@dataclass(frozen=True)
class MarkedSpan:
    """A span with its number in the list, from 1. text: what it covers, "" without a position."""

    number: int
    severity: str
    categories: tuple[str, ...]
    text: str
    is_missing: bool


@dataclass(frozen=True)
class MarkedPiece:
    """A part of the text that the same spans cover. severity: of the worst, "" outside spans.
    ends: the spans that end with it."""

    text: str
    severity: str
    ends: list[MarkedSpan]


@dataclass(frozen=True)
class MarkedText:
    """The pieces in the order of the text, and all spans."""

    pieces: list[MarkedPiece]
    spans: list[MarkedSpan]

    @property
    def html(self) -> SafeString:
        """The text as HTML: no space but its own, since line breaks of a text are shown."""
        return format_html_join("", "{}{}", ((_html(one), _labels(one)) for one in self.pieces))


def marked_text(text: str, spans: Sequence[Span]) -> MarkedText:
    """The text cut at the ends of all spans, which may overlap, in the order of the text."""
    ordered = sorted(spans, key=lambda one: (one.start is None, one.start or 0, one.end or 0))
    numbered = [
        MarkedSpan(
            number,
            one.severity or UNDECIDED,
            one.categories,
            "" if one.start is None else text[one.start : one.end],
            one.start is None,
        )
        for number, one in enumerate(ordered, start=1)
    ]
    cuts = {0, len(text)}
    for one in ordered:
        if one.start is not None and one.end is not None:
            cuts |= {min(one.start, len(text)), min(one.end, len(text))}
    edges = sorted(cuts)
    pieces = []
    for start, end in pairwise(edges):
        covering = [
            shown for one, shown in zip(ordered, numbered, strict=True) if start in one.characters
        ]
        ends = [
            shown
            for one, shown in zip(ordered, numbered, strict=True)
            if one.end == end and one.start is not None
        ]
        worst = max((one.severity for one in covering), key=_rank, default="")
        pieces.append(MarkedPiece(text[start:end], worst, ends))
    return MarkedText(pieces, numbered)


def _html(piece: MarkedPiece) -> SafeString:
    if not piece.severity:
        return format_html("{}", piece.text)
    return format_html('<mark class="span-{}">{}</mark>', piece.severity, piece.text)


def _labels(piece: MarkedPiece) -> SafeString:
    label = '<sup class="span-label">{} {}</sup>'
    return format_html_join("", label, ((one.number, one.severity) for one in piece.ends))


def _rank(severity: str) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else -1
