"""Search in the documentation's pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from config.documentation import pages, tree
from config.documentation.markdown import Rendered
from core.pages.searching import MAX_WORDS

EXCERPT = 160


@dataclass(frozen=True)
class PageHit:
    """A page with every word; `address` is below /docs/, with the heading that has them all."""

    title: str
    address: str
    excerpt: str


@cache
def _text(page: str) -> str:
    rendered = pages.rendered(page)
    return "\n".join((*(one.title for one in rendered.headings), *rendered.texts)).casefold()


def find(words: str) -> Iterator[PageHit]:
    """Pages that have every word, in any case: first those with all in the title, in a
    heading, and side by side."""
    asked = [word.casefold() for word in words.split()[:MAX_WORDS]]
    found = [page for page in sorted(tree.pages()) if _has(_text(page), asked)]
    for page in sorted(found, key=lambda page: _rank(page, asked)):
        rendered = pages.rendered(page)
        position = _section(rendered, asked)
        place = f"#{rendered.headings[position - 1].anchor}" if position > 1 else ""
        title = tree.title(page)
        if position > 1:
            title += f": {rendered.headings[position - 1].title}"
        text = rendered.texts[position]
        yield PageHit(title, f"{page}.html{place}", _excerpt(text, asked))


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def _rank(page: str, words: Sequence[str]) -> int:
    if _has(tree.title(page).casefold(), words):
        return 0
    headings = pages.rendered(page).headings
    if any(_has(one.title.casefold(), words) for one in headings):
        return 1
    return 2 if " ".join(words) in _text(page) else 3


def _section(rendered: Rendered, words: Sequence[str]) -> int:
    """The position of the first text that has every word with its heading; else the first."""
    for position, text in enumerate(rendered.texts):
        heading = rendered.headings[position - 1].title if position else ""
        if _has(f"{heading} {text}".casefold(), words):
            return position
    return min(1, len(rendered.texts) - 1)


def _excerpt(text: str, words: Sequence[str]) -> str:
    """The text around the first word; its beginning where the word is in the heading."""
    at = max(0, text.casefold().find(words[0]))
    start = max(0, at - EXCERPT // 2)
    return ("… " if start else "") + text[start : start + EXCERPT] + " …"
