"""API of the choices between two candidates."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from rest_framework.request import Request

from annotation.quality.services import choices
from annotation.quality.views.data import choices_response
from annotation.studies.api.access import edited
from core.rest.operations import operation
from core.rest.views import ApiView


class StudyChoicesView(ApiView):
    @operation(
        "Download choices",
        scope="studies:read",
        sends="application/jsonl",
        tag="ratings",
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """concord-pairs JSON Lines: each pair with the choices that the ledger keeps, empty without
        pairs. For editors; the download is recorded."""
        study = edited(request, slug)
        return choices_response(study, choices.choice_lines(study))
