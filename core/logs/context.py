"""Context variables with the request or job of the current thread; empty if there is none."""

from __future__ import annotations

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
# The task's name and the primary key that it was sent with.
job_id: ContextVar[str] = ContextVar("job_id", default="")
