"""The Celery task of imports."""

from __future__ import annotations

from benchmarks.imports import services as imports
from benchmarks.runs import tasks as run_tasks
from core.jobs import row_task


@row_task("benchmarks.tasks.import_set")
def import_set(import_id: int) -> None:
    """Do one import, and send the tasks of the metric runs that it requested."""
    run_tasks.enqueue(imports.SET_IMPORTS.perform(import_id) or [])


imports.SET_IMPORTS.sent_by(import_set)
