"""Which request or job the present thread works on. Both are empty elsewhere."""

from __future__ import annotations

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
# The task's name and the primary key that it was sent.
job_id: ContextVar[str] = ContextVar("job_id", default="")
