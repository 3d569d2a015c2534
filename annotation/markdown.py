"""Rendering of researchers' Markdown as safe HTML.

markdown-it-py escapes raw HTML, and nh3 allows only the elements that instructions need.
"""

from __future__ import annotations

from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    *("p", "br", "hr", "strong", "em", "code", "pre", "blockquote"),
    *("ul", "ol", "li", "a", "h3", "h4", "h5", "h6"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
# The pages use heading levels 1 and 2.
HIGHEST_HEADING = 3

_parser = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=256)  # of the texts of as many protocols as raters see at a time
def render(text: str) -> SafeString:
    """Render CommonMark with tables as sanitised HTML.

    Raw HTML is shown as text. Headings start at level 3. Links open in a new window, so that a form
    is not lost. Images are removed: the pages load nothing from other sites.
    """
    tokens = _parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + HIGHEST_HEADING - 1)}"
    html = nh3.clean(
        _parser.renderer.render(tokens, _parser.options, {}),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return mark_safe(html)
