"""How much a reader takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The most that a reader takes; past any of them the files are refused.

    `max_name_chars` bounds ids, systems, workers and the like, which databases index.
    """

    max_bytes: int = 512 * 1024 * 1024
    max_rows: int = 1_000_000
    max_field_chars: int = 200_000
    max_name_chars: int = 500
    max_references: int = 1_000
    max_ratings: int = 1_000
