"""The candidates of a HIT with what raters see of them."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.rating.models import HitCandidate
from annotation.studies.models import StudyCandidate
from core.compiled_queries import CompiledQuery, Parameter


def members(hit_id: int, *, with_parts: bool = True) -> list[StudyCandidate]:
    """The candidates of a HIT with their instances and parts, in the HIT's own order."""
    query = _members_with_parts if with_parts else _members
    return [member.candidate for member in query.rows(hit=hit_id)]


def _rows() -> QuerySet[HitCandidate]:
    rows = HitCandidate.objects.filter(hit=Parameter("hit")).order_by("position")
    return rows.select_related("candidate__instance")


_members = CompiledQuery(_rows)
_members_with_parts = CompiledQuery(lambda: _rows().prefetch_related("candidate__parts__candidate"))
