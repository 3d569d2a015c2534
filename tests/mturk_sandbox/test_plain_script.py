"""A script that knows nothing of Concord works against the sandbox, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import Person, balances

SCRIPT = Path(__file__).with_name("plain_script.py")


def run(sandbox: Sandbox, step: str, folder: Path) -> list[str]:
    """What the script prints; run elsewhere, so that it cannot import anything of Concord's."""
    command = [sys.executable, "-P", str(SCRIPT), sandbox.url, step]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=True
    )
    return done.stdout.splitlines()


def test_it_publishes_reviews_pays_and_deletes(
    sandbox: Sandbox, bob: Person, tmp_path: Path
) -> None:
    hits = run(sandbox, "create", tmp_path)
    for hit in hits:
        bob.do(hit, q1="yes", q2="no")
    printed = run(sandbox, "review", tmp_path)
    assert [line.split()[:3] for line in printed[:2]] == [
        ["survey", "2", "A1BOB"],
        ["survey", "1", "A1BOB"],
    ]
    # Two rewards of 25 cents and a bonus of ten, with fees of five, five and two.
    assert printed[2] == "9999.28"
    assert balances(sandbox.url, "AKIDLAB") == (1_000_000 - 72, 0)
