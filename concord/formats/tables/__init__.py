"""The one reader of tables: CSV and TSV, XLSX, Parquet, JSON and JSON Lines.

`open_table` reads the header and streams the rows. `guess_meanings` assigns a meaning to columns by
their headings, `resolve_columns` takes those that people assign.
"""

from concord.formats.meanings import IGNORED, JUDGED_MEANINGS, KEY, MEANINGS
from concord.formats.tables.columnar import CodedColumns, Codes, read_columns
from concord.formats.tables.columns import (
    guess_judged,
    guess_meanings,
    likely_raters,
    mapping_problems,
    meaning_of,
    resolve_columns,
)
from concord.formats.tables.opening import KINDS, TABLE_FILES, kind_of, open_table
from concord.formats.tables.preview import Preview, PreviewRow, preview_table, sample
from concord.formats.tables.table import Cell, Table, Unreadable, cell_text, to_cell

__all__ = [
    "IGNORED",
    "JUDGED_MEANINGS",
    "KEY",
    "KINDS",
    "MEANINGS",
    "TABLE_FILES",
    "Cell",
    "CodedColumns",
    "Codes",
    "Preview",
    "PreviewRow",
    "Table",
    "Unreadable",
    "cell_text",
    "guess_judged",
    "guess_meanings",
    "kind_of",
    "likely_raters",
    "mapping_problems",
    "meaning_of",
    "open_table",
    "preview_table",
    "read_columns",
    "resolve_columns",
    "sample",
    "to_cell",
]
