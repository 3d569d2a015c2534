"""Agreement on error spans: character F1, and Krippendorff's alpha for unitising."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Booleans, Floats
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


class Continuum:
    """Texts that m raters cut into units: Krippendorff's alpha for unitising, of one category.

    lengths: of T texts, in characters. units: for each of the raters and each text, ranges
    [start, end) that do not overlap (`merge_ranges`). Texts are joined to one continuum, in which
    neither units nor gaps cross from text to text. Krippendorff, Measuring the Reliability of
    Qualitative Text Analysis Data (Quality & Quantity 38, 2004), Equations 2 to 5. Distances
    between raters on a text, and the sizes of units and gaps, are computed once, for any parts.
    Raises ValueError for fewer than two raters, and for ranges out of their text.
    """

    def __init__(self, lengths: Sequence[int], units: Sequence[Sequence[Ranges]]) -> None:
        if len(units) < 2:
            raise ValueError("agreement needs two raters or more")
        self._lengths = np.array(lengths, dtype=np.float64)
        gaps = [[_gaps(ranges, lengths[t]) for t, ranges in enumerate(each)] for each in units]
        m = len(units)
        # Of ordered pairs of raters (i, j) on text t. A unit in a gap counts from both sides: here
        # as (i, j) and as (j, i).
        self._distances = np.zeros((m, m, len(lengths)))
        for i, j, t in np.ndindex(*self._distances.shape):
            if i != j:
                in_gaps = _gap_distance(units[i][t], gaps[j][t])
                self._distances[i, j, t] = _unit_distance(units[i][t], units[j][t]) + 2 * in_gaps
        self._sizes = np.unique(
            [b - a for each in (units, gaps) for r in _flat(each) for a, b in r]
        )
        self._units, self._gaps = self._counts(units), self._counts(gaps)

    def alpha(self) -> float:
        """1 - observed / expected disagreement of everything: 1 is perfect, 0 is chance, below 0 is
        worse; NaN where nobody marked anything."""
        return float(self.alphas(np.ones((1, *self._distances.shape[1:]), dtype=np.bool_))[0])

    def alphas(self, marked: Booleans) -> Floats:
        """The `alpha` of each of the parts of `disagreements`, (P,)."""
        observed, expected = self.disagreements(marked)
        some = np.where(expected > 0, expected, np.nan)
        return np.asarray(1 - observed / some)

    def disagreements(self, marked: Booleans) -> tuple[Floats, Floats]:
        """Observed and expected disagreement, (P,), of the parts `marked`, (P, m, T), which say
        whose marks of which text count.

        Of a text without one rater's marks the pairs of the others count; a text with fewer than
        two raters does not count.
        """
        marked = marked & (marked.sum(axis=1, keepdims=True) >= 2)
        raters = marked.sum(axis=1)
        length, total = (raters > 0) @ self._lengths, raters @ self._lengths
        weights = marked.astype(np.float64)
        between = np.einsum("ijt,pit,pjt->pt", self._distances, weights, weights, optimize=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = (between / np.maximum(raters * (raters - 1), 1)).sum(axis=1) / length**2
            expected = self._expected(weights.reshape(len(marked), -1), length, total)
        return observed, np.nan_to_num(expected, nan=0.0)

    def _expected(self, weights: Floats, length: Floats, total: Floats) -> Floats:
        size = self._sizes
        units, gaps = (np.asarray((counts.T @ weights.T).T) for counts in (self._units, self._gaps))
        within = (units.sum(axis=1) - 1) / 3 * (units @ (2 * size**3 - 3 * size**2 + size))
        # Over the gaps of at least a unit's size: the number of positions of the unit in them.
        number, sums = (
            np.cumsum(values[:, ::-1], axis=1)[:, ::-1] for values in (gaps, gaps * size)
        )
        positions = sums - number * (size - 1)
        above = 2 / length * (within + (units * size**2 * positions).sum(axis=1))
        return np.asarray(above / (total * (total - 1) - units @ (size * (size - 1))))

    def _counts(self, ranges: Sequence[Sequence[Ranges]]) -> scipy.sparse.csr_array:
        """How many ranges of each size each rater has in each text, (m T, sizes)."""
        rows = [(cell, b - a) for cell, each in enumerate(_flat(ranges)) for a, b in each]
        cells, sizes = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        columns = np.searchsorted(self._sizes, sizes)
        shape = (len(ranges) * len(self._lengths), len(self._sizes))
        return scipy.sparse.csr_array((np.ones(len(rows)), (cells, columns)), shape=shape)


def _flat(ranges: Sequence[Sequence[Ranges]]) -> list[Ranges]:
    return [each for texts in ranges for each in texts]


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
    """The merged ranges of each of one rater's marks, for `Continuum`."""
    return [merge_ranges(one.spans) for one in marks]
