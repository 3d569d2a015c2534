"""Background work that every app shares: how tasks are declared, the periodic duties of a worker,
and sending lost work again. No beat process: every worker runs the duties itself, so none can be
missing or doubled."""

from core.jobs.resending import resend
from core.jobs.sweeper import duty
from core.jobs.tasks import lane_task, row_task

__all__ = ["duty", "lane_task", "resend", "row_task"]
