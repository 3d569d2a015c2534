"""Pages for the operator: the ledger; the clock and faults, which only this machine may change."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from mturk_sandbox.pages.layout import moment, money, page, table
from mturk_sandbox.web import Engine, WebRequest, WebResponse, json_response, route

STYLE = Path(__file__).with_name("sandbox.css")
MAX_ENTRIES = 500


@route("GET", "/sandbox/sandbox.css")
def style(engine: Engine, request: WebRequest) -> WebResponse:
    return WebResponse(200, STYLE.read_text(encoding="utf-8"), "text/css; charset=utf-8")


@route("GET", "/ledger/?")
def ledger(engine: Engine, request: WebRequest) -> WebResponse:
    """The ledger and the balances as a page, or with ?format=json as JSON."""
    with engine.transaction() as context:
        accounts = [dict(row) for row in context.all("SELECT * FROM accounts ORDER BY id")]
        entries = [dict(row) for row in context.all("SELECT * FROM ledger ORDER BY id")]
    if request.query.get("format") == "json":
        return json_response({"accounts": accounts, "entries": entries})
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
        f"Entries, the last {MAX_ENTRIES}",
        heads,
        (_line(row) for row in reversed(entries[-MAX_ENTRIES:])),
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


@route("POST", "/sandbox/clock/?")
def advance(engine: Engine, request: WebRequest) -> WebResponse:
    """Advance the clock: {"advance_seconds": n}; due events are processed."""
    return _command(request, lambda document: _advance(engine, document))


def _advance(engine: Engine, document: dict[str, Any]) -> dict[str, Any]:
    seconds = document.get("advance_seconds")
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool):
        raise ValueError("advance_seconds must be a number.")
    return {"now": engine.advance(float(seconds))}


@route("POST", "/sandbox/faults/?")
def faults(engine: Engine, request: WebRequest) -> WebResponse:
    """Change the faults: {"throttle_every": n, "die_at": k, "duplicate_every": n}."""
    return _command(request, lambda document: _change_faults(engine, document))


def _change_faults(engine: Engine, document: dict[str, Any]) -> dict[str, Any]:
    faults = engine.options.faults
    faults.change(document)
    return {
        "throttle_every": faults.throttle_every,
        "die_at": faults.die_at,
        "duplicate_every": faults.duplicate_every,
    }


def _command(request: WebRequest, command: Any) -> WebResponse:
    if not request.is_local:
        return json_response({"error": "Only the sandbox's own machine may do this."}, 403)
    try:
        document = json.loads(request.body)
        if not isinstance(document, dict):
            raise ValueError("The body must be a JSON object.")
        return json_response(command(document))
    except ValueError as error:
        return json_response({"error": str(error)}, 400)
