"""Read a file in a process of its own, which has limits of memory and time.

A damaged file can end a process inside a library, and a small one can unpack to more than the
memory. So Parquet files and workbooks are read by a program that writes JSON Lines; one of them may
be {"error": ..., "at": ..., "field": ...}, which is the last.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from concord.formats.errors import Problems, json_path_part
from concord.formats.limits import Limits

# The folder of the package, where it is not installed.
ROOT = Path(__file__).parents[2]
# A row with all its texts, as ASCII.
MAX_LINE_BYTES = 64 * 1024 * 1024


def read_lines(
    program: Sequence[str], name: str, what: str, limits: Limits, problems: Problems
) -> Generator[dict[str, Any], None, None]:
    """The lines of a program of Python.

    program: its arguments. name: of the file. what: its format, for messages. Raises FormatError
    for an error of the file, which may name a part of it, and where the program ends early.
    """
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    # Threads of linear algebra have memory of their own.
    environment = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    # -P: the folder of the program is no place of modules.
    child = subprocess.Popen(
        [sys.executable, "-P", *program],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert child.stdout is not None
    size = 0
    try:
        while line := child.stdout.readline(MAX_LINE_BYTES):
            size += len(line)
            if not line.endswith(b"\n") or size > limits.max_unpacked_bytes:
                message = f"has more than {limits.max_unpacked_bytes:,} characters of text"
                raise problems.fatal(name, None, None, message)
            sent = json.loads(line)
            if "error" in sent:
                part = sent.get("part") or name
                field = sent.get("field")
                field = field and json_path_part(field)
                raise problems.fatal(part, sent.get("at"), field, sent["error"])
            yield sent
        code = child.wait()
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            raise problems.fatal(name, None, None, f"takes too long to read as {what}")
        if code != 0:
            raise problems.fatal(name, None, None, f"cannot be read as {what}: it is damaged")
    finally:
        child.kill()
        child.stdout.close()
        child.wait()
