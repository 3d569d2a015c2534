"""All operations of the API; importing their modules registers them."""

from __future__ import annotations

from mturk_sandbox import (
    accounts,
    assignments,
    bonuses,
    hit_changes,
    hit_types,
    hits,
    notifications,
    qualifications,
)
from mturk_sandbox.context import HANDLERS, Handler
from mturk_sandbox.errors import TurkError

MODULES = (
    accounts,
    assignments,
    bonuses,
    hit_changes,
    hit_types,
    hits,
    notifications,
    qualifications,
)


def handler(name: str) -> Handler:
    """The handler of an operation. Raises a TurkError for one that the sandbox does not have."""
    if name not in HANDLERS:
        raise TurkError("UnsupportedOperation", f"The sandbox does not have {name}.")
    return HANDLERS[name]
