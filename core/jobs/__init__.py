"""Background work: declaring tasks, running periodic jobs, and sending lost tasks again.

There is no beat process. Every worker runs the periodic jobs itself.
"""

from core.jobs.scheduler import periodic, resend
from core.jobs.sending import send_after_commit
from core.jobs.tasks import lane_task, row_task

__all__ = ["lane_task", "periodic", "resend", "row_task", "send_after_commit"]
