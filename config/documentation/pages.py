"""Rendered pages, and the directives that they use."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from config.documentation import (
    command_help,
    directives,
    metric_facts,
    python_reference,
    tree,
)
from config.documentation.markdown import DirectiveCall, Rendered, render, table
from core.rest.docs import METHODS, description


def operations(call: DirectiveCall) -> str:
    """`{operations}`: every operation of the REST API, from its OpenAPI description."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for path, methods in description()["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                row = (f"`{method.upper()} {path}`", operation["summary"])
                sections.setdefault(operation["tags"][0], []).append(row)
    return "\n\n".join(
        f"**{tag}**\n\n{table(('request', 'what it does'), rows)}" for tag, rows in sections.items()
    )


DIRECTIVES = MappingProxyType(
    {
        **directives.DIRECTIVES,
        **command_help.DIRECTIVES,
        **metric_facts.DIRECTIVES,
        "operations": operations,
        **python_reference.DIRECTIVES,
    }
)


def rendered(page: str) -> Rendered:
    """A page, rendered anew only where its file has changed. Raises KeyError for an unknown page,
    DocumentationError for one with a fault."""
    if page not in tree.pages():
        raise KeyError(page)
    return _rendered(page, (tree.DOCS / f"{page}.md").stat().st_mtime_ns)


@lru_cache(maxsize=512)
def _rendered(page: str, _changed: int) -> Rendered:
    return render(page, tree.source(page), DIRECTIVES)
