"""Markdown becomes HTML that is safe whatever was written."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.markdown import ATTRIBUTES, TAGS, render


class Found(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]


ALLOWED = {(tag, name) for tag, names in ATTRIBUTES.items() for name in names}
ALLOWED |= {("a", "rel"), ("a", "target")}
PIECES = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](data:text/html,x)",
    "![a](http://example.org/x.png)",
    "<a href='http://example.org' onclick=x>",
    "<http://example.org>",
    "# H\n",
    "> q\n",
    "- l\n",
    "`c`",
    "**b**",
    "|a|b|\n|-|-|\n|1|2|\n",
    "&lt;script&gt;",
    "\n\n",
    '" onmouseover="x',
    "<!-- c -->",
    "<svg/onload=x>",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=10), max_size=12).map("".join))
def test_nothing_but_plain_elements_and_safe_links_comes_out(text: str) -> None:
    parsed = Found(render(text))
    assert parsed.tags <= TAGS
    assert parsed.attributes <= ALLOWED
    assert all(
        link.startswith(("http:", "https:", "mailto:")) or ":" not in link.split("/")[0]
        for link in parsed.links
    )


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("*a* **b**", "<p><em>a</em> <strong>b</strong></p>\n"),
        ("# a\n###### b", "<h3>a</h3>\n<h6>b</h6>\n"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("3. x", '<ol start="3">\n<li>x</li>\n</ol>\n'),
    ],
)
def test_instructions_keep_their_formatting(text: str, html: str) -> None:
    assert render(text) == html


def test_links_open_in_a_new_window_without_referrer() -> None:
    html = render("[a](https://example.org/ 'b')")
    assert 'target="_blank"' in html and 'rel="noopener noreferrer"' in html
