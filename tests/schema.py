"""The schema of the test database: made by the migrations once, then restored from a dump.

The migrations take seven seconds of CPU time in each process of tests, a restore takes one.
"""

from __future__ import annotations

import fcntl
import hashlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import django
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

from config.backup import programs

FOLDER = settings.BASE_DIR / "var" / "test-schemas"


def from_dump() -> ExitStack:
    """Until it is closed, Django fills new test databases from the dump, and makes it if needed."""
    stack = ExitStack()
    stack.enter_context(patch("django.core.management.call_command", _call))
    return stack


def _call(name: str, *arguments: Any, **options: Any) -> None:
    if name != "migrate":
        call_command(name, *arguments, **options)
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    dump = FOLDER / f"{_fingerprint()}.dump"
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the other processes wait for the first one's dump
        if not dump.exists():
            for old in FOLDER.glob("*.dump"):
                old.unlink()
            call_command(name, *arguments, **options)
            unfinished = FOLDER / "unfinished"
            _run("pg_dump", "--format=custom", f"--file={unfinished}")
            unfinished.rename(dump)
            return
    _run("pg_restore", "--exit-on-error", str(dump))


def _run(program: str, *arguments: str) -> None:
    programs.run(programs.find(program), *arguments, report=lambda table: None)


def _fingerprint() -> str:
    """A hash of all migrations, those of Django's own apps included."""
    folders = (Path(app.path) / "migrations" for app in apps.get_app_configs())
    files = sorted(file for folder in folders for file in folder.glob("*.py"))
    sources = "".join(
        f"{file.parent.parent.name}/{file.name}\n{file.read_text()}" for file in files
    )
    return hashlib.sha256((django.__version__ + sources).encode()).hexdigest()[:16]
