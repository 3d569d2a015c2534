"""All operations of the API; importing their modules registers them."""

from __future__ import annotations

from mturk_sandbox import (
    accounts,
    assignments,
    blocks,
    bonuses,
    hit_changes,
    hit_types,
    hits,
    mail,
    notifications,
    qualification_types,
    qualifications,
    review_policies,
)
from mturk_sandbox.context import HANDLERS, Handler

MODULES = (
    accounts,
    assignments,
    blocks,
    bonuses,
    hit_changes,
    hit_types,
    hits,
    mail,
    notifications,
    qualification_types,
    qualifications,
    review_policies,
)


def handler(name: str) -> Handler:
    """The handler of an operation. Raises KeyError if there is none."""
    return HANDLERS[name]
