"""Error spans in a model's answer, as GEMBA-MQM asks for them (Kocmi and Federmann 2023)."""

from __future__ import annotations

import json

from concord.formats.labels import label_key
from concord.formats.records import SEVERITIES, Span
from concord.judges.chat.answers import ReadLabel
from concord.spans import Weights, mqm_score

NO_LIST = "no list of errors"


def read_marks(text: str, candidate: str) -> tuple[ReadLabel, list[Span]]:
    """The errors that an answer lists, and their score: the negative sum of MQM's weights.

    The answer holds one JSON list, with or without text around it: `{"span", "severity",
    "category"}` for each error, the category optional. A span is the first place in the candidate
    with these characters that no earlier error of the list has. 0 for an empty list, higher is
    better. The answer is invalid, and has no score and no spans, without such a list, for an
    unknown severity, and for a span that the candidate does not have.
    """
    rows = _list(text)
    if rows is None:
        return ReadLabel(None, None, NO_LIST), []
    spans: list[Span] = []
    taken: set[tuple[int, int]] = set()
    for row in rows:
        words, severity = row.get("span"), row.get("severity")
        if type(words) is not str or not words:
            return ReadLabel(None, None, "an error without a span"), []
        name = label_key(severity) if type(severity) is str else ""
        if name not in SEVERITIES:
            return ReadLabel(None, None, f"the severity {severity!r} of an error is unknown"), []
        place = _place(words, candidate, taken)
        if place is None:
            return ReadLabel(None, None, f"the answer does not hold the span {words[:80]!r}"), []
        taken.add(place)
        category = row.get("category")
        categories = (category,) if type(category) is str and category else ()
        spans.append(Span(*place, name, categories))
    return ReadLabel(mqm_score(spans, Weights()), None), spans


def _place(words: str, candidate: str, taken: set[tuple[int, int]]) -> tuple[int, int] | None:
    start = candidate.find(words)
    while start >= 0:
        place = start, start + len(words)
        if place not in taken:
            return place
        start = candidate.find(words, start + 1)
    return None


def _list(text: str) -> list[dict[str, object]] | None:
    """The one list of objects in a text; None without one."""
    start, end = text.find("["), text.rfind("]")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    if type(value) is not list or any(type(row) is not dict for row in value):
        return None
    return value
