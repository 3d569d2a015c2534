"""Docstrings read as Markdown, which is how they are written: prose, lists and `names`."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.docutils_ import Parser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class DocstringDirective(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        document = new_document("docstring", self.state.document.settings)
        Parser().parse("\n".join(self.content), document)
        return document.children


def _as_markdown(
    app: Sphinx, what: str, name: str, thing: object, options: Any, lines: list[str]
) -> None:
    """Put a docstring into the directive; one with an example stays what Sphinx reads."""
    if any(line.lstrip().startswith(">>>") for line in lines):
        return
    lines[:] = [".. docstring::", "", *(f"   {line}" for line in lines), ""]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("docstring", DocstringDirective)
    app.connect("autodoc-process-docstring", _as_markdown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
