"""Cells of tables that spreadsheets open: text that they would run as a formula is kept text.

An apostrophe in front has every spreadsheet take a cell as text (OWASP, "CSV Injection"). It is
put before apostrophes that stand there already, too, so that `plain` gives back what was written.
"""

from __future__ import annotations

import re
from typing import Any

Cell = str | float | None

# Full-width signs begin a formula in East Asian editions.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_ESCAPED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def harmless(value: Any) -> Any:
    """The value for a cell: text that a spreadsheet would run gets an apostrophe in front."""
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return value


def plain(text: str) -> str:
    """The text of a cell that `harmless` wrote."""
    return text[1:] if _ESCAPED.match(text) else text
