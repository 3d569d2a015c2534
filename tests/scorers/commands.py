"""Run the metrics' command line in this process (test_cli starts a process)."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

from scorers.cli import main


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """What `python -m scorers WORDS` returns and prints."""
    out, errors = io.StringIO(), io.StringIO()
    argv = patch.object(sys, "argv", ["scorers", *words])  # a checkpoint's card records it
    with argv, redirect_stdout(out), redirect_stderr(errors):
        try:
            status = main(list(words))
        except SystemExit as end:  # argparse ends so
            status = int(end.code or 0)
    return subprocess.CompletedProcess(words, status, out.getvalue(), errors.getvalue())
