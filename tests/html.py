"""Normalize the white space of pages in tests."""

from __future__ import annotations

import re
from typing import Any


def readable(response: Any) -> str:
    """The page's HTML with one space for each run of white space, and none at the end of a tag."""
    return re.sub(r"\s+(/?>)", r"\1", re.sub(r"\s+", " ", response.content.decode()))
