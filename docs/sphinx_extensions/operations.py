"""`{operations}`: every operation of the REST API, from its OpenAPI description."""

from __future__ import annotations

from sphinx.application import Sphinx

from core.rest.docs import METHODS, description
from docs.sphinx_extensions.markdown import MarkdownDirective, table


class OperationsDirective(MarkdownDirective):
    def markdown(self) -> str:
        sections: dict[str, list[tuple[str, str]]] = {}
        for path, methods in description()["paths"].items():
            for method in METHODS:
                if operation := methods.get(method):
                    row = (f"`{method.upper()} {path}`", operation["summary"])
                    sections.setdefault(operation["tags"][0], []).append(row)
        return "\n\n".join(
            f"**{tag}**\n\n{table(('request', 'what it does'), rows)}"
            for tag, rows in sections.items()
        )


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("operations", OperationsDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
