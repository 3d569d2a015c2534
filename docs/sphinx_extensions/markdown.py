"""What the directives that write Markdown share."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class MarkdownDirective(SphinxDirective):
    """A directive that stands for Markdown, which a subclass writes."""

    has_content = False

    def markdown(self) -> str:
        """The Markdown that takes the directive's place."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        container = nodes.container()
        lines = self.markdown().splitlines()
        self.state.nested_parse(lines, self.content_offset, container)  # type: ignore[arg-type]
        return container.children


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [list(head)]
    lines.append(["---"] * len(lines[0]))
    lines += [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
