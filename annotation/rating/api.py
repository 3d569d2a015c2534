"""Look-ups of the objects in URLs of the API, among the raters of a study."""

from __future__ import annotations

from annotation.rating.models import Participation
from annotation.studies.api.access import found_or_404
from annotation.studies.models import Study


def participation_of(study: Study, name: str) -> Participation:
    rows = study.participations.select_related("worker", "study")
    return found_or_404(rows.filter(worker__name=name).first(), "worker of that name")
