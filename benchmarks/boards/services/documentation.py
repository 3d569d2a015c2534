"""The page of a metric in the documentation."""

from __future__ import annotations

from functools import cache

from scorers.registry import REGISTRATIONS


def docs_page(metric: str, *, is_submitted: bool) -> str | None:
    """The page's path below /docs/; None for a submitted metric and one that is not ours."""
    name = metric.partition("(")[0]
    if is_submitted or name not in _documented_names():
        return None
    return f"reference/metrics/{name}.html"


@cache
def _documented_names() -> frozenset[str]:
    return frozenset(registration.name for registration in REGISTRATIONS)
