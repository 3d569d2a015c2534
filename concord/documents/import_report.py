"""Types of the JSON documents about imported files."""

from __future__ import annotations

from typing import TypedDict


class ImportReportRow(TypedDict, total=False):
    """`ImportReport.to_json()`, which has all of these keys."""

    files: list[str]
    format: str
    counted: str
    read: int
    kept: int
    left_out: dict[str, int]
    instances: int
    ratings: int
    empty_candidates: int
    without_judgment: int
    gold_given: int
    gold_from_ratings: int
    criterion: str
    criteria: dict[str, int]
    spans: int
    spans_without_position: int
    spans_undecided: int
    choices: int
    missing: int
    missing_words: dict[str, int]
    columns: dict[str, str]
    ignored: list[str]
    ignored_more: int
    notes: list[str]
