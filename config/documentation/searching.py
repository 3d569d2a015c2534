"""Search in the documentation's pages.

The text of all pages takes seconds to make, because commands, signatures and the API's description
are part of it. So it is made once for each state of the sources, and stored under CONCORD_VAR.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.conf import settings

from config.documentation import pages, tree
from core.pages.searching import MAX_WORDS

EXCERPT = 160
#: Where docstrings, commands and operations come from.
PACKAGES = ("concord", "scorers", "annotation", "benchmarks", "core", "config")


@dataclass(frozen=True)
class PageHit:
    """A page with every word; `address` is below /docs/, with the heading that has them all."""

    title: str
    address: str
    excerpt: str


@dataclass(frozen=True)
class IndexedPart:
    """A heading and the text below it; the first part of a page may have no heading."""

    anchor: str
    title: str
    text: str


Texts = dict[str, list[IndexedPart]]
"""The parts of each page."""


def find(words: str) -> Iterator[PageHit]:
    """Pages that have every word, in any case: first those with all in the title, in a heading,
    and side by side. The Python reference is last."""
    asked = [word.casefold() for word in words.split()[:MAX_WORDS]]
    ranked = []
    for page, parts in texts().items():
        whole = "\n".join(f"{part.title}\n{part.text}" for part in parts).casefold()
        if _has(whole, asked):
            is_python = page.startswith("reference/python/")
            ranked.append((is_python, _rank(page, parts, whole, asked), page))
    for *_, page in sorted(ranked):
        parts = texts()[page]
        titled = [part for part in parts if _has(part.title.casefold(), asked)]
        part = next((one for one in (*titled, *parts) if _has(_text(one), asked)), parts[0])
        is_top = part.title in ("", tree.title(page))
        title = tree.title(page) if is_top else f"{tree.title(page)}: {part.title}"
        address = f"{page}.html" if is_top else f"{page}.html#{part.anchor}"
        yield PageHit(title, address, _excerpt(part.text, asked))


@cache
def texts() -> Texts:
    """The text of all pages: stored, or made now and stored."""
    path = Path(settings.VAR_DIR) / "documentation" / f"{_state()}.json"
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return {page: [IndexedPart(*part) for part in parts] for page, parts in stored.items()}
    except (OSError, ValueError, TypeError):
        made = {page: list(_parts(page)) for page in sorted(tree.pages())}
        _store(path, made)
        return made


def _parts(page: str) -> Iterator[IndexedPart]:
    rendered = pages.rendered(page)
    if rendered.texts[0]:
        yield IndexedPart("", "", rendered.texts[0])
    for heading, text in zip(rendered.headings, rendered.texts[1:], strict=True):
        yield IndexedPart(heading.anchor, heading.title, text)


def _state() -> str:
    """A digest of the names and times of all sources."""
    files = [*tree.DOCS.glob("**/*.md"), *tree.DOCS.glob("**/*.json"), *tree.DOCS.glob("*.bib")]
    for package in PACKAGES:
        files += settings.BASE_DIR.glob(f"{package}/**/*.py")
    times = sorted(f"{path} {path.stat().st_mtime_ns}" for path in files)
    return sha256("\n".join(times).encode()).hexdigest()[:16]


def _store(path: Path, made: Texts) -> None:
    """Replace older files; a folder that cannot be written only costs time."""
    rows = {page: [[one.anchor, one.title, one.text] for one in made[page]] for page in made}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            json.dump(rows, file, ensure_ascii=False)
        for old in path.parent.glob("*.json"):
            old.unlink(missing_ok=True)
        os.replace(file.name, path)
    except OSError:
        return


def _text(part: IndexedPart) -> str:
    return f"{part.title} {part.text}".casefold()


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def _rank(page: str, parts: list[IndexedPart], whole: str, words: Sequence[str]) -> int:
    if _has(tree.title(page).casefold(), words):
        return 0
    if any(_has(part.title.casefold(), words) for part in parts):
        return 1
    return 2 if " ".join(words) in whole else 3


def _excerpt(text: str, words: Sequence[str]) -> str:
    """The text around the first word; its beginning where the word is in the heading."""
    at = max(0, text.casefold().find(words[0]))
    start = max(0, at - EXCERPT // 2)
    return ("… " if start else "") + text[start : start + EXCERPT] + " …"
