"""The context of an operation: the database in a transaction, the time and the options."""

from __future__ import annotations

import secrets
import sqlite3
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mturk_sandbox.options import SandboxOptions

ALPHABET = string.ascii_uppercase + string.digits


@dataclass(frozen=True)
class Context:
    """A transaction at a fixed time, with query helpers."""

    db: sqlite3.Connection
    now: float
    options: SandboxOptions

    def one(self, query: str, *values: Any) -> sqlite3.Row | None:
        """The first row, or None."""
        row: sqlite3.Row | None = self.db.execute(query, values).fetchone()
        return row

    def all(self, query: str, *values: Any) -> list[sqlite3.Row]:
        return self.db.execute(query, values).fetchall()

    def run(self, query: str, *values: Any) -> int:
        """Execute a statement; returns the number of changed rows."""
        return self.db.execute(query, values).rowcount

    def number(self, query: str, *values: Any) -> int:
        """A count or sum; 0 instead of NULL."""
        return int(self.db.execute(query, values).fetchone()[0] or 0)


@dataclass(frozen=True)
class OperationCall(Context):
    """The context of an API call, with its caller."""

    account: str
    request_id: str
    url: str


Parameters = dict[str, Any]
Handler = Callable[[OperationCall, Parameters], dict[str, Any]]
HANDLERS: dict[str, Handler] = {}


def operation(name: str) -> Callable[[Handler], Handler]:
    """Register the handler of an operation of the service model."""

    def registered(handler: Handler) -> Handler:
        if name in HANDLERS:
            raise ValueError(f"{name} has a handler already")
        HANDLERS[name] = handler
        return handler

    return registered


def new_id(first: str = "3", length: int = 30) -> str:
    """An identifier in MTurk's format: capital letters and digits, beginning with `first`."""
    return first + "".join(secrets.choice(ALPHABET) for _ in range(length - 1))
