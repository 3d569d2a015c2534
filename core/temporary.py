"""Temporary files of the site's processes, which have judgments and other private data."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX = "concord-tmp-"


def use_own_folder() -> None:
    """Put the temporary files of this process and its children in a folder that is deleted when the
    process ends, and delete those of processes that were killed."""
    root = Path(tempfile.gettempdir())
    if root.name.startswith(PREFIX):  # of the parent
        root = root.parent
    sweep(root)
    owner = os.getpid()
    folder = tempfile.mkdtemp(prefix=f"{PREFIX}{owner}-", dir=root)
    os.environ["TMPDIR"] = tempfile.tempdir = folder

    def delete() -> None:
        if os.getpid() == owner:  # and not a child that was forked
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(delete)


def sweep(root: Path) -> None:
    """Delete the folders of this account's processes that do not run any more."""
    for folder in root.glob(f"{PREFIX}*"):
        number = folder.name.removeprefix(PREFIX).partition("-")[0]
        with suppress(OSError):
            is_own = folder.stat().st_uid == os.getuid() and not folder.is_symlink()
            if is_own and number.isdecimal() and not _runs(int(number)):
                shutil.rmtree(folder, ignore_errors=True)


def without_folders(text: str) -> str:
    """The text without the folders of temporary files, whose names no answer may show."""
    return re.sub(re.escape(tempfile.gettempdir()) + r"/(?:[^/\s:'\"]+/)*", "", text)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another account
        return True
    return True
