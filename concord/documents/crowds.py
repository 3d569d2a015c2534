"""Publications of studies on crowds, submissions and payments."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.conversion import Timestamp


class CrowdResultsDocument(TypedDict):
    """What an imported file changed, and what is inconsistent."""

    submitted: Annotated[int, "New submissions."]
    decided: Annotated[int, "New decisions."]
    unchanged: Annotated[int, "Rows of a panel's list that changed nothing."]
    unknown_lines: Annotated[list[int], "Lines of a panel's list with workers unknown here."]
    wrong_codes: Annotated[list[str], "Workers with a wrong completion code."]
    missing: Annotated[list[str], "Workers who finished here but are missing in the list."]


@dataclass(frozen=True, kw_only=True)
class PublicationDocument(Document):
    """A stage on a crowd: completed and queued calls, places, work by state, money."""

    id: int
    stage: str
    provider: str
    status: Literal["draft", "live", "ended"]
    problem: Annotated[str, "Why its calls are paused until a person acts; otherwise empty."]
    percent: Annotated[int, "Share of the queued calls that were made."]
    calls: Annotated[int, "Queued calls."]
    made: Annotated[int, "Calls that were made."]
    listings: int
    places: int
    states: Annotated[dict[str, int], "Number of assignments by state."]
    paid_cents: int
    fee_cents: int
    budget_cents: int | None
    confirmed_cents: int | None
    created_at: datetime
    synced_at: datetime | None


class QuoteDocument(TypedDict):
    """The draft of an offer and its cost."""

    id: int
    stage: str
    provider: str
    offer: dict[str, Any]
    total: Annotated[str | None, "Dollars with fees; confirm this amount to publish."]
    fits_budget: bool | None
    test_note: Annotated[
        str,
        "Where the qualification test is taken and whether it is paid; empty without one.",
    ]
    problem: Annotated[str, "Why the cost is unknown; otherwise empty."]


class PlacesDocument(TypedDict):
    """How many more places were requested."""

    places: int


class MissingRatersDocument(TypedDict):
    """The places that a stage needs from its crowd, and their cost."""

    places: int
    rewards: Annotated[int, "Cents."]
    fees: Annotated[int, "Cents."]
    total: Annotated[str, "Dollars; confirm this amount to request the places."]


class CrowdSubmissionDocument(TypedDict):
    """A worker's submission. It contains no platform ids of workers."""

    id: int
    worker: str
    status: Literal[
        "accepted", "rated", "returned", "abandoned", "submitted", "approved", "rejected"
    ]
    problem: Annotated[str, "A problem to check before a decision; otherwise empty."]
    pay_cents: int
    submitted_at: Timestamp | None
    auto_approval_at: Timestamp | None
    decided_at: Timestamp | None


class QueuedDocument(TypedDict):
    """How many decisions were queued; background workers make the calls."""

    ordered: int
