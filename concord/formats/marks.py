"""One rater's marks on one answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from concord.formats.fields import Fields
from concord.formats.records import SEVERITIES, Span
from concord.sentences import counted


@dataclass(frozen=True, slots=True)
class RaterMarks:
    """The spans of one rater on one answer.

    document: answers of one document are dependent. segment: the part of the document. score: from
    0 to 100, higher is better, or None. is_control: the answer was made worse on purpose.
    """

    rater: str
    system: str
    document: str
    segment: str
    spans: tuple[Span, ...]
    score: float | None = None
    is_control: bool = False

    @property
    def answer(self) -> tuple[str, str, str]:
        """What was marked: raters of the same answer can be compared."""
        return self.system, self.document, self.segment


def checked_span(
    fields: Fields, span: Span, text: str = "", start: str = "start", end: str = "end"
) -> Span | None:
    """A span whose values are those of a file; None with a fault of these fields.

    text: of the answer, "" where the file does not have it. start, end: the names of the offsets.
    """
    if span.severity is not None and span.severity not in SEVERITIES:
        fields.fault("severity", f"must be one of {', '.join(SEVERITIES)}, or null for undecided")
    if type(span.start) is int and type(span.end) is int:
        if not 0 <= span.start < span.end:
            fields.fault(start, "start must be 0 or more and below end")
        elif text and span.end > len(text):
            message = f"is {span.end:,}, but the candidate has {counted(len(text), 'character')}"
            units = len(text.encode("utf-16-le")) // 2
            if span.end <= units:
                message += (
                    f" ({units:,} UTF-16 code units, as JavaScript counts them; write offsets in "
                    "characters)"
                )
            fields.fault(end, message)
    elif span.start is not None or span.end is not None:
        fields.fault(start, "start and end must be whole numbers, or both null")
    return None if fields.faults else span


def merge_ranges(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """The covered characters as ranges [start, end) that do not overlap or touch, in order."""
    merged: list[tuple[int, int]] = []
    for part in sorted((one.characters for one in spans if len(one.characters)), key=_start):
        if merged and part.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], part.stop))
        else:
            merged.append((part.start, part.stop))
    return merged


def consensus(marks: Sequence[RaterMarks], at_least: int) -> list[tuple[int, int]]:
    """The characters that at least so many of the raters marked, as ranges [start, end).

    A rater counts once for a character, however many of their spans cover it. Raises ValueError
    where `at_least` is not from 1 to the number of raters.
    """
    if not 1 <= at_least <= len(marks):
        raise ValueError(f"at_least is {at_least}; there are {len(marks)} raters")
    changes: dict[int, int] = {}
    for one in marks:
        for start, end in merge_ranges(one.spans):
            changes[start] = changes.get(start, 0) + 1
            changes[end] = changes.get(end, 0) - 1
    ranges: list[tuple[int, int]] = []
    count, opened = 0, 0
    for position in sorted(changes):
        before, count = count, count + changes[position]
        if before < at_least <= count:
            opened = position
        elif count < at_least <= before:
            ranges.append((opened, position))
    return ranges


def _start(part: range) -> int:
    return part.start
