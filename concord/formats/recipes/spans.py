"""Error spans from the records of a recipe: between markers in a text, or by their offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from concord.formats.errors import quote, quote_names
from concord.formats.files import parse_json
from concord.formats.recipes.paths import MISSING, Fault, FieldSource, Place, walk
from concord.formats.recipes.recipe import MarkedErrors
from concord.formats.records import Span
from concord.formats.value_words import value_key, written

# The offset of an error that is something missing; so is one behind the text.
_MISSING = "missing"
NameOf = Callable[[Any, FieldSource, Place, str], str]


def spans_of(
    marks: MarkedErrors, place: Place, candidate: str, name_of: NameOf, fault: Fault
) -> Iterator[tuple[Place, Span]]:
    """The spans of a record and their places, without those with a fault. name_of: reads a value as
    a name."""
    if not marks.path:
        error = _severity_and_categories(marks, place, name_of, fault)
        text = marks.text.get(place) if marks.text else None
        if error and isinstance(text, str):
            yield from ((place, Span(start, end, *error)) for start, end in _between(text, marks))
        return
    for one in walk(_with_json(place, marks.path[0].name), marks.path, fault):
        error = _severity_and_categories(marks, one, name_of, fault)
        if error and (offsets := _offsets(marks, one, candidate, fault)):
            yield one, Span(*offsets, *error)


def _severity_and_categories(
    marks: MarkedErrors, place: Place, name_of: NameOf, fault: Fault
) -> tuple[str | None, tuple[str, ...]] | None:
    """None where there is no error, or a fault."""
    given = None if marks.severity is None else marks.severity.get(place)
    severity = value_key(given)
    if severity in marks.none:
        return None
    if marks.severity is not None and severity not in marks.severities:
        known = quote_names(map(written, (*marks.severities, *sorted(marks.none, key=str))))
        state = "missing" if given is MISSING else quote(str(given).strip())
        fault(place, f"the severity is {state}; one of {known} is expected")
        return None
    source = marks.category
    if source is None:
        return marks.severities.get(severity), ()
    value = source.get(place)
    values = value if isinstance(value, list) else [value]
    names = (name_of(one, source, place, "category") for one in values)
    return marks.severities.get(severity), tuple(filter(None, names))


def _offsets(
    marks: MarkedErrors, place: Place, candidate: str, fault: Fault
) -> tuple[int | None, int | None] | None:
    """[start, end) of a span; a pair of None for something missing, and for a text whose place
    nobody knows; None with a fault. candidate: "" where the file has no texts."""
    start, end, marked = (None if one is None else one.get(place)
                          for one in (marks.first, marks.last, marks.text))  # fmt: skip
    if start == end == _MISSING:
        return None, None
    if isinstance(marked, str) and marked:
        if start is None or start is MISSING:
            if not candidate:
                return None, None
            if (start := candidate.find(marked)) < 0:
                fault(place, f"the marked text {quote(marked, 40)} is not in the candidate")
                return None
        if type(start) is int and (end is None or end is MISSING):
            end = start + len(marked) - marks.is_inclusive
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        fault(place, "the offsets of the span are no two numbers in order")
        return None
    if candidate and start >= len(candidate):
        return None, None
    end += marks.is_inclusive
    return start, min(end, len(candidate)) if candidate else end


def _with_json(place: Place, name: str) -> Place:
    """The record with this member, which may be JSON as a text, read."""
    value: Any = place.value.get(name, MISSING) if isinstance(place.value, dict) else MISSING
    if isinstance(value, str) and value.startswith("["):
        return replace(place, value={**place.value, name: parse_json(value)[0]})
    return place


def _between(text: str, marks: MarkedErrors) -> list[tuple[int | None, int | None]]:
    """The characters [start, end) between each two markers, in the text without markers; a pair
    of None where there are none."""
    found: list[tuple[int | None, int | None]] = []
    clean, rest = 0, text
    while True:
        before, opened, rest = rest.partition(marks.start)
        if not opened:
            break
        inside, _, rest = rest.partition(marks.end)
        start = clean + len(before)
        clean = start + len(inside)
        found.append((start, clean))
    return found or [(None, None)]
