"""One rater's marks on one answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from concord.formats.records import Span


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
