"""What the deletion of a study means for freezing."""

from __future__ import annotations

from annotation.lifecycle.services import deletion
from annotation.studies.models import Study
from benchmarks.freezing.models import Freezing
from benchmarks.sets.models import JudgmentSet


def register() -> None:
    """Refuse to delete studies with published sets, and delete their freezings."""
    deletion.register(deletion.Dependent(_refusals, lambda study: study.jobs.all().delete()))


def _refusals(study: Study) -> list[str]:
    frozen = JudgmentSet.objects.filter(report__study__slug=study.slug)
    reasons = [
        f"The judgment set {one}, frozen from it, is public. Make it private first."
        for one in frozen.filter(published_at__isnull=False)
    ]
    if Freezing.objects.of(study).filter(status__in=Freezing.ACTIVE).exists():
        reasons.append("The study is being frozen. Wait, or stop it on the Freeze page.")
    return reasons
