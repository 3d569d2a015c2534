"""Paths in log lines: rating links, invitations and password resets are secrets in them, and
platforms put their workers' ids in the query. Neither is written down."""

from __future__ import annotations

import re

_LINK = re.compile(r"^(/rate/(?:join/|preview/|crowd/(?:task/)?)?)[^/]+")
_SECRET = re.compile(r"(?<=/)[A-Za-z0-9_.:=-]{24,}(?=/|$)")


def without_secrets(path: str) -> str:
    """The path without its query, and with an ellipsis for rating links and other long parts."""
    return _SECRET.sub("…", _LINK.sub(r"\1…", path.partition("?")[0]))
