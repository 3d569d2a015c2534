"""Search in the documentation's pages.

The text of all pages takes seconds to make, because commands, signatures and the API's description
are part of it. So it is made once for each state of the sources, and stored under CONCORD_VAR.
"""

from __future__ import annotations

import json
import os
import re
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
MIN_STEM = 4
TITLE_WEIGHT, HEADING_WEIGHT, MAX_COUNT = 8, 4, 3
#: Beginnings of pages' names.
WEIGHTS = (
    ("how-to/", 1.5),
    ("tutorials/", 1.5),
    ("reference/python/", 0.4),
    ("reference/changelog", 0.2),
    ("reference/licences", 0.2),
    ("explanation/decisions", 0.5),
    ("explanation/dependencies", 0.5),
)
#: What people write, and what the pages say.
SYNONYMS = {
    "annotator": ("rater",),
    "crowdworker": ("worker", "rater"),
    "csv": ("table",),
    "inter-annotator": ("agreement",),
    "inter-rater": ("agreement",),
    "interrater": ("agreement",),
    "likert": ("scale",),
    "llm": ("language model",),
    "mturk": ("mechanical turk",),
    "upload": ("import",),
}
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
    """Pages that have every word, or one that means the same, in any case; where none has, those
    with the most. A word in a title counts most, then one in a heading; guides and tutorials come
    before other pages, and the Python reference is last."""
    asked = [_pattern(word) for word in words.casefold().split()[:MAX_WORDS]]
    ranked = []
    for page, parts in texts().items():
        if count := _found(" ".join(map(_text, parts)), asked):
            ranked.append((count, page, parts))
    most = max((count for count, *_ in ranked), default=0)
    hits = []
    for page, parts in ((page, parts) for count, page, parts in ranked if count == most):
        part = max(parts, key=lambda one: _score(one, page, asked))  # the first of equal ones
        weight = next((one for start, one in WEIGHTS if page.startswith(start)), 1.0)
        hits.append((-weight * _score(part, page, asked), page, part))
    for _, page, part in sorted(hits, key=lambda hit: hit[:2]):
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
    return f"{part.title} {part.text}"


def _pattern(word: str) -> re.Pattern[str]:
    """A pattern of beginnings of words: a word without a plural's s, or what means the same."""
    singular = word.removesuffix("s") if len(word) > MIN_STEM else word
    words = "|".join(map(re.escape, (singular, *SYNONYMS.get(singular, ()))))
    return re.compile(rf"\b(?:{words})", re.IGNORECASE)


def _found(text: str, asked: Sequence[re.Pattern[str]]) -> int:
    """How many words a text has."""
    return sum(word.search(text) is not None for word in asked)


def _score(part: IndexedPart, page: str, asked: Sequence[re.Pattern[str]]) -> float:
    counts = (len(word.findall(part.text)) for word in asked)
    return (
        TITLE_WEIGHT * _found(tree.title(page), asked)
        + HEADING_WEIGHT * _found(part.title, asked)
        + sum(min(count, MAX_COUNT) for count in counts)
    )


def _excerpt(text: str, asked: Sequence[re.Pattern[str]]) -> str:
    """The text around the first word; its beginning where the word is in the heading."""
    matches = filter(None, (word.search(text) for word in asked))
    start = max(0, next((match.start() for match in matches), 0) - EXCERPT // 2)
    return ("… " if start else "") + text[start : start + EXCERPT] + " …"
