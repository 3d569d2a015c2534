"""UniqueRequestToken: a repeated request is executed once within 24 hours.

Source: the developer guide's page "Use request tokens" and the operations' own pages.
"""

from __future__ import annotations

import sqlite3

from mturk_sandbox.context import OperationCall

LIFETIME_SECONDS = 24 * 3600


def find_earlier_request(
    call: OperationCall, purpose: str, token: str | None
) -> sqlite3.Row | None:
    """The account's earlier request with this token; None after 24 hours."""
    if token is None:
        return None
    return call.one(
        "SELECT request_id, made FROM request_tokens"
        " WHERE account = ? AND purpose = ? AND token = ? AND time > ?",
        call.account,
        purpose,
        token,
        call.now - LIFETIME_SECONDS,
    )


def store_token(call: OperationCall, purpose: str, token: str | None, result: str) -> None:
    """Store the result of a request with its token; it replaces an expired one."""
    if token is not None:
        call.run(
            "INSERT OR REPLACE INTO request_tokens"
            " (account, purpose, token, time, request_id, made) VALUES (?, ?, ?, ?, ?, ?)",
            call.account,
            purpose,
            token,
            call.now,
            call.request_id,
            result,
        )
