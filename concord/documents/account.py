"""Accounts, API tokens, sessions, invitations, members, and events of the audit log."""

from typing import Annotated, Any, Literal, TypedDict

from concord.documents.conversion import Timestamp


class AccountDocument(TypedDict):
    """The caller's account."""

    username: str
    is_researcher: bool
    is_administrator: bool
    scopes: Annotated[
        list[str] | None, "Scopes of the token; null for a signed-in browser, which has all."
    ]


class TokenDocument(TypedDict):
    """One of your API tokens. Its secret text was shown once."""

    id: int
    name: str
    prefix: Annotated[str, "The first characters of the token."]
    scopes: list[str]
    created_at: Timestamp
    expires_at: Timestamp
    last_used_at: Timestamp | None
    revoked_at: Timestamp | None


class NewTokenDocument(TokenDocument):
    """A new token with its secret text, which is not shown again."""

    token: str


class SessionDocument(TypedDict):
    """A browser in which you are signed in."""

    id: int
    device: str
    created_at: Timestamp
    last_used_at: Timestamp


class InvitationDocument(TypedDict):
    """An invitation. Anybody who has its link can accept it, once."""

    id: int
    site_role: str
    role: Annotated[str, "Role of a membership; empty for an account only."]
    email: str
    created_at: Timestamp
    expires_at: Timestamp
    accepted_at: Timestamp | None
    withdrawn_at: Timestamp | None
    link: Annotated[str | None, "Null after it was accepted, withdrawn or has expired."]


class MemberDocument(TypedDict):
    """An account's role."""

    username: str
    role: Literal["viewer", "editor", "owner"]
    since: Timestamp


class EventDocument(TypedDict):
    """An event of the audit log."""

    id: int
    at: Timestamp
    actor: Annotated[str, "Account, token, command, or the system."]
    action: str
    target: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
