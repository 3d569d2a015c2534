"""Requests, responses and routes of the pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mturk_sandbox.answers import Fields
from mturk_sandbox.engine import Engine

# The pages have no scripts. The tasks of requesters run in frames, to which this does not apply.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src * data:; media-src *; frame-src *; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
)


@dataclass(frozen=True)
class WebRequest:
    """A browser's request. `url` is the server's address from the browser's view."""

    method: str
    path: str
    query: dict[str, str]
    fields: Fields
    body: bytes
    worker: str
    url: str
    is_local: bool

    def field(self, name: str) -> str:
        """The first value of a form field, stripped; empty if it is missing."""
        return next((value.strip() for key, value in self.fields if key == name), "")


@dataclass(frozen=True)
class WebResponse:
    """A response. `headers` are added to content type and length."""

    status: int
    body: str = ""
    content_type: str = "text/html; charset=utf-8"
    headers: list[tuple[str, str]] = field(default_factory=list)


View = Callable[..., WebResponse]
ROUTES: list[tuple[str, str, View]] = []


def route(method: str, pattern: str) -> Callable[[View], View]:
    """Register a view for paths of this pattern; its groups are the view's arguments."""

    def registered(view: View) -> View:
        ROUTES.append((method, pattern, view))
        return view

    return registered


def redirect(address: str, *headers: tuple[str, str]) -> WebResponse:
    return WebResponse(303, headers=[("Location", address), *headers])


def json_response(document: Any, status: int = 200) -> WebResponse:
    return WebResponse(status, json.dumps(document, indent=1), "application/json")


__all__ = [
    "ROUTES",
    "Engine",
    "View",
    "WebRequest",
    "WebResponse",
    "json_response",
    "redirect",
    "route",
]
