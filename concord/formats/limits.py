"""Limits of readers."""

from __future__ import annotations

from dataclasses import dataclass

MAX_MAGNITUDE = 1e50
"""Of scores and ratings: products of variances of larger numbers are not finite."""
# Of a workbook or Parquet file that is read while somebody waits for a page.
MAX_UNPACKED_IN_REQUEST = 256 * 1024 * 1024
MAX_SECONDS_IN_REQUEST = 30


@dataclass(frozen=True)
class Limits:
    """Maximum sizes; files beyond any of them are rejected.

    `max_name_chars` is for ids, systems, workers and similar names, which databases index.
    `max_field_chars` holds for a text, and for all turns of a conversation together.
    `max_unpacked_bytes` is for the content of compressed files (XLSX, Parquet, zip),
    `max_group_bytes` for a row group of a Parquet file, `max_part_bytes` for a part of a workbook
    that is no sheet, `max_columns` for tables. `max_seconds` is the processor's time for reading a
    workbook or Parquet file.
    """

    max_bytes: int = 512 * 1024 * 1024
    max_rows: int = 1_000_000
    max_field_chars: int = 200_000
    max_name_chars: int = 500
    max_references: int = 1_000
    max_ratings: int = 1_000
    max_turns: int = 500
    max_columns: int = 200
    max_unpacked_bytes: int = 1024 * 1024 * 1024
    max_group_bytes: int = 256 * 1024 * 1024
    max_part_bytes: int = 64 * 1024 * 1024
    max_seconds: int = 900
