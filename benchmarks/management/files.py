"""Atomic writing of files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def atomic_file(path: Path) -> Iterator[TextIO]:
    """A text file that appears at `path` when the block ends without an error."""
    with (
        atomic_path(path) as part,
        part.open("w", encoding="utf-8", newline="\n") as file,
    ):
        yield file


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path whose file appears at `path` when the block ends without an error."""
    descriptor, part = tempfile.mkstemp(dir=path.parent or Path(), prefix=f".{path.name}.")
    os.close(descriptor)
    try:
        yield Path(part)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
