"""Agreement on error spans: character F1, and Krippendorff's alpha for unitising."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.formats.marks import RaterMarks, merge_ranges
from concord.formats.records import SEVERITIES

Ranges = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Overlap:
    """Marked characters of two raters, summed over answers.

    both: marked by both. same_severity: by both with the same severity. first, second: by each.
    """

    both: int
    same_severity: int
    first: int
    second: int

    @property
    def f1(self) -> float | None:
        """2 both / (first + second), from 0 to 1; None where neither marked anything."""
        return self._share(self.both)

    @property
    def severity_f1(self) -> float | None:
        """The same, counting only characters with the same severity."""
        return self._share(self.same_severity)

    def _share(self, shared: int) -> float | None:
        total = self.first + self.second
        return 2 * shared / total if total else None


def overlap(pairs: Sequence[tuple[RaterMarks, RaterMarks]]) -> Overlap:
    """The marked characters of pairs of raters of the same answer.

    A character counts once, with the highest of its severities. Errors without a position or with
    an undecided severity cover nothing.
    """
    both = same = first = second = 0
    for one, other in pairs:
        a, b = _severities(one), _severities(other)
        first, second = first + len(a), second + len(b)
        shared = a.keys() & b.keys()
        both += len(shared)
        same += sum(a[position] == b[position] for position in shared)
    return Overlap(both, same, first, second)


@dataclass(frozen=True, slots=True)
class UnitizingAlpha:
    """1 - observed / expected disagreement: 1 is perfect, 0 is chance, below 0 is worse. None
    where nobody marked anything."""

    value: float | None
    observed: float
    expected: float


def unitizing_alpha(lengths: Sequence[int], units: Sequence[Sequence[Ranges]]) -> UnitizingAlpha:
    """Krippendorff's alpha for unitising a continuum, of one category.

    lengths: of T texts, in characters. units: for each of m raters and each text, ranges
    [start, end) that do not overlap (`merge_ranges`). Texts are joined to one continuum, in which
    neither units nor gaps cross from text to text. Krippendorff, Measuring the Reliability of
    Qualitative Text Analysis Data (Quality & Quantity 38, 2004), Equations 2 to 5. Raises
    ValueError for fewer than two raters, and for ranges out of their text.
    """
    if len(units) < 2:
        raise ValueError("agreement needs two raters or more")
    return Continuum(lengths, units).alpha()


class Continuum:
    """Texts that m raters cut into units: alpha of any part of them (see `unitizing_alpha`).

    Distances between raters on a text, and the sizes of units and gaps, are computed once.
    """

    def __init__(self, lengths: Sequence[int], units: Sequence[Sequence[Ranges]]) -> None:
        self.lengths = np.array(lengths)
        gaps = [[_gaps(ranges, lengths[t]) for t, ranges in enumerate(each)] for each in units]
        # Of ordered pairs of raters (i, j) on text t. A unit in a gap counts from both sides: here
        # as (i, j) and as (j, i).
        self.distances = np.array([
            [
                [
                    _unit_distance(units[i][t], units[j][t])
                    + 2 * _gap_distance(units[i][t], gaps[j][t])
                    for t in range(len(lengths))
                ]
                for j in range(len(units))
            ]
            for i in range(len(units))
        ])  # fmt: skip
        self.distances[np.arange(len(units)), np.arange(len(units))] = 0.0
        self._units, self._gaps = _sizes(units), _sizes(gaps)

    def alpha(self, marked: NDArray[np.bool_] | None = None) -> UnitizingAlpha:
        """Alpha over what `marked`, (m, T), says that a rater marked of a text; by default all.

        A text that one rater is left out of counts the pairs of the others; a text with fewer than
        two raters does not count.
        """
        if marked is None:
            marked = np.ones(self.distances.shape[1:], dtype=np.bool_)
        marked = marked & (marked.sum(axis=0) >= 2)
        raters = marked.sum(axis=0)
        length = int(self.lengths[raters > 0].sum())
        total = int((raters * self.lengths).sum())
        sizes, gaps = (
            each[2, marked[each[0], each[1]]].astype(float) for each in (self._units, self._gaps)
        )
        if not len(sizes):
            return UnitizingAlpha(value=None, observed=0.0, expected=0.0)
        pairs = np.maximum(raters * (raters - 1), 1)
        within = np.einsum("ijt,it,jt->t", self.distances, marked, marked) / pairs
        observed = float(within.sum()) / length**2
        expected = _expected(sizes, np.sort(gaps), total, length)
        return UnitizingAlpha(1 - observed / expected if expected else None, observed, expected)


def _sizes(ranges: Sequence[Sequence[Ranges]]) -> NDArray[np.int64]:
    """The rater, the text and the size of each range, (3, ranges)."""
    rows = [
        (rater, text, end - start)
        for rater, texts in enumerate(ranges)
        for text, each in enumerate(texts)
        for start, end in each
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3).T


def _expected(
    sizes: NDArray[np.float64], gaps: NDArray[np.float64], total: int, length: int
) -> float:
    between_units = (len(sizes) - 1) / 3 * (2 * sizes**3 - 3 * sizes**2 + sizes)
    # Over the gaps of at least a unit's size: the number of positions of the unit in them.
    first = np.searchsorted(gaps, sizes)
    sums = np.append(np.cumsum(gaps[::-1])[::-1], 0.0)[first]
    positions = sums - (len(gaps) - first) * (sizes - 1)
    above = 2 / length * float((between_units + sizes**2 * positions).sum())
    return above / (total * (total - 1) - float((sizes * (sizes - 1)).sum()))


def _unit_distance(own: Ranges, other: Ranges) -> float:
    """Squared distances of both ends, over overlapping units."""
    return float(
        sum((a - c) ** 2 + (b - d) ** 2 for a, b in own for c, d in other if a < d and c < b)
    )


def _gap_distance(own: Ranges, gaps: Ranges) -> float:
    """Squared lengths of the units that lie in one of the other rater's gaps."""
    return float(sum((b - a) ** 2 for a, b in own if any(c <= a and b <= d for c, d in gaps)))


def _gaps(ranges: Ranges, length: int) -> list[tuple[int, int]]:
    """What the ranges leave of a text."""
    gaps, position = [], 0
    for start, end in sorted(ranges):
        if not position <= start < end <= length:
            raise ValueError(f"the range {start} to {end} is not in its text, or overlaps another")
        if start > position:
            gaps.append((position, start))
        position = end
    return [*gaps, (position, length)] if position < length else gaps


def _severities(marks: RaterMarks) -> dict[int, int]:
    """The highest severity of each marked character."""
    levels: dict[int, int] = {}
    for span in marks.spans:
        if span.severity is not None:
            level = SEVERITIES.index(span.severity)
            for position in span.characters:
                levels[position] = max(level, levels.get(position, -1))
    return levels


def marked_ranges(marks: Sequence[RaterMarks]) -> list[Ranges]:
    """The merged ranges of each of one rater's marks, for `unitizing_alpha`."""
    return [merge_ranges(one.spans) for one in marks]
