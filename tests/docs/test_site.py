"""The documentation builds without a warning, every link in it resolves, and the site serves it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from django.conf import settings
from django.test import Client

from scorers import names as metric_names
from tests.docs.building import built  # noqa: F401
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


def test_every_internal_link_leads_to_a_page_and_a_place_in_it(built: Path) -> None:  # noqa: F811
    index = (built / "searchindex.js").read_text()
    names = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["docnames"]
    paths = [built / f"{name}.html" for name in (*names, "search", "genindex")]
    pages = {path: Links(path.read_text()) for path in paths}
    broken = []
    for page, links in pages.items():
        for link in links.targets:
            parts = urlsplit(link)
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = unquote(parts.fragment)
            missing = place and target in pages and place not in pages[target].ids
            if missing or not target.exists():
                broken.append(f"{page.relative_to(built)}: {link}")
    assert broken == []


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
def test_the_site_serves_the_pages_under_a_policy_without_other_scripts(built: Path) -> None:  # noqa: F811
    response = Client().get("/docs/")
    assert response.status_code == 200
    policy = response.headers["Content-Security-Policy"]
    (scripts,) = re.findall(r"script-src ([^;]*)", policy)
    assert scripts.startswith("'self' 'sha256-") and "unsafe" not in scripts
    assert Client().get("/docs/reference/metrics/bleu-1.html").status_code == 200
    assert Client().get("/docs/%2e%2e/%2e%2e/conf.py").status_code == 400


@pytest.mark.django_db
def test_a_site_without_built_documentation_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("config.documentation.BUILT", tmp_path)
    assert "make docs" in Client().get("/docs/").content.decode()
    assert Client().get("/docs/index.html/x").status_code == 404
