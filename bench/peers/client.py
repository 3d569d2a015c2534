"""A rater's browser: one connection, cookies, no page assets."""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

REDIRECTS = (301, 302, 303)
TIMEOUT = 60  # seconds; ends a hang


class UnansweredError(Exception):
    """The server did not respond, or is temporarily unavailable."""


class RefusedError(Exception):
    """The server responded with an error status."""

    def __init__(self, path: str, status: int, text: str) -> None:
        self.status, self.text = status, f"{status} {text[:200]}"
        super().__init__(f"{path}: {self.text}")


class Client:
    """One rater's connection to a site on this machine."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        self.cookies: dict[str, str] = {}
        self.path = ""  # of the last answer, after redirects

    def get(self, path: str) -> str:
        return self._follow("GET", path, None, {})

    def post_form(self, path: str, values: dict[str, str]) -> str:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._follow("POST", path, urlencode(values).encode(), headers)

    def post_json(self, path: str, content: Any, **headers: str) -> str:
        """POST `content`; underscores in the names of `headers` become hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named["Content-Type"] = "application/json"
        return self._follow("POST", path, json.dumps(content).encode(), named)

    def _follow(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> str:
        for _ in range(6):
            status, location, text = self._ask(method, path, body, headers)
            self.path = path
            if status >= 500:
                raise UnansweredError(f"{path}: {status}")
            if status >= 400:
                raise RefusedError(path, status, text)
            if status not in REDIRECTS:
                return text
            moved = urlsplit(urljoin(path, location))
            path = moved.path + (f"?{moved.query}" if moved.query else "")
            method, body, headers = "GET", None, {}
        raise RefusedError(path, status, "redirects without end")

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, str, str]:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            self._connection.request(method, path, body, {**headers, "Cookie": cookie})
            answer = self._connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except (OSError, HTTPException) as error:
            self._connection.close()
            raise UnansweredError(str(error)) from error
        for line in answer.headers.get_all("Set-Cookie", []):
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        return answer.status, answer.getheader("Location", ""), text
