"""The whole audit log, for administrators. It includes events of accounts and tokens."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.audit.history import download, history
from core.audit.models import AuditEvent


@require_safe
def audit_log(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    _check(request)
    context = {
        "tab": "audit",
        "history": history(AuditEvent.objects.all(), request),
        "downloads": "audit-file",
    }
    return render(request, "audit/audit_log.html", context)


@require_safe
def audit_log_file(request: HttpRequest, extension: str) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    _check(request)
    return download(AuditEvent.objects.all(), request, extension, "concord")


def _check(request: HttpRequest) -> None:
    if not getattr(request.user, "is_superuser", False):
        raise PermissionDenied(
            "Only administrators can read the whole audit log. Studies and judgment sets "
            "have pages with their own."
        )
