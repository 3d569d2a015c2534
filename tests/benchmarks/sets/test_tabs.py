"""The tabs of a set: groups, and the pages of the current group."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from benchmarks.sets.services import access
from benchmarks.sets.set_tabs import CRITERIA, GROUPS, PAIRS, tab_groups
from tests.annotation.setup.test_study_tabs import links
from tests.benchmarks.scenes import Scene
from tests.html import readable

LABEL = "This judgment set"


def test_each_page_is_current_in_its_group_and_the_group_opens_its_first(
    scene: Scene, staff: Client
) -> None:
    page = readable(staff.get("/sets/small/"))
    groups = links(page, LABEL)
    assert [name for _, _, name in groups] == list(GROUPS)
    for first, _, title in groups:
        pages = links(readable(staff.get(first)), title)
        assert pages[0][0] == first and len(pages) >= 2
        for url, _, name in pages:
            if name == "Webhooks":  # a page outside the set
                continue
            text = readable(staff.get(url))
            assert [one for one, is_current, _ in links(text, title) if is_current] == [url]
            assert [one for _, is_current, one in links(text, LABEL) if is_current] == [title]


def test_visitors_see_no_settings(scene: Scene, visitor: Client) -> None:
    names = [name for _, _, name in links(readable(visitor.get("/sets/small/")), LABEL)]
    assert names == [name for name in GROUPS if name != "Settings"]


def test_readers_see_at_most_thirteen_pages(scene: Scene) -> None:
    judgment_set = access.set_for(AnonymousUser(), "small")
    groups = tab_groups(judgment_set, "", criterion="", contents=(CRITERIA, PAIRS))
    assert sum(len(group.pages) for group in groups) <= 13


@pytest.mark.parametrize(("kind", "host"), [
    ("combination", "comparison"), ("sentinels", "judges"), ("rating-plan", "fewer-ratings"),
    ("estimate", "system-board"), ("choices", "minimal-pairs"), ("spans", "errors"),
])  # fmt: skip
def test_the_address_of_a_section_leads_to_it(
    scene: Scene, visitor: Client, kind: str, host: str
) -> None:
    answer = visitor.get(reverse(kind, args=["small"]), {"draws": "9"})
    assert answer["Location"] == f"{reverse(host, args=['small'])}?section={kind}&draws=9#{kind}"
    page = readable(visitor.get(answer["Location"]))
    assert f'<div id="{kind}"' in page or "no pairs" in page or "Nobody marked" in page
    assert page.count('<details class="fold" open') == 1
