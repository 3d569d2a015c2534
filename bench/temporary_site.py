"""A temporary site for measurements: embedded servers in a temporary folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def temporary_site() -> Iterator[Path]:
    """Start the embedded servers in a temporary folder, set Django up, and yield the folder.

    Call it before anything reads Django's settings. At the end of the block, the servers are
    stopped and the folder is deleted.
    """
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
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
