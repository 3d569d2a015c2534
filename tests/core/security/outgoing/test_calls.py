"""Calls to a real server with faults."""

from __future__ import annotations

import itertools
import json
import socket
import threading
import time

import pytest

from core.security.outgoing.calls import CallError, CallRules, post_json

OK = (200, {}, b'{"scores": [1]}')


@pytest.fixture
def rules(endpoint):
    return CallRules(
        allowed_hosts=[endpoint.host], timeout_seconds=2, max_bytes=1000, pause_seconds=0.01
    )


def always(answer):
    return lambda payload: answer


def failing(endpoint, rules, *answers):
    endpoint.answers = [always(answer) for answer in answers]
    with pytest.raises(CallError) as caught:
        post_json(endpoint.url, {"items": []}, rules)
    assert "secret" not in str(caught.value) and "score" not in str(caught.value)
    return caught.value


def test_a_name_server_that_does_not_answer_is_within_the_time(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: ended.wait(600) and [])
    rules = CallRules(timeout_seconds=0.2, attempts=1)
    started = time.monotonic()
    with pytest.raises(CallError, match="does not resolve"):
        post_json("https://slow.example.org/score", {}, rules)
    assert time.monotonic() - started < 20
    ended.set()


def test_temporary_failures_are_retried(endpoint, rules):
    waited = []
    busy = (429, {"Retry-After": "0"}, b"")
    endpoint.answers = [always(answer) for answer in ((503, {}, b""), busy, OK)]
    answer = post_json(endpoint.url, {"n": 1}, rules, before_retry=lambda: waited.append(1))
    assert answer == {"scores": [1]} and len(waited) == 2
    assert endpoint.payloads == [{"n": 1}] * 3


def test_permanent_failures_raise_after_the_last_attempt(endpoint, rules):
    error = failing(endpoint, rules, (500, {}, b"a secret trace"))
    assert "status 500, 4 times" in str(error) and len(endpoint.payloads) == 4


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((302, {"Location": "http://169.254.169.254/"}, b""), "redirect"),
        ((307, {"Location": "/elsewhere"}, b""), "redirect"),
        ((404, {}, b""), "status 404"),
        ((204, {}, b""), "status 204"),
        ((200, {}, b"<html>"), "not JSON"),
        ((200, {}, b"[" * 900), "not JSON"),
        ((200, {}, b" " * 1001), "more than 1,000 bytes"),
        ((200, {"Content-Encoding": "gzip"}, b"x"), "encoding"),
    ],
)
def test_permanent_failures_are_not_retried(endpoint, rules, answer, sentence):
    error = failing(endpoint, rules, answer)
    assert sentence in str(error) and error.permanent and len(endpoint.payloads) == 1


def test_an_answer_without_an_end_is_cut_off_by_size_and_by_time(endpoint, rules):
    endless = (200, {"Connection": "close"}, itertools.repeat(b"a" * 100))
    assert "more than 1,000 bytes" in str(failing(endpoint, rules, endless))

    def drip():
        for _ in range(4000):
            time.sleep(0.05)
            yield b" "

    started = time.monotonic()
    one = CallRules(allowed_hosts=[endpoint.host], timeout_seconds=0.5, attempts=1)
    error = failing(endpoint, one, (200, {"Connection": "close"}, drip()))
    assert "did not answer within 0.5 s" in str(error)
    assert time.monotonic() - started < 100  # the whole answer takes 200


def test_an_answer_that_breaks_off_is_tried_again(endpoint, rules):
    short = (200, {"Content-Length": "100"}, [b'{"scores"'])
    endpoint.answers = [always(short), always(OK)]
    endpoint.answers[0] = lambda payload: (200, {"Content-Length": "100"}, iter([b'{"scores"']))
    assert post_json(endpoint.url, {}, rules) == {"scores": [1]}


def test_an_unreachable_host_is_reported(rules):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    gone = CallRules(allowed_hosts=["127.0.0.1"], attempts=2, pause_seconds=0.01)
    with pytest.raises(CallError, match="cannot be reached"):
        post_json(f"http://127.0.0.1:{port}/", {}, gone)


def test_a_server_without_a_valid_certificate_is_not_called(endpoint):
    # It speaks no TLS at all: what counts is that nothing is sent to it.
    only = CallRules(allowed_hosts=[endpoint.host], attempts=1, timeout_seconds=2)
    with pytest.raises(CallError):
        post_json(endpoint.url.replace("http:", "https:"), {}, only)
    assert endpoint.payloads == []


def test_the_payload_is_json_whatever_the_texts_hold(endpoint, rules):
    endpoint.answers = [always(OK)]
    post_json(endpoint.url, {"items": ["\ud800 \u2028 é"]}, rules)
    assert json.dumps(endpoint.payloads[0])
