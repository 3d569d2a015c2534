"""The built documentation, for tests."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.documentation import BUILT

FOLDER = settings.BASE_DIR / "var" / "test-docs"


@pytest.fixture(scope="session")
def built(testrun_uid: str) -> Path:
    """The folder of the built documentation; the first process that asks builds what changed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    built_in = FOLDER / "built-in-run"
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the other processes wait for the first one's pages
        if not built_in.exists() or built_in.read_text() != testrun_uid:
            command = [sys.executable, "-m", "docs"]
            done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            built_in.write_text(testrun_uid)
    return BUILT
