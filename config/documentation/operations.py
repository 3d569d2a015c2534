"""`{operations}`: every operation of the REST API, from its OpenAPI description."""

from __future__ import annotations

from types import MappingProxyType

from config.documentation.markdown import DirectiveCall, table
from core.rest.docs import METHODS, description


def operations(call: DirectiveCall) -> str:
    sections: dict[str, list[tuple[str, str]]] = {}
    for path, methods in description()["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                row = (f"`{method.upper()} {path}`", operation["summary"])
                sections.setdefault(operation["tags"][0], []).append(row)
    return "\n\n".join(
        f"**{tag}**\n\n{table(('request', 'what it does'), rows)}" for tag, rows in sections.items()
    )


DIRECTIVES = MappingProxyType({"operations": operations})
