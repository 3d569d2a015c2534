"""The folder of third-party judgment data for benchmarks and tests; it is never committed.

The folder is CONCORD_DATA, or `../shared/data` beside the checkout.
"""

from __future__ import annotations

import os
from pathlib import Path

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data"


def path(name: str = "") -> Path:
    """The path of one file or folder of the data. Raises FileNotFoundError where it is absent."""
    data_path = Path(os.environ.get("CONCORD_DATA") or DEFAULT) / name
    if not data_path.exists():
        raise FileNotFoundError(f"no judgment data at {data_path}: set CONCORD_DATA to its folder")
    return data_path


def is_here(name: str) -> bool:
    """Whether a file or folder of the data is found."""
    try:
        path(name)
    except FileNotFoundError:
        return False
    return True
