"""Run a tutorial's code blocks as written, in their order.

- `python`: executed in one namespace for the whole page, in the test's process.
- `shell`: run by bash, which stops at the first error.
- `text` directly after one of these: lines that its output must hold, in this order. A line of
  `...` stands for any lines. Runs of spaces count as one.
- Any other block, such as `console`, is for reading.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


@dataclass
class TutorialRunner:
    """`folder` is where the reader's terminal is; `environment` what its programs see."""

    folder: Path
    environment: dict[str, str]
    names: dict[str, Any] = field(default_factory=dict)

    def run(self, page: Path) -> None:
        """Run every block; raises AssertionError where a program fails or prints something else."""
        output: str | None = None
        for language, code in _blocks(page):
            if language == "python":
                output = self._python(code, page.name)
            elif language == "shell":
                output = self.shell(code)
            elif language == "text" and output is not None:
                _check(output, code)
                output = None
            else:
                output = None

    def _python(self, code: str, name: str) -> str:
        written = io.StringIO()
        with redirect_stdout(written):
            exec(compile(code, name, "exec"), self.names)
        return written.getvalue()

    def shell(self, code: str) -> str:
        """Run a script by bash. Returns what it prints; raises AssertionError where it fails."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", code],
            cwd=self.folder,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def _blocks(page: Path) -> Iterator[tuple[str, str]]:
    for match in BLOCK.finditer(page.read_text()):
        yield match[1], match[2]


def _check(output: str, expected: str) -> None:
    """The expected lines stand in the output one after another."""
    lines = [" ".join(line.split()) for line in output.splitlines()]
    position = 0
    for line in expected.splitlines():
        wanted = " ".join(line.split())
        if wanted in ("", "..."):
            continue
        assert wanted in lines[position:], f"{wanted!r} is not in:\n{output}"
        position = lines.index(wanted, position) + 1
