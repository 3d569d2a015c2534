"""Events of the audit log."""

from typing import Annotated, Any, TypedDict

from concord.documents.conversion import Timestamp


class EventDocument(TypedDict):
    """An event of the audit log."""

    id: int
    at: Timestamp
    actor: Annotated[str, "Account, token, command, or the system."]
    action: str
    target: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
