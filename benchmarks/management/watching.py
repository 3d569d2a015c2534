"""Progress of metric runs on a terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.utils.timezone import now
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from benchmarks.runs import tasks
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import scheduling

POLL_SECONDS = 0.5
RESEND_SECONDS = 5.0


def watch(requested: Sequence[MetricRun], console: Console) -> list[MetricRun]:
    """Show the runs' progress until none is active. Returns the ended runs in the same order.

    Sends lost messages again, in case no worker runs the periodic job.
    """
    keys = [run.pk for run in requested]
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    last_resend = time.monotonic()
    with Progress(*columns, console=console, refresh_per_second=2) as progress:
        bars = {
            run.pk: progress.add_task(run.metric, total=100, state="queued") for run in requested
        }
        while True:
            current = MetricRun.objects.with_progress().in_bulk(keys)
            for run in current.values():
                _show(progress, bars[run.pk], run)
            if not any(run.is_active for run in current.values()):
                return [current[pk] for pk in keys]
            if time.monotonic() - last_resend > RESEND_SECONDS:
                last_resend = time.monotonic()
                for lane in scheduling.lanes_to_wake(at=now()):
                    tasks.score_next.delay(lane)
            time.sleep(POLL_SECONDS)


def _show(progress: Progress, bar: TaskID, run: MetricRun) -> None:
    if run.is_active:
        progress.update(bar, completed=run.percent, state=run.status)
        return
    state = run.status
    if run.status == MetricRun.Status.COMPLETE:
        computed = f"{run.n_computed:,} computed"
        state = f"{computed}, {run.n_known:,} known" if run.n_known else computed
    task = next(t for t in progress.tasks if t.id == bar)
    if not task.finished:
        progress.update(bar, completed=100, state=state)
    if run.status != MetricRun.Status.COMPLETE:
        progress.stop_task(bar)
