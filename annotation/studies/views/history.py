"""A study's audit log."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.studies.models import Study
from annotation.studies.views.access import study_page, study_view
from core.accounts.roles import Role
from core.audit.history import download, history
from core.audit.models import AuditEvent


@require_safe
@study_view(Role.VIEWER)
def study_history(request: HttpRequest, study: Study) -> HttpResponse:
    audit_history = history(AuditEvent.objects.of_study(study), request)
    context = {"tab": "history", "history": audit_history}
    return study_page(request, "annotation/studies/history.html", study, context)


@require_safe
@study_view(Role.VIEWER)
def study_history_file(request: HttpRequest, study: Study, extension: str) -> HttpResponseBase:
    events = AuditEvent.objects.of_study(study)
    return download(events, request, extension, study.slug, study=study)
