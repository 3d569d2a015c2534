"""Detect the format of a file, to name it in the error when the caller gave another."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from concord.formats.delimited import separator
from concord.formats.errors import quote_names

# The name of a JSON member. In a string value the quotation marks would be escaped.
_NAME = re.compile(r'(?<!\\)"([\w-]{1,40})"\s*:')


@dataclass(frozen=True)
class DetectedFormat:
    """A format; `kind` is "judgments" or "pairs". format: "" for any."""

    kind: str
    format: str

    def __str__(self) -> str:
        return f"{self.kind} in the format {self.format}" if self.format else self.kind

    def advice(self, expected: DetectedFormat) -> str:
        """What to do where the file was given as another format."""
        if self.kind == expected.kind:
            return f"choose the format {self.format}"
        return f"{expected} are expected"


# Rows of error spans, which have no header (see `spans.COLUMNS`).
SPAN_COLUMNS = 12
# Between two rows.
_OBJECT_END = re.compile(r"\}\s*,?\s*(\{|\]?\s*$)")
_CATEGORIES = re.compile(r'error_type"+:\s*\[')

# What begins a file, which names its objects have, and the format. JSON Lines begin with an object.
_JSON_SIGNS: list[tuple[str, str, str, set[str]]] = [
    ("{", "judgments", "potato", {"instance_id_to_label_to_value"}),
    ("[", "pairs", "lfqa", {"BetterAnswer", "answer1", "answer2"}),
    ("[", "pairs", "llmbar", {"output_1", "output_2", "label"}),
    ("{", "pairs", "concord", {"candidate1", "candidate2", "references"}),
    ("{", "pairs", "concord", {"candidate1", "candidate2", "messages"}),
    ("{", "pairs", "concord", {"candidate1", "candidate2", "system1", "ratings"}),
    ("{", "pairs", "concord", {"candidate1", "candidate2", "system1", "score1"}),
    ("{", "judgments", "concord", {"candidate", "references"}),
    ("{", "judgments", "concord", {"id", "candidate", "ratings"}),
    ("{", "judgments", "concord", {"id", "candidate", "marks", "spans"}),
    ("{", "judgments", "concord", {"id", "messages", "candidate"}),
    ("{", "judgments", "concord", {"id", "messages", "judged"}),
]


def detect_formats(head: str) -> list[DetectedFormat]:
    """The formats that the beginning of a file looks like."""
    start = head.lstrip()
    if start.startswith(("{", "[")):
        names = _names(head)
        return [
            DetectedFormat(kind, format)
            for begin, kind, format, signs in _JSON_SIGNS
            if start.startswith(begin) and signs <= names
        ]
    line = start.partition("\n")[0]
    try:
        header = next(csv.reader([line], delimiter=separator(line, SPAN_COLUMNS)), [])
    except csv.Error:
        return []
    if len(header) == SPAN_COLUMNS and header[3] in ("TGT", "BAD"):
        return _span_formats(head)
    columns = {cell.strip().casefold() for cell in header}
    return [DetectedFormat("judgments", "kpqa")] if {"question", "answer"} <= columns else []


def missing_signs(head: str, expected: DetectedFormat) -> str | None:
    """Why a JSON file is none of the expected format: it has not one of its fields. None where it
    has one, or where the head does not show all fields of the first object."""
    names = _names(head)
    signs = next((one for *_, kind, format, one in _JSON_SIGNS
                  if (kind, format) == (expected.kind, expected.format)), set())  # fmt: skip
    if not names or not signs or names & signs or not _OBJECT_END.search(head):
        return None
    return (
        f"has none of the fields {', '.join(sorted(signs))} of {expected}; its fields are "
        f"{quote_names(sorted(names))}"
    )


def _names(head: str) -> set[str]:
    """The names of members in the beginning of a JSON file; none of another file."""
    return set(_NAME.findall(head)) if head.lstrip().startswith(("{", "[")) else set()


def _span_formats(head: str) -> list[DetectedFormat]:
    """Of a WMT campaign; either reader may be wanted. MQM first where errors have categories."""
    names = ("mqm", "esa") if _CATEGORIES.search(head) else ("esa", "mqm")
    return [DetectedFormat("judgments", name) for name in names]
