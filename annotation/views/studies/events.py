"""Streams that tell open pages of a study that something changed."""

from __future__ import annotations

from django.db.models import Count
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.rating.models import Assignment, Hit
from annotation.studies.models import Study
from annotation.studies.views.access import study_view
from core.accounts.roles import Role
from core.live.streams import stream


@require_GET
@study_view(Role.VIEWER)
def stage_events(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The stages and how far they are."""

    def state() -> object:
        done = Assignment.objects.filter(hit__stage__study=study).values_list("status")
        return [
            list(study.stages.order_by("pk").values_list("pk", "status")),
            list(done.annotate(Count("pk")).order_by("status")),
            Hit.objects.filter(stage__study=study).count(),
        ]

    return stream(request, f"stages of {study.pk}", state)


@require_GET
@study_view(Role.VIEWER)
def crowd_events(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Publications, the calls that are made for them, and what workers submit."""

    def state() -> object:
        mine = {"publication__stage__study": study}
        calls = CrowdCall.objects.filter(**mine).values_list("publication", "status")
        work = CrowdAssignment.objects.filter(**mine).values_list("publication", "status")
        order = ("publication", "status")
        rows = Publication.objects.filter(stage__study=study).order_by("pk")
        return [
            list(rows.values_list("pk", "status", "problem")),
            list(calls.annotate(Count("pk")).order_by(*order)),
            list(work.annotate(Count("pk")).order_by(*order)),
        ]

    return stream(request, f"crowd of {study.pk}", state)
