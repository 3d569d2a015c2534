"""Headers of all responses, including static files and errors."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Browser features that no page of the site may use, nor a frame in it.
DISABLED_FEATURES = (
    "accelerometer",
    "autoplay",
    "browsing-topics",
    "camera",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "usb",
    "xr-spatial-tracking",
)
HEADERS = {
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in DISABLED_FEATURES),
    # Other sites may not embed resources of this one. The content security policy rules frames.
    "Cross-Origin-Resource-Policy": "same-origin",
}


class HeadersMiddleware:
    """Adds HEADERS to responses that do not set them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response
