"""People, a set with a hidden split, and an endpoint that answers as it is told.

Ann submits, Bob is another account, Sam is staff, Sue administers.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.models import JudgmentSet
from tests.benchmarks.factories import make_set, write_lines


@pytest.fixture
def small(db: None, tmp_path: Path) -> JudgmentSet:
    """12 candidates and 4 minimal pairs."""
    return make_set(tmp_path, "small", pairs=4)


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def sam(db: None) -> User:
    return User.objects.create_user("sam", is_staff=True)


@pytest.fixture
def sue(db: None) -> User:
    return User.objects.create_user("sue", is_staff=True, is_superuser=True)


@pytest.fixture
def people(ann: User, bob: User, sam: User, sue: User) -> dict[str, Client]:
    found = {"visitor": Client()}
    for user in (ann, bob, sam, sue):
        found[user.username] = Client()
        found[user.username].force_login(user)
    return found


def score_lines(judgment_set: JudgmentSet, *, pairs: bool = False) -> list[dict[str, Any]]:
    """A distinct score for each candidate, and for each pair's members, the better one higher."""
    rows = judgment_set.candidates.order_by("position").values_list("position", "key")
    lines: list[dict[str, Any]] = [{"id": key, "score": at / 7} for at, key in rows]
    if pairs:
        keys = judgment_set.pairs.order_by("position").values_list("key", flat=True)
        lines += [{"id": key, "score1": 2 + at, "score2": 1} for at, key in enumerate(keys)]
    return lines


@pytest.fixture
def scores_file(tmp_path: Path) -> Callable[..., Path]:
    def written(lines: list[dict[str, Any]], name: str = "scores.jsonl") -> Path:
        return write_lines(tmp_path / name, lines)

    return written


class Endpoint:
    """A real HTTP server on this machine. `answers` are taken one a request, the last for good: a
    function from the payload to (status, headers, body), or to None for its usual answer."""

    def __init__(self) -> None:
        self.payloads: list[dict[str, Any]] = []
        self.answers: list[Callable[..., Any]] = [lambda payload: None]
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                payload = json.loads(self.rfile.read(length))
                endpoint.payloads.append(payload)
                answers = endpoint.answers
                answer = (answers.pop(0) if len(answers) > 1 else answers[0])(payload)
                if answer is None:
                    lengths = [float(len(item["candidate"])) for item in payload["items"]]
                    answer = (200, {}, json.dumps({"scores": lengths}).encode())
                status, headers, body = answer
                self.send_response(status)
                chunks = [body] if isinstance(body, bytes) else body
                if isinstance(body, bytes):
                    self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    for chunk in chunks:
                        self.wfile.write(chunk)
                        self.wfile.flush()
                except OSError:
                    pass  # the caller has had enough

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}/score?key=secret"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    found = Endpoint()
    yield found
    found.close()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Primary keys of the runs whose work was sent; nothing reaches a broker."""
    found: list[int] = []
    monkeypatch.setattr(
        "benchmarks.tasks.enqueue", lambda asked: found.extend(run.pk for run in asked)
    )
    return found
