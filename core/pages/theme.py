"""The theme of the pages: that of the reader's system, light or dark.

A cookie stores the reader's choice, so that the server writes it into each page: no script is
needed, and no page changes its colours after it was shown.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

COOKIE = "theme"
COOKIE_SECONDS = 365 * 24 * 3600
# By its value in the cookie; the system's has no cookie.
THEMES = {
    "": gettext_lazy("System"),
    "light": gettext_lazy("Light"),
    "dark": gettext_lazy("Dark"),
}


def theme_of(request: HttpRequest) -> dict[str, object]:
    """A context processor: the reader's theme, and all there are."""
    theme = request.COOKIES.get(COOKIE, "")
    return {"theme": theme if theme in THEMES else "", "themes": THEMES.items()}


@csrf_exempt  # raters' pages have no CSRF cookie, and a theme harms nobody
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Store the theme of the form and return to the page `next` of this site."""
    address = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(
        address, {request.get_host()}, require_https=request.is_secure()
    ):
        address = "/"
    response = HttpResponseRedirect(address)
    theme = request.POST.get("theme", "")
    if theme in THEMES and theme:
        response.set_cookie(
            COOKIE,
            theme,
            max_age=COOKIE_SECONDS,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    elif theme in THEMES:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
