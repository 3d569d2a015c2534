"""Tabs in groups: a line of groups, and beneath it the pages of the current group."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PageLink:
    """A link to a page, with the number of things that wait there for an answer."""

    title: str
    url: str
    is_current: bool
    waiting: int = 0


@dataclass(frozen=True)
class TabGroup:
    """A group of tabs and the links to its pages; its tab opens the first."""

    title: str
    pages: tuple[PageLink, ...]

    @property
    def url(self) -> str:
        return self.pages[0].url

    @property
    def is_current(self) -> bool:
        return any(page.is_current for page in self.pages)

    @property
    def waiting(self) -> int:
        return sum(page.waiting for page in self.pages)
