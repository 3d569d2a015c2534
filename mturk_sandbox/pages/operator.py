"""Pages for whoever runs the sandbox: the ledger for all; clock and faults from this machine."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from mturk_sandbox.pages.layout import moment, money, page, table
from mturk_sandbox.web import Books, WebRequest, WebResponse, as_json, route

STYLE = Path(__file__).with_name("sandbox.css")
ENTRIES = 500


@route("GET", "/sandbox/sandbox.css")
def style(books: Books, request: WebRequest) -> WebResponse:
    return WebResponse(200, STYLE.read_text(encoding="utf-8"), "text/css; charset=utf-8")


@route("GET", "/ledger/?")
def ledger(books: Books, request: WebRequest) -> WebResponse:
    """Every movement of money and the balances: a page, and with ?format=json a document."""
    with books.moment() as world:
        accounts = [dict(row) for row in world.all("SELECT * FROM accounts ORDER BY id")]
        entries = [dict(row) for row in world.all("SELECT * FROM ledger ORDER BY id")]
    if request.query.get("format") == "json":
        return as_json({"accounts": accounts, "entries": entries})
    balances = table(
        "Accounts",
        ("Access key", "Requester", "Available", "On hold"),
        (
            (
                escape(row["id"]),
                escape(row["customer_id"]),
                money(row["available"]),
                money(row["held"]),
            )
            for row in accounts
        ),
        "Nobody has called the API yet.",
    )
    heads = ("Time (UTC)", "Account", "What", "Available", "On hold", "HIT", "Assignment", "Worker")
    lines = table(
        f"Entries, the last {ENTRIES}",
        heads,
        (_line(row) for row in reversed(entries[-ENTRIES:])),
        "None yet.",
    )
    link = '<p><a href="/ledger/?format=json">All entries as JSON</a></p>'
    return page(request, "Ledger", balances + link + lines, wide=True)


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    about = tuple(escape(row[name] or "-") for name in ("hit_id", "assignment_id", "worker_id"))
    return (
        moment(row["time"]),
        escape(row["account"]),
        row["kind"].replace("_", " "),
        money(row["available"]),
        money(row["held"]),
        *about,
    )


@route("GET", "/sandbox/clock/?")
def clock(books: Books, request: WebRequest) -> WebResponse:
    """The sandbox's time."""
    return as_json({"now": books.clock.now(), "stands_still": books.clock.stands_still})


@route("POST", "/sandbox/clock/?")
def advance(books: Books, request: WebRequest) -> WebResponse:
    """Move the clock: {"advance_seconds": n}; everything that became due is done."""
    return _command(request, lambda document: _advanced(books, document))


def _advanced(books: Books, document: dict[str, Any]) -> dict[str, Any]:
    seconds = document.get("advance_seconds")
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool):
        raise ValueError("advance_seconds is a number.")
    return {"now": books.advance(float(seconds))}


@route("POST", "/sandbox/faults/?")
def faults(books: Books, request: WebRequest) -> WebResponse:
    """Change the faults: {"throttle_every": n, "die_at": k, "duplicate_every": n}."""
    return _command(request, lambda document: _faulted(books, document))


def _faulted(books: Books, document: dict[str, Any]) -> dict[str, Any]:
    found = books.options.faults
    found.change(document)
    return {
        "throttle_every": found.throttle_every,
        "die_at": found.die_at,
        "duplicate_every": found.duplicate_every,
    }


def _command(request: WebRequest, command: Any) -> WebResponse:
    if not request.from_here:
        return as_json({"error": "This is done from the sandbox's own machine only."}, 403)
    try:
        document = json.loads(request.body)
        if not isinstance(document, dict):
            raise ValueError("The body is a JSON object.")
        return as_json(command(document))
    except ValueError as error:
        return as_json({"error": str(error)}, 400)
