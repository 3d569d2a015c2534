"""Error pages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from core.pages.errors import MissingError, UnknownChoiceError
from core.security.uploads import TOO_LARGE, refuse


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, TOO_LARGE):
        return refuse(request, exception)
    reason = str(exception) if isinstance(exception, UnknownChoiceError) else ""
    return render(request, "400.html", {"reason": reason}, status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    reason = str(exception) if isinstance(exception, MissingError) else ""
    return render(request, "404.html", {"reason": reason}, status=404)
