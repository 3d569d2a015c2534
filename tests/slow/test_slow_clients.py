"""Slow and greedy clients of the site behind nginx (deploy/): other clients are served."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.annotation import people
from tests.benchmarks.factories import make_set
from tests.deploy.proxy import Proxy, site_behind_nginx
from tests.waiting import wait_for
from tests.web_site import WebSite

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
MEGABYTE = 1024 * 1024
BOUNDARY = "x-boundary-x"
THREADS = 16  # of the web server: 2 processes with 8 each
REQUESTS_OF_AN_ADDRESS = 100  # limit_conn in deploy/nginx/concord.conf


@pytest.fixture
def site_and_proxy(database_url: str, tmp_path: Path) -> Iterator[tuple[WebSite, Proxy]]:
    options = {"WEB_WORKERS": "2", "WEB_THREADS": "8", "RATE_LIMIT_DOWNLOAD": "unlimited"}
    with site_behind_nginx(database_url, tmp_path, **options) as both:
        yield both


@pytest.fixture
def site(site_and_proxy: tuple[WebSite, Proxy]) -> WebSite:
    return site_and_proxy[0]


@pytest.fixture
def proxy(site_and_proxy: tuple[WebSite, Proxy]) -> Proxy:
    return site_and_proxy[1]


def head(length: int, path: str = "/sign-in/", cookie: str = "", port: int = 443) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: localhost:{port}",
        f"Origin: https://localhost:{port}",
        f"Content-Length: {length}",
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}",
    ]
    if cookie:
        lines.append(f"Cookie: {cookie}")
    return "\r\n".join([*lines, "", ""]).encode()


class SlowClients:
    """`count` connections that send `first`, then a byte a second, until they are stopped.

    `connect` opens one. `open` holds those that the server has not closed.
    """

    def __init__(self, connect: Callable[[], socket.socket], count: int, first: bytes) -> None:
        self.open = [connect() for _ in range(count)]
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


def seconds_to_answer(answers: Callable[[], float | None], times: int = 40) -> list[float | None]:
    """The seconds that `times` requests of the sign-in page take another client."""
    taken = [answers() for _ in range(times) if time.sleep(0.25) is None]
    served = sorted(one for one in taken if one is not None)
    if served:
        median, longest = served[len(served) // 2], served[-1]
        print(f"\n{len(served)} of {times} served, median {median:.3f} s, longest {longest:.3f} s")
    return taken


def assert_others_are_served(proxy: Proxy) -> None:
    taken = seconds_to_answer(proxy.answers)
    assert None not in taken
    assert sorted(taken)[len(taken) // 2] < 1.0


@pytest.mark.parametrize(
    ("first", "stay"),
    [
        (b"", 0),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-", 0),
        (head(1000), REQUESTS_OF_AN_ADDRESS),
        (head(1_500_000), REQUESTS_OF_AN_ADDRESS),
    ],
    ids=["say nothing", "slow heads", "slow small bodies", "slow large bodies"],
)
def test_slow_senders_keep_nobody_else_waiting(proxy, first, stay):
    """Those without a whole header are given up. nginx knows no least rate for bodies: of those
    from one address, as many stay as it allows, and occupy none of the web server's threads."""
    connect = proxy.connect if first else proxy.connect_without_tls
    slow = SlowClients(connect, 300, first)
    try:
        assert_others_are_served(proxy)
        wait_for(lambda: len(slow.open) <= stay)
        assert proxy.answers() is not None
    finally:
        slow.stop()


def test_slow_readers_keep_nobody_else_waiting(site, proxy, tmp_path):
    """More clients than the web server has threads ask for some megabytes and do not read them:
    nginx takes all responses from the web server, whose threads are free again."""
    folder = tmp_path / "set"
    folder.mkdir()
    make_set(folder, instances=3000)
    path = "/sets/small@1/judgments.jsonl"
    status, _, text = proxy.request("GET", path)
    assert status == 200 and len(text) > 2 * MEGABYTE
    readers = [proxy.connect() for _ in range(THREADS + 8)]
    try:
        for reader in readers:
            reader.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        wait_for(lambda: site.log.read_text().count(f" GET {path} 200 ") > len(readers))
        assert_others_are_served(proxy)
    finally:
        for reader in readers:
            reader.close()


def signed_in(user: User) -> tuple[str, str]:
    """A person's cookies and the form's CSRF token."""
    client = Client()
    client.force_login(user)
    client.get("/sign-in/")
    session, token = client.cookies["sessionid"].value, client.cookies["csrftoken"].value
    return f"__Host-sessionid={session}; __Host-csrftoken={token}", token


class Upload:
    """POST a file of `size` bytes to a study's page for candidates, as its owner, and say that
    the body has `content_length` bytes. Sending ends when the web server's log holds a refusal.

    status, page: of the response. stored: the most bytes of request bodies that nginx held on disk.
    """

    def __init__(
        self, site: WebSite, proxy: Proxy, size: int, content_length: int | None = None
    ) -> None:
        self.study = people.new_study(people.researcher())
        self.stored = 0
        cookie, token = signed_in(self.study.owner)
        before, after = _around_file(token)
        length = content_length or len(before) + size + len(after)
        path = f"/studies/{self.study.slug}/candidates/upload"
        with closing(proxy.connect()) as connection:
            connection.sendall(head(length, path, cookie, proxy.port) + before)
            self._send(connection, site, proxy, size, after)
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            self.status, self.page = answer.status, answer.read().decode()

    def _send(
        self, connection: socket.socket, site: WebSite, proxy: Proxy, size: int, after: bytes
    ) -> None:
        line = b'{"id": "1", "references": ["a"], "candidate": "b"}' + b" " * 973 + b"\n"
        piece = line * 1024
        with suppress(OSError):  # the server has answered and closed the connection
            for _ in range(size // len(piece)):
                connection.sendall(piece)
                self.stored = max(self.stored, proxy.stored_body_bytes())
                if "/candidates/upload 413 " in site.log.read_text():
                    return
            connection.sendall(after)


def _around_file(token: str) -> tuple[bytes, bytes]:
    """The text of a multipart body before and after the file."""
    before = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n'
        f'{token}\r\n--{BOUNDARY}\r\nContent-Disposition: form-data; name="use"\r\n\r\nrated\r\n'
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n'
        "Content-Type: text/plain\r\n\r\n"
    )
    return before.encode(), f"\r\n--{BOUNDARY}--\r\n".encode()


def memory(site: WebSite) -> int:
    assert site.master is not None
    return max(child.memory_info().rss for child in psutil.Process(site.master.pid).children())


def test_an_upload_of_300_megabytes_is_refused_before_it_is_read(site, proxy):
    before = memory(site)
    upload = Upload(site, proxy, 300 * MEGABYTE)
    assert upload.status == 413 and "64 MB" in upload.page
    assert upload.stored == 0
    assert memory(site) - before < 50 * MEGABYTE
    assert proxy.answers() is not None


def test_one_that_says_it_is_small_is_read_no_further_than_it_said(site, proxy):
    upload = Upload(site, proxy, 300 * MEGABYTE, content_length=MEGABYTE)
    assert upload.status in (400, 413, 422)
    assert upload.stored <= MEGABYTE
    assert upload.study.uploads.count() == 0


def test_a_large_upload_within_the_limit_lies_on_disk_while_it_is_read(site, proxy):
    upload = Upload(site, proxy, 20 * MEGABYTE)
    assert upload.status == 302 and upload.study.uploads.count() == 1
    assert upload.stored > MEGABYTE
