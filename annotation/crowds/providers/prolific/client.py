"""The one door to Prolific: a token from the environment, and what its refusals mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import httpx

from annotation.crowds.providers.provider import AccountError, CrowdBusyError, CrowdError

PRODUCTION = "production"
ENDPOINT = "https://api.prolific.com/api/v1"
TOKEN = "PROLIFIC_TOKEN"
PAGE = 100


class ProlificError(CrowdError):
    """A request that Prolific refused; `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"Prolific says: {message}")
        self.status = status


class Client:
    """Requests to one place. The token is read when it is needed, and kept nowhere."""

    def __init__(self, place: str) -> None:
        self.endpoint = (ENDPOINT if place in ("", PRODUCTION) else place).rstrip("/")
        self._http: httpx.Client | None = None

    def __call__(self, method: str, path: str, content: object = None, **query: str) -> Any:
        """One request; the answer's JSON, None where it is empty. Raises CrowdError."""
        token = os.environ.get(TOKEN, "")
        if not token:
            raise AccountError(
                f"There is no Prolific token. Make one in Prolific's settings, and give it to the "
                f"process as {TOKEN}."
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
            return answer.json() if answer.content else None
        raise _understood(answer)

    def pages(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        """Every result of a listing, page after page."""
        page = 1
        while True:
            found = self("GET", path, **query, page=str(page), page_size=str(PAGE))
            yield from found["results"]
            if len(found["results"]) < PAGE:
                return
            page += 1


def _understood(answer: httpx.Response) -> CrowdError:
    said = _message(answer)
    if answer.status_code in (401, 403):
        return AccountError(f"Prolific does not take the token ({said}). Renew {TOKEN}.")
    if answer.status_code == 429 or answer.status_code >= 500:
        return CrowdBusyError(f"Prolific asks to wait: {said}")
    if "balance" in said.lower() or "funds" in said.lower():
        return AccountError(f"The account's balance is too small: {said}. Add money to it.")
    return ProlificError(answer.status_code, said)


def _message(answer: httpx.Response) -> str:
    """Prolific's own words; a problem by field is told with its field."""
    try:
        error = answer.json().get("error", {})
        detail = error.get("detail") or error.get("title") or answer.text
    except (ValueError, AttributeError):
        detail = answer.text
    if isinstance(detail, dict):
        detail = "; ".join(f"{name}: {text}" for name, text in detail.items())
    return str(detail)[:500] or f"status {answer.status_code}"
