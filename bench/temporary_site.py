"""A site of its own for a measurement: embedded servers in a temporary folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def temporary_site() -> Iterator[Path]:
    """Start the embedded servers in a temporary folder, set Django up, and yield the folder.

    Call it before anything reads Django's settings. The servers end and the folder goes with the
    block.
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
