"""Accounts, API tokens, sessions, invitations, members, and events of the audit log."""

from typing import Annotated, TypedDict


class AccountDocument(TypedDict):
    """The caller's account."""

    username: str
    is_researcher: bool
    is_administrator: bool
    scopes: Annotated[
        list[str] | None, "Scopes of the token; null for a signed-in browser, which has all."
    ]
