"""Directives of the documentation's structure: lists of pages, included files, pictures, terms.

- `{toctree}`: links to the pages that its lines name; none where it is `:hidden:`.
- `{include} FILE`: a Markdown file, whose links into docs/ are made relative to the page.
- `{image} FILE`: a picture; the classes `only-light` and `only-dark` show it in one theme.
- `{glossary}`: terms, each with an indented definition.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from types import MappingProxyType

from django.utils.html import format_html
from django.utils.text import slugify

from config.documentation import tree
from config.documentation.markdown import DirectiveCall


def toctree(call: DirectiveCall) -> str:
    if "hidden" in call.options:
        return ""
    folder = posixpath.dirname(call.page)
    lines = [f"- [{tree.title(posixpath.join(folder, name))}]({name}.md)"
             for name in call.content.split()]  # fmt: skip
    caption = call.options.get("caption")
    return "\n".join([f"## {caption}", "", *lines] if caption else lines)


def include(call: DirectiveCall) -> str:
    path = tree.DOCS / posixpath.dirname(call.page) / call.argument
    text = path.read_text(encoding="utf-8")
    return text.replace("](docs/", "](" + "../" * call.page.count("/"))


def image(call: DirectiveCall) -> str:
    return format_html(
        '<p><img class="{}" src="{}" alt="{}" loading="lazy"></p>',
        call.options.get("class", ""),
        call.argument,
        call.options["alt"],
    )


def glossary(call: DirectiveCall) -> str:
    """Terms and definitions; a term's id is `term-` and its words."""
    lines = []
    for name, definition in _entries(call.content):
        anchors = "".join(
            format_html('<span id="term-{}"></span>', slugify(part)) for part in name.split(",")
        )
        lines += [f"{anchors}{name}", f": {definition}", ""]
    return "\n".join(lines)


@cache
def definitions() -> dict[str, str]:
    """The glossary's definitions by term, without marks."""
    content = tree.source("reference/glossary").partition("```{glossary}\n")[2].partition("```")[0]
    return {
        part.strip(): re.sub(r"\[([^]]+)\]\([^)]+\)|[`*$]", r"\1", definition)
        for name, definition in _entries(content)
        for part in name.split(",")
    }


def _entries(content: str) -> Iterator[tuple[str, str]]:
    for entry in re.split(r"\n\s*\n", content.strip()):
        name, *lines = entry.splitlines()
        yield name, " ".join(line.strip() for line in lines)


DIRECTIVES = MappingProxyType(
    {"toctree": toctree, "include": include, "image": image, "glossary": glossary}
)
