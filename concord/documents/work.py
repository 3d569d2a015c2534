"""Background work."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from concord.bounds import Number
from concord.documents.base import Document

WorkStatus = Literal["queued", "running", "complete", "failed", "refused", "cancelled"]


@dataclass(frozen=True, kw_only=True)
class WorkDocument(Document):
    """Background work, such as a metric run."""

    id: int
    status: WorkStatus
    percent: Annotated[int, Number(0, 100)]
    reason: Annotated[str, "Why it failed or stopped; else empty."]
    created_at: datetime
    finished_at: datetime | None

    @property
    def has_ended(self) -> bool:
        """Whether it has ended: complete, failed, refused (too few data) or cancelled."""
        return self.status not in ("queued", "running")
