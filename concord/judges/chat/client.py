"""Requests to a server that speaks the OpenAI chat protocol."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from concord.formats.judge_answers import MAX_MODEL
from concord.judges.chat.schemas import response_format
from concord.retries import read_retry_after

RETRY_STATUSES = (408, 409, 429, 500, 502, 503, 504)
TOP_LOGPROBS = 20
LOOPBACK = ("localhost", "127.0.0.1", "::1")
CHAT_PATH = "/chat/completions"


class ChatError(RuntimeError):
    """The server refused, failed, or cannot be reached. was_sent: the request may have been paid
    for; is_final: other requests would fail, too; retry_after: the seconds that the server asked
    to wait."""

    def __init__(
        self, message: str, *, was_sent: bool, is_final: bool, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.was_sent, self.is_final, self.retry_after = was_sent, is_final, retry_after


@dataclass(frozen=True)
class ChatAnswer:
    """text: the model's answer. logprobs: see `read_verdict`. model: its version as the server
    names it, printable, at most MAX_MODEL characters. tokens: (prompt, completion) as the server
    counts them, not negative, None where it does not. by_schema: whether the server was asked to
    answer by JSON schema, and took it."""

    text: str
    logprobs: list[dict[str, float]] | None
    model: str
    tokens: tuple[int, int] | None
    seconds: float
    by_schema: bool = False


@dataclass(frozen=True)
class HttpAnswer:
    """A server's answer. body: may be empty where the status is not 200. retry_after: the seconds
    that the server asked to wait."""

    status: int
    body: bytes
    retry_after: float | None = None


class Transport(Protocol):
    """What sends the requests of a `ChatClient`."""

    @property
    def host(self) -> str: ...

    def post(self, body: bytes) -> HttpAnswer:
        """The server's answer to JSON, sent once. Raises ChatError without an answer."""

    def close(self) -> None:
        """Close connections."""


def open_http(endpoint: str, key: str, timeout: float) -> tuple[httpx.Client, str]:
    """(a client, which follows no redirects, the endpoint's host).

    endpoint: the base URL, such as https://api.openai.com/v1. key: sent as a bearer token. Raises
    ValueError for an invalid endpoint, an invalid key, and a key that would leave this machine
    unencrypted.
    """
    url = httpx.URL(endpoint)
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(f"the endpoint '{endpoint}' is no address of the form https://HOST/v1")
    if fault := key_fault(key):
        raise ValueError(f"the key {fault}")
    if key and url.scheme == "http" and url.host not in LOOPBACK:
        raise ValueError(f"the key is not sent unencrypted: use https for {url.host}")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.Client(headers=headers, timeout=timeout, follow_redirects=False), url.host


class HttpTransport:
    """Requests by httpx; arguments and errors as of `open_http`."""

    def __init__(self, endpoint: str, key: str = "", *, timeout: float = 120.0) -> None:
        self._http, self.host = open_http(endpoint, key, timeout)
        self._url = f"{endpoint.rstrip('/')}{CHAT_PATH}"

    def post(self, body: bytes) -> HttpAnswer:
        try:
            headers = {"Content-Type": "application/json"}
            response = self._http.post(self._url, content=body, headers=headers)
        except httpx.ConnectError as error:
            raise ChatError(
                f"{self.host} cannot be reached: {error}", was_sent=False, is_final=False
            ) from error
        except httpx.HTTPError as error:
            message = f"{self.host} did not answer: {error or type(error).__name__}"
            raise ChatError(message, was_sent=True, is_final=False) from error
        wait = read_retry_after(response.headers.get("Retry-After"))
        return HttpAnswer(response.status_code, response.content, wait)

    def close(self) -> None:
        self._http.close()


class ChatClient:
    """One model behind one transport.

    max_completion: the most tokens of an answer. temperature: 0 for one answer. schema: a JSON
    schema of the answers; a server that refuses the first request with 400 is asked again without
    it, and so are all later ones. is_schema_taken: whether it answered by the schema before.
    """

    def __init__(
        self,
        transport: Transport,
        model: str,
        *,
        max_completion: int = 16,
        temperature: float = 0.0,
        logprobs: bool = True,
        schema: dict[str, Any] | None = None,
        is_schema_taken: bool = False,
    ) -> None:
        self._transport, self.model = transport, model
        self.max_completion, self.temperature = max_completion, temperature
        self.logprobs, self.schema = logprobs, schema
        self._is_schema_taken = is_schema_taken

    def close(self) -> None:
        self._transport.close()

    @property
    def host(self) -> str:
        return self._transport.host

    def reservation(self, prompt: str) -> tuple[int, int]:
        """The most tokens that one try can use, as `most_tokens`."""
        return most_tokens(prompt, self.max_completion, self.schema)

    def ask(self, prompt: str) -> ChatAnswer:
        """Send one prompt, once. Raises ChatError."""
        schema = self.schema
        started = time.perf_counter()
        response = self._transport.post(json.dumps(self.body(prompt)).encode())
        if response.status == 400 and schema is not None and not self._is_schema_taken:
            self.schema = None
            return self.ask(prompt)
        if response.status != 200:
            raise self._refusal(response)
        try:
            body = json.loads(response.body)
        except (ValueError, RecursionError) as error:
            raise ChatError(str(error), was_sent=True, is_final=False) from error
        answer = self.read(body, time.perf_counter() - started)
        self._is_schema_taken |= schema is not None
        return answer

    def body(self, prompt: str) -> dict[str, Any]:
        """The JSON of a request with one prompt, to be answered by the schema if there is one."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": self.max_completion,
            "temperature": self.temperature,
        }
        if self.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        if self.schema is not None:
            body["response_format"] = response_format(self.schema)
        return body

    def read(self, body: Any, seconds: float) -> ChatAnswer:
        """The answer in the JSON of a response to `body`. Raises ChatError if it is not of the
        protocol."""
        try:
            choice = body["choices"][0]
            text = choice["message"]["content"] or ""
            if type(text) is not str:
                raise TypeError("the content is not text")
            content = (choice.get("logprobs") or {}).get("content")
            logprobs = content and [
                {
                    str(top["token"]): float(top["logprob"])
                    for top in ([token] if "token" in token else []) + token.get("top_logprobs", [])
                }
                for token in content
            ]
            tokens = None
            if usage := body.get("usage"):
                tokens = int(usage["prompt_tokens"]), int(usage["completion_tokens"])
                if min(tokens) < 0:
                    raise ValueError("the usage is negative")
            model = "".join(filter(str.isprintable, str(body.get("model") or "")))[:MAX_MODEL]
        except (ArithmeticError, ValueError, LookupError, TypeError, AttributeError) as error:
            message = f"the answer is not of the chat protocol: {error!r}"
            raise ChatError(message, was_sent=True, is_final=False) from error
        by_schema = self.schema is not None
        return ChatAnswer(text, logprobs, model, tokens, seconds, by_schema)

    def _refusal(self, response: HttpAnswer) -> ChatError:
        """The error of an answer with another status than 200."""
        message, status = f"{self.host} answered {response.status}", response.status
        is_final = status not in RETRY_STATUSES
        if is_final and response.body:
            message += f": {response.body.decode(errors='replace')[:300]}"
        return ChatError(
            message, was_sent=status >= 500, is_final=is_final, retry_after=response.retry_after
        )


def key_fault(key: str) -> str:
    """Why a header cannot have the key, in words that do not repeat it; "" if it can."""
    if key.isascii() and key.isprintable():
        return ""
    return "has a character that is not printable ASCII, such as a line break"


def most_tokens(
    prompt: str, max_completion: int, schema: dict[str, Any] | None = None
) -> tuple[int, int]:
    """The most tokens (prompt, completion) of one request: a token has one byte or more of the
    prompt and of the schema of answers, and 64 are left for what the protocol adds."""
    of_schema = 0 if schema is None else len(json.dumps(response_format(schema)))
    return len(prompt.encode()) + of_schema + 64, max_completion
