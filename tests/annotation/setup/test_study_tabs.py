"""The tabs of a study: groups, and the pages of the current group."""

from __future__ import annotations

import re

from django.test import Client

from annotation.setup.study_tabs import GROUPS
from tests.annotation.people import Scene
from tests.html import readable

LINK = re.compile(r'<a href="([^"]+)"( aria-current="\w+")?>(.*?)</a>')


def links(page: str, label: str) -> list[tuple[str, bool, str]]:
    """The URL, whether it is current, and the text of each link of the navigation `label`."""
    nav = re.search(rf'<nav [^>]*aria-label="{label}">(.*?)</nav>', page)
    assert nav, f"no navigation {label}"
    return [
        (url, bool(current), re.sub(r"<.*?>|\s+", " ", text).strip())
        for url, current, text in LINK.findall(nav[1])
    ]


def test_each_page_is_current_in_its_group_and_the_group_opens_its_first(
    scene: Scene, owner: Client
) -> None:
    for title, pages in GROUPS.items():
        for page in pages:
            if page.tab == "webhooks":  # a page outside the study
                continue
            text = readable(owner.get(page.url(scene.study)))
            groups = links(text, "This study")
            assert [name.split()[0] for _, is_current, name in groups if is_current] == [
                title.split()[0]
            ]
            assert len(groups) == len(GROUPS)
            own = links(text, title)
            assert [url for url, is_current, _ in own if is_current] == [page.url(scene.study)]
            assert own[0][0] in [url for url, is_current, _ in groups if is_current]
            assert len(own) == len(pages)


def test_waiting_messages_are_counted_on_the_page_and_on_its_group(
    scene: Scene, owner: Client
) -> None:
    text = readable(owner.get(f"/studies/{scene.slug}/crowd/"))
    names = [name for _, _, name in links(text, "This study") + links(text, "Collect")]
    assert [name.split() for name in names if "waiting" in name] == [
        ["Collect", "2", "waiting"],
        ["Messages", "2", "waiting"],
    ]
