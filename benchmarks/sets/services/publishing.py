"""Publishing and unpublishing a version of a judgment set."""

from __future__ import annotations

from datetime import datetime

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import announcing
from core.accounts import publishing


def publish(judgment_set: JudgmentSet, *, at: datetime) -> None:
    """Make the version public."""
    publishing.publish(
        judgment_set,
        "set",
        at=at,
        announce=lambda: announcing.announce_publication(judgment_set, at=at),
        judgment_set=judgment_set,
    )


def unpublish(judgment_set: JudgmentSet) -> None:
    """Make the version visible only to members."""
    publishing.unpublish(judgment_set, "set", judgment_set=judgment_set)
