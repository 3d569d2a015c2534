"""Slow and greedy clients against the web server of `make run`: everybody else is served."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.annotation.studies import people
from tests.waiting import wait_for
from tests.web_site import WebSite

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
MEGABYTE = 1024 * 1024
BOUNDARY = "x-boundary-x"


@pytest.fixture
def site(database_url: str, tmp_path: Path) -> Iterator[WebSite]:
    found = WebSite(database_url, tmp_path / "site.log", WEB_THREADS="8")
    found.start()
    wait_for(lambda: answers(found), 60)
    yield found
    found.stop()


def answers(site: WebSite, within: float = 5.0) -> float | None:
    """How long the site takes to say that it is well; None when it does not."""
    started = time.monotonic()
    connection = http.client.HTTPConnection(site.host, site.port, timeout=within)
    with closing(connection):
        try:
            connection.request("GET", "/sign-in/")
            answer = connection.getresponse()
            answer.read()
        except OSError:
            return None
    return time.monotonic() - started if answer.status == 200 else None


def head(length: int, path: str = "/sign-in/", cookie: str = "") -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        f"Content-Length: {length}",
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}",
    ]
    if cookie:
        lines.append(f"Cookie: {cookie}")
    return "\r\n".join([*lines, "", ""]).encode()


class SlowClients:
    """`count` connections that send `first`, then a byte a second, until they are stopped."""

    def __init__(self, site: WebSite, count: int, first: bytes) -> None:
        self.open = [socket.create_connection((site.host, site.port)) for _ in range(count)]
        for client in self.open:
            client.send(first)
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._trickle)
        self.thread.start()

    def _trickle(self) -> None:
        while not self.stopped.wait(1.0):
            for client in list(self.open):
                try:
                    client.send(b"a")
                except OSError:
                    self.open.remove(client)

    def stop(self) -> None:
        self.stopped.set()
        self.thread.join()
        for client in self.open:
            client.close()


@pytest.mark.parametrize(
    ("count", "first"),
    [
        (300, b""),
        (300, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-"),
        (300, head(1000)),
        (100, head(1_500_000)),
    ],
    ids=["say nothing", "slow heads", "slow small bodies", "slow large bodies"],
)
def test_slow_clients_keep_nobody_else_waiting_and_are_given_up(site, count, first):
    slow = SlowClients(site, count, first)
    try:
        taken = [answers(site) for _ in range(40) if time.sleep(0.25) is None]
        assert None not in taken
        assert sorted(taken)[len(taken) // 2] < 1.0
        if first:
            wait_for(lambda: not slow.open, 60)
    finally:
        slow.stop()
    assert answers(site) is not None


def signed_in(user: User) -> tuple[str, str]:
    """Cookies of a person, and the token for the form."""
    client = Client()
    client.force_login(user)
    client.get("/sign-in/")
    session, token = client.cookies["sessionid"].value, client.cookies["csrftoken"].value
    return f"sessionid={session}; csrftoken={token}", token


def upload(site: WebSite, path: str, cookie: str, token: str, size: int, said: int | None = None):
    """POST a file of `size` bytes; status, page and how many bytes the server let through."""
    before = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n'
        f'{token}\r\n--{BOUNDARY}\r\nContent-Disposition: form-data; name="use"\r\n\r\nrated\r\n'
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n'
        "Content-Type: text/plain\r\n\r\n"
    ).encode()
    after = f"\r\n--{BOUNDARY}--\r\n".encode()
    length = len(before) + size + len(after)
    connection = socket.create_connection((site.host, site.port), timeout=60)
    with closing(connection):
        connection.sendall(head(said or length, path, cookie) + before)
        line = b'{"id": "1", "references": ["a"], "candidate": "b"}' + b" " * 973 + b"\n"
        sent = 0
        try:
            while sent < size:
                sent += connection.send(line * 64)
            connection.sendall(after)
        except OSError:
            pass  # it has heard enough
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, answer.read().decode(), sent


def memory(site: WebSite) -> int:
    assert site.master is not None
    return max(child.memory_info().rss for child in psutil.Process(site.master.pid).children())


def test_an_upload_of_300_megabytes_is_refused_before_it_is_read(site):
    study = people.new_study(people.researcher())
    cookie, token = signed_in(study.owner)
    path = f"/studies/{study.slug}/candidates/upload"
    before = memory(site)
    started = time.monotonic()
    status, page, sent = upload(site, path, cookie, token, 300 * MEGABYTE)
    assert status == 413 and "64 MB" in page
    assert sent < 60 * MEGABYTE and time.monotonic() - started < 20
    assert memory(site) - before < 50 * MEGABYTE
    assert answers(site) is not None


def test_one_that_says_it_is_small_is_read_no_further_than_it_said(site):
    study = people.new_study(people.researcher())
    cookie, token = signed_in(study.owner)
    path = f"/studies/{study.slug}/candidates/upload"
    status, _, sent = upload(site, path, cookie, token, 300 * MEGABYTE, said=MEGABYTE)
    assert status in (400, 413, 422) and sent < 60 * MEGABYTE
    assert study.uploads.count() == 0


def test_a_large_upload_within_the_limit_lies_on_disk_while_it_is_read(site):
    study = people.new_study(people.researcher())
    cookie, token = signed_in(study.owner)
    path = f"/studies/{study.slug}/candidates/upload"
    status, _, _ = upload(site, path, cookie, token, 20 * MEGABYTE)
    assert status == 302 and study.uploads.count() == 1
