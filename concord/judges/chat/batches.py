"""Batches: many requests that a server answers within a day at a lower price (OpenAI's protocol).

A batch is written down before it is made, with a tag that the server stores: a run that is killed
at any point finds its batch again and pays for nothing twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Generic
from uuid import uuid4

import httpx

from concord.formats.score_writer import replace_file
from concord.judges.chat.asking import (
    MAX_TRIES,
    AnswerLog,
    BudgetSpentError,
    Question,
    RequestBudget,
)
from concord.judges.chat.client import CHAT_PATH, RETRY_STATUSES, ChatClient, ChatError, open_http
from concord.retries import retry_pause

BATCH_REQUESTS, BATCH_BYTES = 50_000, 190 * 2**20
"""The most requests and bytes of one batch; a provider allows 50,000 and 200 MB."""
POLL_SECONDS = 30.0
ENDED = ("completed", "failed", "expired", "cancelled")
TAG = "concord"


@dataclass(frozen=True)
class RequestBatch:
    """status: the server's word. files: ids of the answers and of the errors. reason: why the
    server refused it."""

    id: str
    status: str
    files: tuple[str, ...]
    reason: str


class BatchServer:
    """The batch endpoints of a server. Errors as of `HttpTransport`; requests that change nothing
    are tried MAX_TRIES times."""

    def __init__(self, endpoint: str, key: str = "", *, timeout: float = 120.0) -> None:
        self._url = endpoint.rstrip("/")
        self._http, self.host = open_http(endpoint, key, timeout)

    def create(self, lines: bytes, tag: str) -> RequestBatch:
        """Upload requests, one JSON object a line, and make a batch of them."""
        upload = {"file": ("requests.jsonl", lines, "application/jsonl")}
        file = self._json("POST", "/files", data={"purpose": "batch"}, files=upload)
        body = {
            "input_file_id": file.get("id"),
            "endpoint": f"/v1{CHAT_PATH}",
            "completion_window": "24h",
            "metadata": {TAG: tag},
        }
        return self._batch(self._json("POST", "/batches", json=body))

    def find(self, tag: str) -> RequestBatch | None:
        """The batch with this tag among the last hundred; None where there is none."""
        rows = self._json("GET", "/batches", params={"limit": 100}).get("data") or []
        tagged = [row for row in rows if (row.get("metadata") or {}).get(TAG) == tag]
        return self._batch(tagged[0]) if tagged else None

    def read(self, name: str) -> RequestBatch:
        return self._batch(self._json("GET", f"/batches/{name}"))

    def answers(self, batch: RequestBatch) -> Iterator[dict[str, Any]]:
        """The lines of its answers and errors."""
        for name in batch.files:
            for line in self._send("GET", f"/files/{name}/content").content.splitlines():
                if line.strip():
                    yield _parsed(line, self.host)

    def close(self) -> None:
        self._http.close()

    def _batch(self, body: Mapping[str, Any]) -> RequestBatch:
        try:
            errors = (body.get("errors") or {}).get("data") or []
            names = (body.get("output_file_id"), body.get("error_file_id"))
            return RequestBatch(
                str(body["id"]),
                str(body["status"]),
                tuple(str(name) for name in names if name),
                "; ".join(str(one.get("message", "")) for one in errors[:3]),
            )
        except (LookupError, TypeError, AttributeError) as error:
            message = f"the answer is not of the batch protocol: {error!r}"
            raise ChatError(message, was_sent=True, is_final=True) from error

    def _json(self, method: str, path: str, **parts: Any) -> dict[str, Any]:
        return _parsed(self._send(method, path, **parts).content, self.host)

    def _send(self, method: str, path: str, **parts: Any) -> httpx.Response:
        failures = 0
        while True:
            try:
                response = self._http.request(method, f"{self._url}{path}", **parts)
            except httpx.HTTPError as error:
                message = f"{self.host} did not answer: {error or type(error).__name__}"
                final = False
            else:
                if response.status_code == 200:
                    return response
                text = response.text[:300]
                message = f"{self.host} answered {response.status_code} to {path}: {text}"
                final = response.status_code not in RETRY_STATUSES
            failures += 1
            # A POST may have been carried out: the next run looks for its batch.
            if final or method != "GET" or failures == MAX_TRIES:
                raise ChatError(message, was_sent=True, is_final=final)
            time.sleep(retry_pause(failures))


@dataclass(frozen=True)
class _Failure:
    """Why a request has no answer, and whether it may have been paid for."""

    reason: str
    is_paid: bool = False


@dataclass(frozen=True)
class BatchKeys(Generic[Question]):
    """The names of questions. of: that of one, at most 64 characters, the same in every run.
    stored: those with stored answers. file: where those of the open batch are written down."""

    of: Callable[[Question], str]
    stored: Container[str]
    file: Path


class BatchAsker(Generic[Question]):
    """Asks one client's questions by batches, within one budget."""

    def __init__(
        self,
        client: ChatClient,
        server: BatchServer,
        budget: RequestBudget,
        answers: AnswerLog[Question],
        keys: BatchKeys[Question],
        *,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._client, self._server = client, server
        self._budget, self._answers, self._keys = budget, answers, keys
        self._poll_seconds = poll_seconds

    def ask_all(
        self,
        prompts: Iterable[tuple[Question, str]],
        *,
        on_answer: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask every question; `on_answer` is called after each that is stored.

        An open batch of an earlier run comes first. Raises as `Asker.ask_all`, ChatError too where
        requests of a batch failed, which are asked when it is called again, and ValueError where an
        open batch has questions that are not asked now.
        """
        waiting = {self._keys.of(question): (question, prompt) for question, prompt in prompts}
        failures: list[str] = []
        if self._keys.file.exists():
            failures += self._finish(waiting, on_answer)
        for key, one in list(waiting.items()):
            if self._answers.copy_answer(*one):
                del waiting[key]
                on_answer()
        while waiting and not failures:
            spent = self._open(waiting)
            failures += self._finish(waiting, on_answer)
            if spent is not None:
                raise spent
        if failures:
            raise ChatError(
                f"{len(failures):,} requests of the batch have no answer, such as: {failures[0]}",
                was_sent=False,
                is_final=True,
            )

    def _open(self, waiting: Mapping[str, tuple[Question, str]]) -> BudgetSpentError | None:
        """Make a batch of as many questions as one may have; the error where the budget ends it.

        Raises BudgetSpentError where it has none."""
        lines: list[tuple[str, bytes]] = []
        spent, size = None, 0
        for key, (question, prompt) in islice(waiting.items(), BATCH_REQUESTS):
            line = self._line(key, prompt)
            if (size := size + len(line)) > BATCH_BYTES and lines:
                break
            reserved = self._client.reservation(prompt)
            try:
                self._budget.reserve(reserved)
            except BudgetSpentError as error:
                if not lines:
                    raise
                spent = error
                break
            self._answers.add_request(question, reserved)
            lines.append((key, line))
        tag, keys = uuid4().hex, [key for key, _ in lines]
        self._write_state({"tag": tag, "batch": "", "keys": keys})
        batch = self._server.create(b"".join(line for _, line in lines), tag)
        self._write_state({"tag": tag, "batch": batch.id, "keys": keys})
        return spent

    def _line(self, key: str, prompt: str) -> bytes:
        request = {"custom_id": key, "method": "POST", "url": f"/v1{CHAT_PATH}"}
        return json.dumps(request | {"body": self._client.body(prompt)}).encode() + b"\n"

    def _finish(
        self, waiting: dict[str, tuple[Question, str]], on_answer: Callable[[], None]
    ) -> list[str]:
        """Wait for the open batch and store its answers, which are no longer waiting. What each
        request without an answer failed by."""
        state = json.loads(self._keys.file.read_bytes())
        others = [
            key for key in state["keys"] if key not in waiting and key not in self._keys.stored
        ]
        if others:
            raise ValueError(
                f"{self._keys.file} is an open batch with {len(others):,} requests that this "
                "command does not ask: run the earlier command again, or delete the file"
            )
        if state["batch"]:
            batch: RequestBatch | None = self._server.read(state["batch"])
        else:
            batch = self._server.find(state["tag"])
        while batch is not None and batch.status not in ENDED:
            time.sleep(self._poll_seconds)
            batch = self._server.read(batch.id)
        failures = {key: _Failure("there is no batch") for key in state["keys"] if key in waiting}
        if batch is not None:
            reason = _Failure(batch.reason or f"the batch is {batch.status}")
            failures = dict.fromkeys(failures, reason)
            for row in self._server.answers(batch):
                key = str(row.get("custom_id"))
                if key not in waiting:
                    continue
                failure = self._store(waiting[key], row)
                if failure is None:
                    del waiting[key], failures[key]
                    on_answer()
                else:
                    failures[key] = failure
        for key, failure in failures.items():
            question, prompt = waiting[key]
            if not failure.is_paid:
                self._budget.replace(self._client.reservation(prompt), (0, 0))
                self._answers.add_free_request(question)
        self._keys.file.unlink()
        # Nothing was asked where there is no batch: the next one has these questions.
        return [] if batch is None else [failure.reason for failure in failures.values()]

    def _store(self, one: tuple[Question, str], row: Mapping[str, Any]) -> _Failure | None:
        """Store the answer in a line; why there is none."""
        question, prompt = one
        response = row.get("response") or {}
        if response.get("status_code") != 200:
            return _Failure(json.dumps(row.get("error") or response.get("body"))[:300])
        try:
            answer = self._client.read(response.get("body"), 0.0)
        except ChatError as error:
            return _Failure(str(error), is_paid=True)
        reserved = self._client.reservation(prompt)
        self._answers.add_answer(question, prompt, answer, reserved)
        self._budget.replace(reserved, answer.tokens or reserved)
        self._answers.check_version(question, answer)
        return None

    def _write_state(self, state: Mapping[str, object]) -> None:
        replace_file(self._keys.file, [json.dumps(state)])


def _parsed(content: bytes, host: str) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ChatError(f"{host} answered no JSON", was_sent=True, is_final=True) from error
    if type(body) is not dict:
        raise ChatError(f"{host} answered no JSON object", was_sent=True, is_final=True)
    return body
