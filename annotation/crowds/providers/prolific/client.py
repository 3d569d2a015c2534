"""Access to Prolific's REST API: its token, and the meaning of errors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import httpx

from annotation.crowds.providers.provider import (
    AccountError,
    Credentials,
    CrowdBusyError,
    CrowdError,
)

PRODUCTION = "production"
ENDPOINT = "https://api.prolific.com/api/v1"
TOKEN = "PROLIFIC_TOKEN"
PAGE = 100


# An object of an answer of Prolific: JSON.
ProlificAnswer = dict[str, Any]


class ProlificError(CrowdError):
    """A request that Prolific refused; `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"Prolific says: {message}")
        self.status = status


class ProlificClient:
    """Requests to one environment. The token is read for each request: without one that was
    entered on a page, from the process's environment."""

    def __init__(self, environment: str) -> None:
        self.endpoint = (ENDPOINT if environment in ("", PRODUCTION) else environment).rstrip("/")
        self.credentials: Credentials = lambda: os.environ
        self._http: httpx.Client | None = None

    def __call__(self, method: str, path: str, content: object = None, **query: str) -> Any:  # noqa: ANN401 - JSON of any kind
        """Make one request; returns its JSON, or None if it is empty. Raises CrowdError."""
        token = self.credentials().get(TOKEN, "")
        if not token:
            raise AccountError(
                "There is no Prolific token. Create one in Prolific's settings; an administrator "
                f"enters it on the page Crowd accounts, or sets {TOKEN} in the environment of the "
                "process."
            )
        if self._http is None:
            self._http = httpx.Client(timeout=httpx.Timeout(30.0, connect=10.0))
        try:
            answer = self._http.request(
                method,
                f"{self.endpoint}/{path}",
                json=content,
                params=query,
                headers={"Authorization": f"Token {token}"},
            )
        except httpx.HTTPError as error:
            raise CrowdBusyError(f"{self.endpoint} does not answer: {error}") from error
        if answer.is_success:
            return _read(answer)
        raise _translate_error(answer)

    def pages(self, path: str, **query: str) -> Iterator[ProlificAnswer]:
        """Yield every result of a paginated resource."""
        page = 1
        while True:
            answer = self("GET", path, **query, page=str(page), page_size=str(PAGE))
            yield from answer["results"]
            if len(answer["results"]) < PAGE:
                return
            page += 1


def _read(answer: httpx.Response) -> Any:  # noqa: ANN401 - JSON of any kind
    """The JSON of an answer, None if it is empty.

    Raises CrowdBusyError for another text, such as the page of a proxy: whether the request
    had its effect is unknown, so it is made again as a retry.
    """
    try:
        return answer.json() if answer.content else None
    except ValueError as error:
        raise CrowdBusyError(f"{answer.url} answered with something other than JSON.") from error


def _translate_error(answer: httpx.Response) -> CrowdError:
    message = _message(answer)
    if answer.status_code in (401, 403):
        return AccountError(f"Prolific rejects the token ({message}). Renew it.")
    if answer.status_code == 429 or answer.status_code >= 500:
        return CrowdBusyError(f"Prolific is busy: {message}")
    if "balance" in message.lower() or "funds" in message.lower():
        return AccountError(f"The account's balance is too small: {message}. Add money to it.")
    return ProlificError(answer.status_code, message)


def _message(answer: httpx.Response) -> str:
    """Prolific's error message; a problem with a field is prefixed by the field's name."""
    try:
        error = answer.json().get("error", {})
        detail = error.get("detail") or error.get("title") or answer.text
    except (ValueError, AttributeError):
        detail = answer.text
    if isinstance(detail, dict):
        detail = "; ".join(f"{name}: {text}" for name, text in detail.items())
    return str(detail)[:500] or f"status {answer.status_code}"
