"""What the templates of a page show: its text, and the pages around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.safestring import mark_safe

from config.documentation import pages, tree


@dataclass(frozen=True)
class DocsLink:
    """A link to another page; `page` is its name."""

    title: str
    address: str
    page: str


@dataclass(frozen=True)
class LinkGroup:
    """Links with a caption, which may be empty."""

    caption: str
    links: tuple[DocsLink, ...]


@dataclass(frozen=True)
class NavigationSection:
    """A section of the documentation. `groups` are empty but in the section of the page."""

    index: DocsLink
    groups: tuple[LinkGroup, ...]


def page_context(page: str) -> dict[str, object]:
    """The context of a page's template. Raises KeyError for an unknown page."""
    rendered = pages.rendered(page)
    return {
        "page": page,
        "page_title": tree.title(page),
        # The text is Concord's own, of files that only its operator can change.
        "html": mark_safe(rendered.html),
        "headings": [one for one in rendered.headings if one.level == 2],
        "navigation": tuple(_navigation(page)),
        "parents": tuple(_parents(page)),
        "root": "../" * page.count("/"),
    }


def _link(page: str, start: str) -> DocsLink:
    return DocsLink(tree.title(page), tree.address(page, start), page)


def _navigation(page: str) -> Iterator[NavigationSection]:
    """The sections; in the section of the page, its pages and those beside it."""
    for section in tree.sections():
        folder = section.page.rpartition("/")[0]
        groups: list[LinkGroup] = []
        if page.startswith(f"{folder}/"):
            groups = [_group(group, page) for group in section.groups]
            parent = f"{page.rpartition('/')[0]}/index"
            if parent != section.page:
                beside = tuple(tree.groups(parent))
                groups = [LinkGroup("", (_link(parent, page),))]
                groups += [_group(group, page) for group in beside]
        yield NavigationSection(_link(section.page, page), tuple(groups))


def _group(group: tree.PageGroup, page: str) -> LinkGroup:
    return LinkGroup(group.caption, tuple(_link(name, page) for name in group.pages))


def _parents(page: str) -> Iterator[DocsLink]:
    """The indexes above a page, from the first page on."""
    if page == tree.INDEX:
        return
    yield _link(tree.INDEX, page)
    parts = page.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        index = "/".join([*parts[:depth], "index"])
        if index != page:
            yield _link(index, page)
