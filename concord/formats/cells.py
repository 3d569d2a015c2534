"""Escape cells of CSV files that a spreadsheet would run as a formula.

Spreadsheets read a cell that begins with an apostrophe as text (OWASP, "CSV Injection"). Text that
already begins with apostrophes gets another one, so that `unescape_formula` restores it.
"""

from __future__ import annotations

import re
from typing import Any

Cell = str | float | None

# Full-width signs begin a formula in East Asian editions.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_ESCAPED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def escape_formula(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run; other values are unchanged."""
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return value


def unescape_formula(text: str) -> str:
    """Undo `escape_formula`."""
    return text[1:] if _ESCAPED.match(text) else text
