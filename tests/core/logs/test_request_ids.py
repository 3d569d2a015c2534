"""Request ids: header, log lines, error pages and problem documents show the same one."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from core.logs import context
from core.logs.lines import JsonFormatter

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.core.logs.pages")]
MADE = re.compile(r"[0-9a-f]{16}")
GIVEN = "5f0c2b7d-0d0b-4a6e-9a52-8f6d5b1c2e3f"
SECRET = "1aBcDeFgHiJkLmNoPqRsTuVwXyZ"
WORKER = "A2WORKERATMTURK"
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def browser() -> Client:
    return Client(raise_request_exception=False)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Lines:
    """What the site's own handler has written, as JSON."""
    (console,) = [one for one in logging.getLogger().handlers if one.name == "console"]
    written = io.StringIO()
    monkeypatch.setattr(console, "stream", written)
    monkeypatch.setattr(console, "formatter", JsonFormatter())
    return lambda: [json.loads(line) for line in written.getvalue().splitlines()]


def test_each_request_gets_an_id_of_its_own(browser: Client) -> None:
    ids = [browser.get(path)["X-Request-ID"] for path in ("/", "/", "/none", "/healthz", "/fault")]
    assert all(MADE.fullmatch(one) for one in ids)
    assert len(set(ids)) == 5
    assert context.request_id.get() == ""


def test_an_id_is_accepted_from_a_proxy_only(browser: Client, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 0
    assert MADE.fullmatch(browser.get("/healthz", headers={"x-request-id": GIVEN})["X-Request-ID"])
    settings.TRUSTED_PROXIES = 1
    assert browser.get("/healthz", headers={"x-request-id": GIVEN})["X-Request-ID"] == GIVEN


@pytest.mark.parametrize(
    "invalid_id",
    ["", "short", "x" * 65, "with a space", "line\nbreak-it", '"><script>', "id-ümlaut-1"],
)
def test_an_invalid_id_is_replaced(browser: Client, settings: Any, invalid_id: str) -> None:
    settings.TRUSTED_PROXIES = 1
    response = browser.get("/none", headers={"x-request-id": invalid_id})
    assert MADE.fullmatch(response["X-Request-ID"])


def ask_too_often(browser: Client, settings: Any) -> Any:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"sign-in": "1/h"}
    browser.post("/sign-in/", {"username": "rosa", "password": "wrong"})
    return browser.post("/sign-in/", {"username": "rosa", "password": "wrong"})


PAGES: dict[str, tuple[int, Callable[[Client, Any], Any]]] = {
    "400": (400, lambda browser, _: browser.get("/", headers={"host": "elsewhere.example.org"})),
    "403": (403, lambda browser, _: browser.get("/forbidden")),
    "csrf": (403, lambda *_: Client(enforce_csrf_checks=True).post("/sign-in/")),
    "rating link": (403, lambda browser, _: browser.get("/rate/a:b/")),
    "404": (404, lambda browser, _: browser.get("/none")),
    "413": (413, lambda browser, _: browser.post("/sign-in/", {"name": "x" * 3_000_000})),
    "429": (429, ask_too_often),
    "500": (500, lambda browser, _: browser.get("/fault")),
}


@pytest.mark.parametrize("kind", PAGES)
def test_error_pages_show_the_number_to_quote(browser: Client, settings: Any, kind: str) -> None:
    status, ask = PAGES[kind]
    response = ask(browser, settings)
    assert response.status_code == status
    sentence = "To report this problem, quote the request number "
    shown = f"{sentence}<code>{response['X-Request-ID']}</code>"
    assert shown in response.content.decode()


def test_problem_documents_have_the_id(browser: Client, settings: Any) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"api": "5/h"}
    responses = [
        browser.get("/api/v1/none"),
        browser.get("/api/v1/sets?limit=none"),
        browser.post("/api/v1/studies", b"x" * 3_000_000, content_type="application/json"),
        browser.get("/api/fault"),
        *[browser.get("/api/v1/sets") for _ in range(6)][-1:],
    ]
    assert [one.status_code for one in responses] == [404, 400, 413, 500, 429]
    for response in responses:
        assert response.json()["request_id"] == response["X-Request-ID"]


def test_log_lines_of_a_request_have_its_id(browser: Client, lines: Lines) -> None:
    number = browser.get("/fault")["X-Request-ID"]
    (line,) = lines()
    assert line["request_id"] == number
    assert (line["level"], line["logger"]) == ("ERROR", "django.request")
    assert line["message"] == "Internal Server Error: /fault"
    assert "RuntimeError: a fault of the server" in line["exception"]
    assert set(line) == {"time", "level", "logger", "message", "request_id", "exception"}
    logging.getLogger("elsewhere").warning("no request")
    assert "request_id" not in lines()[-1]


def test_lines_written_while_a_response_is_streamed_have_the_id(
    browser: Client, lines: Lines
) -> None:
    response = browser.get("/stream")
    assert b"".join(response.streaming_content) == b"part"
    (line,) = lines()
    assert (line["message"], line["request_id"]) == ("a part is made", response["X-Request-ID"])


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        (f"/rate/{SECRET}:x/nowhere/?workerId={WORKER}", "/rate/…/nowhere/"),
        (f"/rate/join/moon/?PROLIFIC_PID={WORKER}", "/rate/join/…/"),
        (f"/invitations/{SECRET}/nowhere", "/invitations/…/nowhere"),
    ],
)
def test_no_line_has_a_secret_of_a_path_or_a_workers_id(
    browser: Client, lines: Lines, path: str, logged: str
) -> None:
    assert browser.get(path).status_code in (403, 404)
    (line,) = lines()
    assert line["message"].endswith(f": {logged}")
    assert SECRET not in str(line) and WORKER not in str(line)


def test_lines_of_text_have_the_id_too(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    (console,) = [one for one in logging.getLogger().handlers if one.name == "console"]
    written = io.StringIO()
    monkeypatch.setattr(console, "stream", written)
    number = browser.get("/none")["X-Request-ID"]
    assert f"WARNING django.request [request_id {number}] Not Found: /none\n" in written.getvalue()


def test_a_line_break_in_an_address_or_an_error_makes_no_line(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    (console,) = [one for one in logging.getLogger().handlers if one.name == "console"]
    written = io.StringIO()
    monkeypatch.setattr(console, "stream", written)
    browser.get("/none/%0a2026-01-01 00:00:00,000 ERROR django.request forged")
    logging.getLogger("a").warning("%s", "name\r\x1b[2J\u2028next")
    try:
        raise ValueError("text\n2026-01-01 00:00:00,000 ERROR django.request forged")
    except ValueError:
        logging.getLogger("a").exception("failed")
    lines = written.getvalue().splitlines()
    begun = [line for line in lines if not line.startswith("  ")]
    assert len(begun) == 3 and not any(line.startswith("2026-01-01") for line in lines)
    assert "name\\r\\x1b[2J\\u2028next" in begun[1]


def test_a_refused_request_logs_one_line(browser: Client, lines: Lines) -> None:
    assert browser.get("/unknown-choice").status_code == 400
    assert browser.get("/forbidden").status_code == 403
    assert len(lines()) == 2 and not any("exception" in line for line in lines())
