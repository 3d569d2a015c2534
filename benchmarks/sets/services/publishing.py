"""Publishing a version of a judgment set, and taking that back."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import announcing
from core import audit


def publish(judgment_set: JudgmentSet, *, at: datetime) -> None:
    """Show the version to everybody; it stays public since when it was first."""
    if judgment_set.published_at is None:
        judgment_set.published_at = at
        with transaction.atomic():
            judgment_set.save(update_fields=["published_at"])
            announcing.published(judgment_set, at=at)
            audit.record(None, "set.published", judgment_set, judgment_set=judgment_set)


def take_back(judgment_set: JudgmentSet) -> None:
    """Show the version to members of its name alone; what was read and downloaded is not undone."""
    with transaction.atomic():
        judgment_set.published_at = None
        judgment_set.save(update_fields=["published_at"])
        audit.record(None, "set.made private", judgment_set, judgment_set=judgment_set)
