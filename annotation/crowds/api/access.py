"""Look-ups of the objects in URLs of the crowds API."""

from __future__ import annotations

from annotation.crowds.models import Publication
from annotation.studies.api.access import found_or_404
from annotation.studies.models import Study


def publication_of(study: Study, pk: int) -> Publication:
    rows = Publication.objects.filter(stage__study=study).select_related("stage__study")
    return found_or_404(rows.filter(pk=pk).first(), "publication")
