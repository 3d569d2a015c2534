"""Importing heavy libraries when they are first needed, by one thread at a time.

Two threads that enter a package with circular imports at two of its modules may each find the
other's half made: sacrebleu is such a package.
"""

from __future__ import annotations

import importlib
import threading
from typing import Any

_lock = threading.RLock()


def late_import(module: str, name: str) -> Any:
    """`from module import name`, waiting for other late imports to end."""
    with _lock:
        return getattr(importlib.import_module(module), name)
