"""The candidates of a HIT with what raters see of them."""

from __future__ import annotations

from annotation.rating.models import HitCandidate
from annotation.studies.models import StudyCandidate


def members(hit_id: int, *, with_parts: bool = True) -> list[StudyCandidate]:
    """The candidates of a HIT with their instances and parts, in the HIT's own order."""
    rows = HitCandidate.objects.filter(hit=hit_id).order_by("position")
    rows = rows.select_related("candidate__instance")
    if with_parts:
        rows = rows.prefetch_related("candidate__parts__candidate")
    return [member.candidate for member in rows]
