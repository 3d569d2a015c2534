"""The kinds of analyses by name; features add theirs when the app is ready."""

from __future__ import annotations

from typing import Any

from benchmarks.analyses.kind import AnalysisKind

KINDS: dict[str, AnalysisKind[Any, Any]] = {}


def register(*kinds: AnalysisKind[Any, Any]) -> None:
    """Add kinds to those that workers compute, the API starts and pages show."""
    KINDS.update({kind.name: kind for kind in kinds})
