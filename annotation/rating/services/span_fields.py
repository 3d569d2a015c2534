"""Marked parts of a text as fields of a form.

Each part that can be marked is a row: a box `FIELD-NUMBER` whose value is its place, "START-END" in
Unicode code points or "missing", and the fields `FIELD-NUMBER-severity` and
`FIELD-NUMBER-category`. Pages without script offer the sentences; the script makes rows of what is
selected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from concord.protocols import Criterion

MISSING = "missing"
# From a character that is no space to the end of a sentence or line.
SENTENCE = re.compile(
    r"\S[^\r\n]*?(?:[.!?\u2026]['\"\u2019\u201d)\]]*(?=\s|\Z)"
    r"|[\u3002\uff01\uff1f]|(?=[\r\n]|\Z))"
)
PLACE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


class MarkedPart(TypedDict):
    """A marked part of a text, as an answer stores it; start, end: None where something is
    missing."""

    start: int | None
    end: int | None
    severity: str
    categories: list[str]


@dataclass(frozen=True)
class SpanRow:
    """A part that is or can be marked. `text` is empty where something is missing."""

    field: str
    place: str
    text: str
    is_marked: bool = False
    severity: str = ""
    category: str = ""


def span_rows(field: str, text: str, spans: Sequence[MarkedPart]) -> list[SpanRow]:
    """The marked parts, the sentences that are not marked, and one for something missing."""
    places: list[tuple[str, str, MarkedPart | None]] = []
    for span in spans:
        start, end = span["start"], span["end"]
        place = MISSING if start is None else f"{start}-{end}"
        places.append((place, "" if start is None else text[start:end], span))
    marked = {place for place, _, _ in places}
    for match in SENTENCE.finditer(text):
        place = f"{match.start()}-{match.end()}"
        if place not in marked:
            places.append((place, match[0], None))
    places.sort(key=_order)
    places.append((MISSING, "", None))
    return [
        SpanRow(f"{field}-{number}", place, part)
        if span is None
        else SpanRow(
            f"{field}-{number}",
            place,
            part,
            True,
            span["severity"],
            next(iter(span["categories"]), ""),
        )
        for number, (place, part, span) in enumerate(places)
    ]


def spans_of_form(criterion: Criterion, field: str, fields: Mapping[str, str]) -> list[MarkedPart]:
    """The spans in a form's fields, not validated. A place that is none is -1 to -1."""
    spans: list[MarkedPart] = []
    for name, place in fields.items():
        if not re.fullmatch(rf"{re.escape(field)}-[0-9]{{1,4}}", name):
            continue
        match = PLACE.fullmatch(place)
        start, end = (int(match[1]), int(match[2])) if match else (-1, -1)
        category = fields.get(f"{name}-category", "") or _only(criterion.categories)
        severity = fields.get(f"{name}-severity", "") or _only(criterion.severities)
        spans.append(
            {
                "start": None if place == MISSING else start,
                "end": None if place == MISSING else end,
                "severity": severity,
                "categories": [category] if category else [],
            }
        )
    return spans


def fields_of_spans(field: str, spans: Sequence[MarkedPart]) -> dict[str, str]:
    """Valid spans as fields of a form, which `spans_of_form` reads."""
    fields = {}
    for number, span in enumerate(spans):
        is_missing = span["start"] is None
        fields[f"{field}-{number}"] = MISSING if is_missing else f"{span['start']}-{span['end']}"
        fields[f"{field}-{number}-severity"] = span["severity"]
        for category in span["categories"]:
            fields[f"{field}-{number}-category"] = category
    return fields


def _order(row: tuple[str, str, MarkedPart | None]) -> tuple[bool, int]:
    match = PLACE.fullmatch(row[0])
    return match is None, int(match[1]) if match else 0


def _only(names: Sequence[str]) -> str:
    """The only one of the names; empty where there are several."""
    return names[0] if len(names) == 1 else ""
