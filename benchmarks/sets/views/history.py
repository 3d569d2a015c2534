"""The audit log of a judgment set."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set, set_page, set_view
from core.accounts.roles import Role
from core.audit.history import download, history
from core.audit.models import AuditEvent


@require_safe
@set_view(Role.VIEWER)
def set_history(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    events = history(AuditEvent.objects.of_set(judgment_set.name), request)
    context = {"tab": "history", "history": events}
    return set_page(request, "benchmarks/sets/history.html", judgment_set, context)


@require_safe
def set_history_file(request: HttpRequest, ref: str, extension: str) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    judgment_set = find_set(ref, request.user, Role.VIEWER)
    events = AuditEvent.objects.of_set(judgment_set.name)
    return download(events, request, extension, judgment_set.name, judgment_set=judgment_set)
