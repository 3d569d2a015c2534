"""Paging of lists by MaxResults and an opaque NextToken."""

from __future__ import annotations

import base64
import binascii
import hashlib
import sqlite3
from typing import Any

from mturk_sandbox.context import OperationCall, Parameters
from mturk_sandbox.errors import invalid

DEFAULT_PAGE_SIZE = 10


def list_page(
    call: OperationCall,
    parameters: Parameters,
    query: str,
    *values: Any,
    newest_first: bool = False,
) -> tuple[list[sqlite3.Row], dict[str, Any]]:
    """A page of the rows of `query`, and the NextToken and NumResults of the answer.

    `query` is a SELECT with a WHERE and without an order. Its rows are ordered by a unique,
    increasing `seq`, so a row added between two pages does not shift the others. Raises a TurkError
    for a token of another list.
    """
    size = parameters.get("MaxResults", DEFAULT_PAGE_SIZE)
    list_name = hashlib.sha256(repr((call.account, query, values)).encode()).hexdigest()[:12]
    token = parameters.get("NextToken")
    order = "DESC" if newest_first else "ASC"
    if token:
        query += f" AND seq {'<' if newest_first else '>'} ?"
        values = (*values, _last(token, list_name))
    rows = call.all(f"{query} ORDER BY seq {order} LIMIT ?", *values, size + 1)
    page_rows = rows[:size]
    answer: dict[str, Any] = {"NumResults": len(page_rows)}
    if len(rows) > size:
        answer["NextToken"] = _token(list_name, page_rows[-1]["seq"])
    return page_rows, answer


def _token(list_name: str, last: int) -> str:
    return base64.urlsafe_b64encode(f"{list_name}:{last}".encode()).decode()


def _last(token: str, list_name: str) -> int:
    try:
        name, _, last = base64.urlsafe_b64decode(token.encode()).decode().partition(":")
        if name == list_name:
            return int(last)
    except (ValueError, binascii.Error):
        pass
    raise invalid("The NextToken belongs to another list.")
