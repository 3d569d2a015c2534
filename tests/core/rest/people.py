"""API clients of tests: people of every role, with tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.http.response import HttpResponseBase
from django.test import Client
from django.utils.timezone import now

from core.accounts import tokens

BASE = "/api/v1"


@dataclass
class Caller:
    """Calls the API with a token, or as a visitor without one."""

    token: str = ""
    client: Client = field(default_factory=Client)

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(BASE + path, headers=self._headers(headers))

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self._send("post", path, body, headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Any:
        return self._send("put", path, body, headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self._send("patch", path, body, headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.client.delete(BASE + path, headers=self._headers(headers))

    def upload(self, path: str, form: dict[str, Any], **headers: str) -> Any:
        """A multipart form, with files in it."""
        return self.client.post(BASE + path, form, headers=self._headers(headers))

    def _send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        sent = "" if body is None else json.dumps(body)
        return getattr(self.client, method)(
            BASE + path, sent, content_type="application/json", headers=self._headers(headers)
        )

    def _headers(self, headers: dict[str, str]) -> dict[str, str]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return named | ({"Authorization": f"Bearer {self.token}"} if self.token else {})


def person(name: str, **fields: bool) -> User:
    return User.objects.create_user(name, **fields)


def caller(user: User, *scopes: str) -> Caller:
    """A client with a token of these scopes; all scopes by default."""
    ends = now() + timedelta(days=1)
    _, presented = tokens.make(user, "tests", scopes or tokens.SCOPES, expires_at=ends, at=now())
    return Caller(presented)


def read_stream(response: HttpResponseBase) -> bytes:
    """The complete content of a streamed response."""
    return b"".join(response)  # type: ignore[arg-type]
