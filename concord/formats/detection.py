"""Detect the format of a file, to name it in the error when the caller gave another."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass

# The name of a JSON member. In a string value the quotation marks would be escaped.
_NAME = re.compile(r'(?<!\\)"([\w-]{1,40})"\s*:')


@dataclass(frozen=True)
class DetectedFormat:
    """A format; `kind` is "judgments" or "pairs"."""

    kind: str
    format: str

    def __str__(self) -> str:
        if self.kind == "pairs":
            return f"pairs in the format {self.format}"
        return f"judgments in the format {self.format}"

    def advice(self, expected: DetectedFormat) -> str:
        """What to do where the file was given as another format."""
        if self.kind == expected.kind:
            return f"choose the format {self.format}"
        return f"{expected} are expected"


# Rows of error spans, which have no header (see `spans.COLUMNS`).
SPAN_COLUMNS = 12
_CATEGORIES = re.compile(r'error_type"+:\s*\[')

_JSON_SIGNS: list[tuple[DetectedFormat, Callable[[set[str]], bool]]] = [
    (DetectedFormat("judgments", "thumb"), {"SYS", "seg_id", "hyp"}.issubset),
    (DetectedFormat("judgments", "summeval"), {"model_id", "decoded", "references"}.issubset),
    (DetectedFormat("judgments", "squality"), {"passage-id", "questions"}.issubset),
    (DetectedFormat("judgments", "label-studio"), {"data", "annotations"}.issubset),
    (DetectedFormat("judgments", "potato"), {"instance_id_to_label_to_value"}.issubset),
    (DetectedFormat("pairs", "lfqa"), {"BetterAnswer", "answer1", "answer2"}.issubset),
    (DetectedFormat("pairs", "llmbar"), {"output_1", "output_2", "label"}.issubset),
    (DetectedFormat("judgments", "evouna"), {"golden_answer", "question"}.issubset),
    (DetectedFormat("pairs", "concord"), {"candidate1", "candidate2", "references"}.issubset),
    (DetectedFormat("pairs", "mocha"), {"candidate1", "candidate2", "reference"}.issubset),
    (
        DetectedFormat("judgments", "concord"),
        lambda names: {"candidate", "references"} <= names and "completed_by" not in names,
    ),
    (DetectedFormat("judgments", "mocha"), {"candidate", "context", "reference"}.issubset),
]


def _span_formats(head: str) -> list[DetectedFormat]:
    """Of a WMT campaign; either reader may be wanted. MQM first where errors have categories."""
    names = ("mqm", "esa") if _CATEGORIES.search(head) else ("esa", "mqm")
    return [DetectedFormat("judgments", name) for name in names]


def detect_formats(head: str) -> list[DetectedFormat]:
    """The formats that the beginning of a file looks like."""
    start = head.lstrip()
    if start.startswith(("{", "[")):
        names = set(_NAME.findall(head))
        return [guess for guess, signs in _JSON_SIGNS if signs(names)]
    try:
        header = next(csv.reader([start.partition("\n")[0]]), [])
    except csv.Error:
        return []
    if len(header) == SPAN_COLUMNS and header[3] in ("TGT", "BAD"):
        return _span_formats(head)
    columns = {cell.strip().casefold() for cell in header}
    return [DetectedFormat("judgments", "kpqa")] if {"question", "answer"} <= columns else []
