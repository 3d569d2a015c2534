"""Publishing a version of a judgment set, and taking that back."""

from __future__ import annotations

from datetime import datetime

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import announcing
from core.accounts import publishing


def publish(judgment_set: JudgmentSet, *, at: datetime) -> None:
    """Show the version to everybody."""
    publishing.publish(
        judgment_set,
        "set",
        at=at,
        announce=lambda: announcing.published(judgment_set, at=at),
        judgment_set=judgment_set,
    )


def unpublish(judgment_set: JudgmentSet) -> None:
    """Show the version to members of its name alone."""
    publishing.unpublish(judgment_set, "set", judgment_set=judgment_set)
