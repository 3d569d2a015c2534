"""The access log: what was asked for and what came of it, and nobody's address or secret.

Rating links, invitations and password resets are secrets in an address's path, and platforms put
their workers' ids in the query: neither is written down.
"""

from __future__ import annotations

import re
from typing import Any

from gunicorn.glogging import Logger

_LINK = re.compile(r"^(/rate/(?:join/|preview/|crowd/(?:task/)?)?)[^/]+")
_SECRET = re.compile(r"(?<=/)[A-Za-z0-9_.:=-]{24,}(?=/|$)")


class PrivateLogger(Logger):  # type: ignore[misc]
    """Gunicorn's, but for paths: the parts of them that are secrets are left out."""

    def atoms(self, resp: Any, req: Any, environ: Any, request_time: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        found["U"] = without_secrets(found.get("U") or "")
        return found


def without_secrets(path: str) -> str:
    """The path with an ellipsis for what could open a door: rating links, and long parts."""
    return _SECRET.sub("…", _LINK.sub(r"\1…", path))
