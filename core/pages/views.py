"""What every site has: whether it is well, and pages that say what went wrong."""

from __future__ import annotations

from celery import current_app
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from core.pages.errors import MissingError, UnknownChoiceError
from core.security.uploads import TOO_LARGE, refusal

BROKER_WITHIN = 2  # seconds


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when database and broker answer, else 503; which of them does not, in JSON."""
    state = {"database": _database(), "broker": _broker()}
    return JsonResponse(state, status=200 if set(state.values()) == {"ok"} else 503)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, TOO_LARGE):
        return refusal(request, exception)
    reason = str(exception) if isinstance(exception, UnknownChoiceError) else ""
    return render(request, "400.html", {"reason": reason}, status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    reason = str(exception) if isinstance(exception, MissingError) else ""
    return render(request, "404.html", {"reason": reason}, status=404)


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "unreachable"
    return "ok"


def _broker() -> str:
    try:
        with current_app.connection_for_read() as broker:
            broker.ensure_connection(max_retries=1, timeout=BROKER_WITHIN)
    except (OperationalError, OSError):
        return "unreachable"
    return "ok"
