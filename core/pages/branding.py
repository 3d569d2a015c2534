"""The operator's own name, logo and accent colour."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from environs import ValidationError

LOGO_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp"}
MAX_LOGO_BYTES = 200_000
_DAY = 24 * 3600


def check_logo(path: str) -> None:
    """Raise ValidationError unless the path is empty or an image of at most MAX_LOGO_BYTES."""
    if not path:
        return
    file = Path(path)
    if file.suffix.lower() not in LOGO_TYPES:
        raise ValidationError(f"{path} is no {', '.join(LOGO_TYPES)} file")
    try:
        size = file.stat().st_size
    except OSError as error:
        raise ValidationError(f"{path} cannot be read: {error.strerror}") from error
    if size > MAX_LOGO_BYTES:
        raise ValidationError(f"{path} has {size:,} bytes; {MAX_LOGO_BYTES:,} are the most")


def branding(request: HttpRequest) -> dict[str, object]:
    """A context processor: the site's name, whether it has a logo, and its colours' version."""
    accent = ",".join(settings.SITE_ACCENT)
    return {
        "site_name": settings.SITE_NAME,
        "has_logo": bool(settings.SITE_LOGO),
        "accent_version": hashlib.sha256(accent.encode()).hexdigest()[:8] if accent else "",
    }


@require_safe
@cache_control(public=True, max_age=_DAY)
def logo(request: HttpRequest) -> HttpResponse:
    """The operator's logo."""
    if not settings.SITE_LOGO:
        raise Http404("This site has no logo of its own.")
    file = Path(settings.SITE_LOGO)
    return HttpResponse(file.read_bytes(), content_type=LOGO_TYPES[file.suffix.lower()])


@require_safe
@cache_control(public=True, max_age=_DAY)
def colours(request: HttpRequest) -> HttpResponse:
    """A style sheet with the operator's accent colour."""
    if not settings.SITE_ACCENT:
        raise Http404("This site has no colours of its own.")
    light, dark = settings.SITE_ACCENT
    accent = f"light-dark({light}, {dark})"
    text = f":root {{ --link: {accent}; --focus: {accent}; }}\n"
    return HttpResponse(text, content_type="text/css; charset=utf-8")
