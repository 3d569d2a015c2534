"""Tables as CSV and LaTeX, with their cells escaped.

A spreadsheet would run some text as a formula. Spreadsheets read a cell that begins with an
apostrophe as text (OWASP, "CSV Injection"). Text that already begins with apostrophes gets another
one, so that `unescape_formula` restores it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from concord.tables import ResultTable

Cell = str | float | None

# Full-width signs begin a formula in East Asian editions.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_ESCAPED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
BLOCK_CHARACTERS = 1 << 16
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
)


def csv_blocks(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A CSV file in parts, for large ones; None is an empty cell, formulas are escaped."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([escape_formula(name) for name in header])
    for row in rows:
        writer.writerow([escape_formula(value) for value in row])
        if buffer.tell() > BLOCK_CHARACTERS:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV file; None is an empty cell, formulas are escaped."""
    return "".join(csv_blocks(header, rows))


def table_csv(table: ResultTable) -> str:
    """A table as a CSV file: its values as they are, with the headings of its columns."""
    rows = ([column.value_of(row) for column in table.columns] for row in table.rows)
    return csv_text([column.heading for column in table.columns], rows)


def latex_table(alignment: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A tabular of the package booktabs; its cells are LaTeX already."""
    head, *lines = (" & ".join(cells) + r" \\" for cells in (header, *rows))
    return "\n".join(
        [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", head, r"\midrule", *lines,
         r"\bottomrule", r"\end{tabular}", ""]
    )  # fmt: skip


def escape_latex(text: str) -> str:
    """Text in LaTeX."""
    return text.translate(_LATEX)


def escape_formula(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run; other values are unchanged."""
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return value


def unescape_formula(text: str) -> str:
    """Undo `escape_formula`."""
    return text[1:] if _ESCAPED.match(text) else text
