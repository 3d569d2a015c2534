"""Imports of heavy libraries at first use, by one thread at a time.

If two threads import different modules of a package with circular imports, such as sacrebleu, each
may see the other's module before it is complete.
"""

from __future__ import annotations

import importlib
import threading
from typing import Any

_lock = threading.RLock()


def late_import(module: str, name: str = "") -> Any:
    """`from module import name`, or the module itself, after other late imports have finished."""
    with _lock:
        imported = importlib.import_module(module)
        return getattr(imported, name) if name else imported
