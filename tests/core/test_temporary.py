"""Folders of temporary files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from core.temporary import PREFIX, without_folders

USE = "from core.temporary import use_own_folder; use_own_folder(); import tempfile; "
LEAVE = USE + "print(tempfile.mkdtemp(), flush=True); input()"


def start(program: str, root: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": str(root), "PYTHONPATH": str(Path.cwd())}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)


def test_the_folder_of_a_killed_process_is_deleted_by_the_next(tmp_path: Path) -> None:
    killed, running = start(LEAVE, tmp_path), start(LEAVE, tmp_path)
    assert killed.stdout and running.stdout
    left, used = (Path(one.stdout.readline().strip()) for one in (killed, running))
    assert left.parent.name.startswith(f"{PREFIX}{killed.pid}-")
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert left.is_dir()
    start(USE, tmp_path).wait()
    assert not left.exists() and used.is_dir()
    running.communicate("\n")
    assert not used.exists() and list(tmp_path.iterdir()) == []


def test_messages_do_not_name_folders_of_temporary_files() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inner" / "scores.csv"
        assert without_folders(f"{path}:3: is no number") == "scores.csv:3: is no number"
    assert without_folders("the passage /tmpfs is none") == "the passage /tmpfs is none"
