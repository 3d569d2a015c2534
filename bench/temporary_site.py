"""A temporary site for measurements: embedded servers in a temporary folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path


@contextmanager
def temporary_site(kept: Path | None = None) -> Iterator[Path]:
    """Start the embedded servers in a temporary folder, set Django up, and yield the folder.

    Call it before anything reads Django's settings. At the end of the block, the servers are
    stopped and the folder is deleted. kept: a folder to use instead, which is not deleted.
    """
    temporary = tempfile.TemporaryDirectory(prefix="concord-bench-") if kept is None else None
    with temporary or nullcontext(str(kept)) as folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        os.chmod(folder, 0o755)  # PostgreSQL's own account must enter when root starts it
        os.environ["CONCORD_VAR"] = str(Path(folder) / "var")
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django
        from django.conf import settings

        from config import embedded

        embedded.ensure(settings.EMBEDDED_PATHS)
        try:
            django.setup()
            yield Path(folder)
        finally:
            embedded.leave(settings.EMBEDDED_PATHS)
