"""The documentation: every link in it resolves, the site serves it, and every link to it leads to
a page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from config.documentation import static_pages, tree
from scorers import names as metric_names
from tests.access import pages as access_table
from tests.access.scene import Scene, make_everything
from tests.access.test_access_table import routes
from tests.scorers.test_common import EXPECTED

METRICS = settings.BASE_DIR / "docs" / "reference" / "metrics"
SECTIONS = (
    "Definition",
    "Empty answers",
    "Options and signature",
    "Where it does well and badly",
    "Paper",
)


class Links(HTMLParser):
    """The targets that a page names and the ids that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value and not urlsplit(value).scheme:
                self.targets.add(value)


def test_every_internal_link_leads_to_a_page_and_a_place_in_it(tmp_path: Path) -> None:
    """`make docs` writes these files; the site shows the same pages."""
    assert static_pages.write(tmp_path) == len(tree.pages())
    pages = {path: Links(path.read_text()) for path in tmp_path.rglob("*.html")}
    assert len(pages) == len(tree.pages())
    broken = []
    for page, links in pages.items():
        for link in links.targets:
            parts = urlsplit(link)
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = unquote(parts.fragment)
            missing = place and target in pages and place not in pages[target].ids
            if missing or not target.exists():
                broken.append(f"{page.relative_to(tmp_path)}: {link}")
    assert broken == []


def test_every_page_is_reached_from_the_first() -> None:
    named = {tree.INDEX}
    todo = [tree.INDEX]
    while todo:
        for group in tree.groups(todo.pop()):
            todo += [page for page in group.pages if page not in named]
            named.update(group.pages)
    assert named == tree.pages()


@pytest.mark.parametrize("name", metric_names())
def test_every_metric_has_a_page_with_every_section(name: str) -> None:
    text = (METRICS / f"{name}.md").read_text()
    assert tuple(re.findall(r"^## (.*)$", text, re.M)) == SECTIONS
    for directive in ("metric", "metric-options", "metric-figures"):
        assert f"```{{{directive}}} {name}\n" in text


@pytest.mark.parametrize("name", metric_names())
def test_the_page_states_the_scores_of_empty_answers_that_the_metric_gives(name: str) -> None:
    text = (METRICS / f"{name}.md").read_text()
    expected = EXPECTED[name]
    match = re.search(
        r"An empty candidate scores (\d+); an empty candidate against an empty reference "
        r"scores (\d+)\.",
        text,
    )
    if match is None:
        assert "The score of an empty candidate is not fixed" in text
        assert expected.empty_candidate is expected.both_empty is None
    else:
        assert expected.empty_candidate == float(match[1])
        assert expected.both_empty == float(match[2])


def test_every_metric_that_needs_no_checkpoint_is_measured() -> None:
    measured = json.loads((METRICS / "measured.json").read_text())["metrics"]
    assert set(measured) == set(metric_names()) - {"sts"}


@pytest.mark.django_db
def test_the_site_serves_the_pages_under_its_own_policy() -> None:
    client = Client()
    response = client.get("/docs/")
    assert response.status_code == 200
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    text = client.get("/docs/reference/metrics/aev.html").content.decode()
    for part in ("<math", "n-gram overlap", "@", "Signature at the defaults"):
        assert part in text
    assert not re.search(r"<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=", text)
    assert ">How-to guides</h1>" in client.get("/docs/how-to/").content.decode()
    picture = client.get("/docs/images/board-light-desktop.webp")
    assert (picture.status_code, picture["Content-Type"]) == (200, "image/webp")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    ["%2e%2e/%2e%2e/manage.py", "../manage.py", "index.md", "references.bib", "index.html/x",
     "reference/_licences.html", "index", "images/"],
)  # fmt: skip
def test_nothing_else_is_served(path: str) -> None:
    assert Client().get(f"/docs/{path}").status_code == 404


@pytest.fixture
def everything(db: None, tmp_path: Path, settings: Any) -> Scene:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "unlimited")
    return make_everything(tmp_path)


def test_every_link_to_the_documentation_leads_to_a_place(everything: Scene) -> None:
    """Every page of the site, as an administrator sees it."""
    client, known = everything.client("administrator"), routes()
    linked: dict[str, set[str]] = {}
    for name in access_table.PAGES.keys() | access_table.PUBLIC_SETS.keys():
        address = reverse(name, kwargs=everything.kwargs(name, known[name]))
        answer = client.get(address)
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            continue
        for target in Links(answer.content.decode()).targets:
            if urljoin(address, target).startswith("/docs/"):
                linked.setdefault(urljoin(address, target), set()).add(name)
    assert len(linked) > 15
    broken = {}
    for target, names in linked.items():
        path, place = urldefrag(target)
        answer = client.get(path)
        if answer.status_code != 200 or (place and place not in Links(answer.content.decode()).ids):
            broken[target] = names
    assert broken == {}
