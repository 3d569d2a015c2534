"""Background work that every app shares: how tasks are declared, and the periodic duties of a
worker. No beat process: every worker runs the duties itself, so none can be missing or doubled."""

from core.jobs.sweeper import duty
from core.jobs.tasks import row_task

__all__ = ["duty", "row_task"]
