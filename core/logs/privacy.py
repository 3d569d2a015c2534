"""Redaction of URL paths in log lines.

Rating links, invitations and password resets contain secrets, and crowd platforms put the ids of
workers into the query string. Neither is logged.
"""

from __future__ import annotations

import re

_RATING_LINK = re.compile(r"^(/rate/(?:join/|preview/|crowd/(?:task/)?)?)[^/]+")
_LONG_SEGMENT = re.compile(r"(?<=/)[A-Za-z0-9_.:=-]{24,}(?=/|$)")


def without_secrets(path: str) -> str:
    """The path without its query; rating links and other long segments become an ellipsis."""
    return _LONG_SEGMENT.sub("…", _RATING_LINK.sub(r"\1…", path.partition("?")[0]))
