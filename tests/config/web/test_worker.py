"""When a request is there, and what the log keeps of it."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from config.web import sockets
from config.web.log import without_secrets
from config.web.sockets import PatientSocket
from config.web.worker import LARGEST_HEAD, TOO_LATE, is_there

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


@pytest.mark.parametrize(
    ("received", "expected"),
    [
        (b"", False),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", False),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", True),
        (HEAD % 0, True),
        (HEAD % 3 + b"ab", False),
        (HEAD % 3 + b"abc", True),
        ((HEAD % 3).upper() + b"ab", False),
        (HEAD % 70_000, True),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n", True),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", True),
        (b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n", True),
        (b"a" * LARGEST_HEAD, False),
        (b"a" * (LARGEST_HEAD + 1), True),
    ],
)
def test_a_thread_gets_a_request_when_its_head_and_small_body_are_there(received, expected):
    assert is_there(received) is expected


def test_the_answer_to_who_is_too_slow_has_the_length_it_says():
    head, _, body = TOO_LATE.partition(b"\r\n\r\n")
    assert b"Content-Length: %d" % len(body) in head


@pytest.fixture
def pair(monkeypatch):
    monkeypatch.setattr(sockets, "STALL_SECONDS", 0.3)
    ours, theirs = socket.socketpair()
    ours = PatientSocket(ours)
    ours.setblocking(True)
    yield ours, theirs
    ours.close()
    theirs.close()


def test_a_sender_that_stalls_is_given_up(pair):
    ours, theirs = pair
    theirs.send(b"abc")
    assert ours.recv(10) == b"abc"
    with pytest.raises(TimeoutError):
        ours.recv(10)


def test_a_sender_that_trickles_is_given_up_too(pair):
    ours, theirs = pair
    stop = threading.Event()

    def trickle():
        while not stop.wait(0.05):
            theirs.send(b"a")

    thread = threading.Thread(target=trickle)
    thread.start()
    started = time.monotonic()
    try:
        with pytest.raises(TimeoutError):
            while True:
                ours.recv(1)
    finally:
        stop.set()
        thread.join()
    assert time.monotonic() - started < 2


def test_a_sender_that_keeps_up_may_take_long(pair, monkeypatch):
    monkeypatch.setattr(sockets, "LEAST_RATE", 10)
    ours, theirs = pair
    for _ in range(8):
        theirs.send(b"a" * 10)
        assert ours.recv(10)
        time.sleep(0.1)


def test_who_does_not_read_the_answer_is_given_up(pair):
    ours, _ = pair
    with pytest.raises(TimeoutError):
        ours.sendall(b"a" * 10_000_000)


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/sets/demo@1/runs/12/", "/sets/demo@1/runs/12/"),
        ("/rate/abc:def/task/1/", "/rate/…/task/1/"),
        ("/rate/crowd/task/short/ratings/", "/rate/crowd/task/…/ratings/"),
        ("/invitations/AbCdEfGhIjKlMnOpQrStUvWxYz012345/", "/invitations/…/"),
        ("/", "/"),
    ],
)
def test_the_log_keeps_no_secret_of_a_path(path, kept):
    assert without_secrets(path) == kept
