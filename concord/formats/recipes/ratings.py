"""The ratings of a recipe's records, as numbers of candidates, raters and values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

import numpy as np

from concord.formats.recipes.numbers import Raw
from concord.formats.records import RatingRecord
from concord.formats.tables import Codes

# (criterion, rater, group)
RaterKey = tuple[str, str, str]
# The ratings of a candidate, and their values.
Ratings = tuple[tuple[RatingRecord, ...], Sequence[float]]
NO_RATINGS: Ratings = ((), ())
# The numbers of the candidate, the rater and the value of each rating.
RatingCodes = tuple[Codes, Codes, Codes]


class GivenRatings:
    """Ratings as they are read. Raters and values have numbers, in the order in which they were
    first seen.

    replaced: how many earlier ratings the same rater replaced.
    """

    def __init__(self) -> None:
        self._raters: dict[RaterKey, int] = {}
        self._values: dict[Raw, int] = {}
        self._read: list[RatingCodes] = []
        self.replaced = 0

    def rater(self, key: RaterKey) -> int:
        """The number of a rater on a criterion."""
        return self._raters.setdefault(key, len(self._raters))

    def value(self, value: Raw) -> int:
        """The number of a value."""
        return self._values.setdefault(value, len(self._values))

    @property
    def raters(self) -> list[RaterKey]:
        """The raters by their numbers."""
        return [*self._raters]

    @property
    def values(self) -> list[Raw]:
        """The values by their numbers."""
        return [*self._values]

    def add(self, ratings: RatingCodes) -> None:
        """Add ratings in order."""
        self._read.append(ratings)

    def criteria(self, raters: Codes) -> dict[str, None]:
        """The criteria of raters, in order."""
        import pandas as pd

        keys = self.raters
        return dict.fromkeys(keys[one][0] for one in pd.unique(raters).tolist())

    def count_repeated(self) -> int:
        """Of a rater's several ratings of a candidate, leave the last one in the place of the
        first. Returns how many were replaced."""
        import pandas as pd

        if not self._read:
            return 0
        candidates, raters, values = (
            np.concatenate(part) for part in zip(*self._read, strict=True)
        )
        keys = candidates * len(self._raters) + raters
        repeated = int((np.diff(np.sort(keys)) == 0).sum())
        if repeated:
            numbers, pairs = pd.factorize(keys)
            last = np.zeros(len(pairs), np.int64)
            last[numbers] = values  # the last one written stays
            candidates, raters, values = (*np.divmod(pairs, len(self._raters)), last)
        self._read = [(candidates, raters, values)]
        self.replaced += repeated
        return repeated

    def by_candidate(self, candidates: Sequence[int]) -> GroupedRatings:
        """The ratings of these candidates, which are numbered anew."""
        columns = [np.zeros(0, np.int64)] * 3
        if self._read:
            columns = [np.concatenate(part) for part in zip(*self._read, strict=True)]
        numbers = np.full(int(max(columns[0].max(initial=0), max(candidates, default=0))) + 1, -1)
        numbers[candidates] = np.arange(len(candidates))
        columns[0] = numbers[columns[0]]
        order = np.argsort(columns[0], kind="stable")
        order = order[columns[0][order] >= 0]
        return GroupedRatings(self.raters, self.values, *(one[order] for one in columns))


class GroupedRatings:
    """Ratings in the order of their candidates. raters, values: by their numbers."""

    def __init__(self, raters: list[RaterKey], values: list[Raw], *codes: Codes) -> None:
        import pandas as pd

        self._raters, self._values = raters, values
        candidates, rater_codes, value_codes = codes
        # Raters give the same values again and again: one record for each of such ratings.
        self._numbers, self._distinct = pd.factorize(
            rater_codes * max(1, len(values)) + value_codes
        )
        self._criteria = list(dict.fromkeys(criterion for criterion, *_ in raters))
        number_of = {name: at for at, name in enumerate(self._criteria)}
        of_raters = np.array([number_of[criterion] for criterion, *_ in raters], np.int64)
        self._groups = candidates * max(1, len(self._criteria)) + of_raters[rater_codes]

    @property
    def given(self) -> Iterable[tuple[str, Raw]]:
        """The distinct (criterion, value), in order."""
        return ((self._raters[rater][0], self._values[value]) for rater, value in self._keys)

    def counts(self) -> dict[tuple[str, Raw], int]:
        """How often there is each (criterion, value), in order."""
        found: dict[tuple[str, Raw], int] = {}
        counts = np.bincount(self._numbers, minlength=len(self._distinct)).tolist()
        for one, count in zip(self.given, counts, strict=True):
            found[one] = found.get(one, 0) + count
        return found

    def leave_out(self, values: Set[tuple[str, Raw]]) -> None:
        """Leave out the ratings with these (criterion, value)."""
        is_kept = np.array([one not in values for one in self.given], bool)
        ratings = is_kept[self._numbers]
        self._numbers = (np.cumsum(is_kept) - 1)[self._numbers[ratings]]
        self._distinct, self._groups = self._distinct[is_kept], self._groups[ratings]

    @property
    def _keys(self) -> list[tuple[int, int]]:
        raters, values = np.divmod(self._distinct, max(1, len(self._values)))
        return list(zip(raters.tolist(), values.tolist(), strict=True))

    def records(
        self, count: int, numbers: dict[tuple[str, Raw], float]
    ) -> list[dict[str, Ratings]]:
        """The ratings of each of `count` candidates, by criterion. numbers: what values are."""
        shared, values = (np.empty(len(self._distinct), object) for _ in range(2))
        for at, (rater, value) in enumerate(self._keys):
            criterion, worker, group = self._raters[rater]
            values[at] = numbers[criterion, self._values[value]]
            shared[at] = RatingRecord(worker, values[at], group)
        found: list[dict[str, Ratings]] = [{} for _ in range(count)]
        order = np.argsort(self._groups, kind="stable")
        codes, groups = self._numbers[order], self._groups[order]
        all_ratings, all_values = shared[codes].tolist(), values[codes].tolist()
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        ends = [*starts[1:].tolist(), len(groups)]
        for group, start, end in zip(groups[starts].tolist(), starts.tolist(), ends, strict=False):
            candidate, criterion_at = divmod(group, len(self._criteria))
            ratings = tuple(all_ratings[start:end])
            found[candidate][self._criteria[criterion_at]] = (ratings, all_values[start:end])
        return found
