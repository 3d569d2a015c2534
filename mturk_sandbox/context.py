"""What an operation works with: the data inside a transaction, the time and the options."""

from __future__ import annotations

import secrets
import sqlite3
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mturk_sandbox.options import Options

ALPHABET = string.ascii_uppercase + string.digits


@dataclass(frozen=True)
class Context:
    """One moment inside one transaction."""

    db: sqlite3.Connection
    now: float
    options: Options

    def one(self, query: str, *values: Any) -> sqlite3.Row | None:
        """The first row, or None."""
        row: sqlite3.Row | None = self.db.execute(query, values).fetchone()
        return row

    def all(self, query: str, *values: Any) -> list[sqlite3.Row]:
        return self.db.execute(query, values).fetchall()

    def run(self, query: str, *values: Any) -> int:
        """Change rows; how many were changed."""
        return self.db.execute(query, values).rowcount

    def number(self, query: str, *values: Any) -> int:
        """A count or sum; 0 where there is nothing to sum."""
        return int(self.db.execute(query, values).fetchone()[0] or 0)


@dataclass(frozen=True)
class Call(Context):
    """A call of the API: the moment, and who calls."""

    account: str
    request_id: str
    url: str


Parameters = dict[str, Any]
Handler = Callable[[Call, Parameters], dict[str, Any]]
HANDLERS: dict[str, Handler] = {}


def operation(name: str) -> Callable[[Handler], Handler]:
    """Register the function that answers the operation of this name in the service model."""

    def registered(handler: Handler) -> Handler:
        if name in HANDLERS:
            raise ValueError(f"{name} has a handler already")
        HANDLERS[name] = handler
        return handler

    return registered


def new_id(first: str = "3", length: int = 30) -> str:
    """An identifier in MTurk's manner: capital letters and digits, beginning with a 3."""
    return first + "".join(secrets.choice(ALPHABET) for _ in range(length - 1))
