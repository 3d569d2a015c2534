"""A progress bar of tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from config.backup.programs import Report


@contextmanager
def table_progress(total: int, verb: str) -> Iterator[Report]:
    """Show a bar during the block; call the yielded function with the name of each table."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn()) as progress:
        task = progress.add_task(verb, total=total)
        yield lambda table: progress.update(task, advance=1, description=f"{verb} {table}")
