"""The pages of the documentation, and the sections that its indexes name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

DOCS: Path = settings.BASE_DIR / "docs"
INDEX = "index"
IMAGES = (".svg", ".webp")

_TITLE = re.compile(r"^# (.+)$", re.M)
_TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.M | re.S)
_OPTION = re.compile(r"^:([\w-]+):[ \t]*(.*)$", re.M)


@dataclass(frozen=True)
class PageGroup:
    """Pages that an index names together; `caption` may be empty."""

    caption: str
    pages: tuple[str, ...]


@dataclass(frozen=True)
class PageSection:
    """One of the documentation's parts: its index, and the pages below it."""

    page: str
    title: str
    groups: tuple[PageGroup, ...]


@cache
def pages() -> frozenset[str]:
    """The names of all pages: their paths below docs/, without the suffix."""
    paths = (path.relative_to(DOCS) for path in DOCS.rglob("*.md"))
    return frozenset(
        path.with_suffix("").as_posix()
        for path in paths
        if path.parts[0] != "_build" and not path.name.startswith("_")
    )


@cache
def images() -> frozenset[str]:
    """The paths of the pictures below docs/."""
    folder = DOCS / "images"
    return frozenset(
        path.relative_to(DOCS).as_posix() for path in folder.iterdir() if path.suffix in IMAGES
    )


def source(page: str) -> str:
    """The Markdown of a page."""
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


@cache
def title(page: str) -> str:
    """A page's first heading, without marks of code. Raises ValueError where it has none."""
    if page == "reference/changelog":  # it is an included file
        return "Changelog"
    match = _TITLE.search(source(page))
    if match is None:
        raise ValueError(f"docs/{page}.md has no heading")
    return match[1].replace("`", "").strip()


def groups(page: str) -> Iterator[PageGroup]:
    """The groups of pages that a page's `toctree` directives name."""
    folder = page.rpartition("/")[0]
    for match in _TOCTREE.finditer(source(page)):
        options = dict(_OPTION.findall(match[1]))
        names = [line for line in match[1].split() if not line.startswith(":")]
        names = _OPTION.sub("", match[1]).split()
        found = tuple(f"{folder}/{name}" if folder else name for name in names)
        yield PageGroup(options.get("caption", ""), found)


@cache
def sections() -> tuple[PageSection, ...]:
    """The sections that the first page names, in its order."""
    return tuple(
        PageSection(page, title(page), tuple(groups(page)))
        for group in groups(INDEX)
        for page in group.pages
    )


def address(page: str, start: str) -> str:
    """The relative address of a page from another."""
    return "../" * start.count("/") + f"{page}.html"
