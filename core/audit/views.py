"""The whole book, for administrators: accounts and tokens belong to no study and no set."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.audit.history import download, history
from core.audit.models import AuditEvent


@require_safe
def everything(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    _check(request)
    shown = {"history": history(AuditEvent.objects.all(), request), "downloads": "audit-file"}
    return render(request, "audit/everything.html", shown)


@require_safe
def everything_file(request: HttpRequest, extension: str) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    _check(request)
    return download(AuditEvent.objects.all(), request, extension, "concord")


def _check(request: HttpRequest) -> None:
    if not getattr(request.user, "is_superuser", False):
        raise PermissionDenied(
            "Administrators read the whole audit; that of a study or a set stands on its pages."
        )
