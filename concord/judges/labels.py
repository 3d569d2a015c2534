"""People's labels as arrays: one row per item, one column per label of the item."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from concord.arrays import Floats, Integers
from concord.formats.errors import quote_names
from concord.formats.labels import category, label_key
from concord.reliability import Ratings, RatingsError
from concord.sentences import counted


@dataclass(frozen=True, eq=False)
class HumanLabels:
    """The labels of several raters.

    items, raters: names. values: float64 (items, m), where m is the most labels of any item; NaN
    fills the rows of items with fewer. Grades are themselves, categories are positions in
    `categories`. rater_codes: int64 (items, m), -1 where values is NaN. clusters: int64 (items,),
    the cluster of each item (its document); dependent items share a cluster. graded: labels are
    grades, and `categories` is empty. Labels that differ in case and outer spaces only
    (`label_key`) are one category, which is named as it was written first. stated_scale: the lowest
    and the highest grade that there could be, None where nobody said.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    values: Floats
    rater_codes: Integers
    clusters: Integers
    graded: bool
    categories: tuple[str, ...] = ()
    stated_scale: tuple[float, float] | None = None

    @classmethod
    def from_mapping(
        cls,
        labels: Mapping[str, Mapping[str, str | float]],
        *,
        graded: bool,
        clusters: Mapping[str, Hashable] | None = None,
        min_raters: int = 2,
        scale: tuple[float, float] | None = None,
    ) -> HumanLabels:
        """Labels from {rater: {item: label}}; without `clusters` each item is its own cluster.

        Raises RatingsError with fewer raters than `min_raters`, 1 or 2, and for an item that has no
        cluster.
        """
        if not labels:
            raise RatingsError("there are no raters besides the judges")
        if len(labels) < min_raters:
            raise RatingsError(
                "the labels are those of one rater; a judge is compared with two raters or more"
            )
        items = tuple(dict.fromkeys(chain.from_iterable(labels.values())))
        given = [
            (item, rater, label)
            for rater, of_rater in enumerate(labels.values())
            for item, label in of_rater.items()
        ]
        names: dict[str, str] = {}
        for *_, label in () if graded else given:
            names.setdefault(_key(label), str(label).strip())
        categories = sorted(names.values())
        codes = {_key(name): code for code, name in enumerate(categories)}
        rows = {item: row for row, item in enumerate(items)}
        return cls(
            items,
            tuple(labels),
            *_by_item(
                np.array([rows[item] for item, *_ in given], dtype=np.int64),
                np.array([rater for _, rater, _ in given], dtype=np.int64),
                np.array([label if graded else codes[_key(label)] for *_, label in given], float),
                len(items),
            ),
            _cluster_codes(items, clusters),
            graded,
            tuple(categories),
            scale,
        )

    @classmethod
    def from_ratings(cls, ratings: Ratings) -> HumanLabels:
        """Grades from ratings in long form; items are its units, with their clusters.

        Raises RatingsError without two raters.
        """
        n = ratings.n_units
        if ratings.n_raters < 2:
            raise RatingsError("a judge is compared with two raters or more; there is one")
        table = _by_item(ratings.units, ratings.raters, ratings.values, n)
        clusters = np.arange(n) if ratings.clusters is None else ratings.clusters
        return cls(ratings.unit_names, ratings.rater_names, *table, clusters, True)

    def codes_of(self, labels: Mapping[str, str | float]) -> Floats:
        """One judge's labels as values (items,), NaN where it has none.

        A category that no rater used gets a code of its own, which equals none of theirs.
        """
        (row,) = self.table_of([labels])
        return np.asarray(row)

    def table_of(self, judges: Sequence[Mapping[str, str | float]]) -> Floats:
        """The labels of several judges as values (judges, items), NaN where one has none; the code
        of a category is its position in `names_of`."""
        codes = {_key(name): code for code, name in enumerate(self.names_of(judges))}
        table = np.full((len(judges), len(self.items)), np.nan)
        for row, of_judge in enumerate(judges):
            for column, item in enumerate(self.items):
                if item in of_judge:
                    label = of_judge[item]
                    table[row, column] = float(label) if self.graded else codes[_key(label)]
        return table

    def names_of(self, judges: Sequence[Mapping[str, str | float]]) -> list[str]:
        """The raters' categories, and then those that only these judges have; none for grades."""
        if self.graded:
            return []
        names = {_key(name): name for name in self.categories}
        for of_judge in judges:
            for item in self.items:
                if item in of_judge:
                    names.setdefault(_key(of_judge[item]), str(of_judge[item]).strip())
        return list(names.values())

    @property
    def scale(self) -> tuple[float, float]:
        """The stated scale, else the lowest and the highest grade."""
        return self.stated_scale or (float(np.nanmin(self.values)), float(np.nanmax(self.values)))

    @property
    def verdicts(self) -> Floats:
        """What people say of each item, (items,): the mean grade, or the most frequent category;
        NaN where several categories are the most frequent ones, and without labels."""
        counts = np.sum(~np.isnan(self.values), axis=1)
        if self.graded:
            sums = np.nansum(self.values, axis=1)
            undefined = np.full(len(sums), np.nan)
            return np.asarray(np.divide(sums, counts, out=undefined, where=counts > 0))
        return most_frequent_labels(self.values)

    def label_warnings(self, judge: str, labels: Mapping[str, str | float]) -> list[str]:
        """Sentences that name the labels of a judge which no rater has, and the other way round.

        Only the raters' items count. Of grades, the sentence is that of `off_scale`. Raises
        RatingsError where judge and raters each have several labels, and none in common, or grades
        whose ranges are apart.
        """
        shared = [labels[item] for item in self.items if item in labels]
        if self.graded:
            grades, (low, high) = np.array(shared, dtype=np.float64), self.scale
            if not (fault := off_scale(grades, self.scale)):
                return []
            fault = f"the grades of the judge '{judge}', {fault}"
            is_apart = grades.max() < low or grades.min() > high
            if is_apart and low < high and np.ptp(grades) > 0:
                raise RatingsError(f"{fault}: bring them to one scale")
            return [f"{fault}; check that they are on one scale"]
        own = {_key(label): str(label).strip() for label in shared}
        theirs = {_key(name): name for name in self.categories}
        if len(own) > 1 and len(theirs) > 1 and not own.keys() & theirs.keys():
            raise RatingsError(
                f"the judge '{judge}' and the raters have no label in common: the judge has "
                f"{quote_names(own.values())}, the raters {quote_names(theirs.values())}. Rename "
                "them (concord alt-test: --map LABEL=OTHER)"
            )
        sides = (
            (f"labels of the judge '{judge}' that no rater has", own, theirs),
            (f"labels of the raters that the judge '{judge}' never has", theirs, own),
        )
        only = [
            (what, [name for key, name in these.items() if key not in others])
            for what, these, others in sides
        ]
        return [f"{what}: {quote_names(names)}" for what, names in only if names]

    def disagreement(self, first: Floats, second: Floats) -> Floats:
        """The squared distance of grades, 0 or 1 for equal or other categories; NaN for missing."""
        if self.graded:
            return np.asarray((first - second) ** 2)
        return np.where(np.isnan(first) | np.isnan(second), np.nan, first != second)


def most_frequent_labels(values: Floats) -> Floats:
    """The most frequent value of each row of (items, m), (items,); NaN values do not count. NaN
    where several are the most frequent ones, and where there is none."""
    votes = np.sum(values[:, :, None] == values[:, None, :], axis=2)
    first = (votes > 0) & (votes == votes.max(axis=1, initial=0, keepdims=True))
    lowest = np.min(values, axis=1, initial=np.inf, where=first)
    highest = np.max(values, axis=1, initial=-np.inf, where=first)
    return np.where(lowest == highest, lowest, np.nan)


def is_on_scale(scores: Floats, scale: tuple[float, float]) -> bool:
    """Whether finite scores lie on a scale, and span more than half of it, or are all equal: shares
    from 0 to 1 do not become grades from 0 to 5."""
    finite = scores[np.isfinite(scores)]
    low, high = float(finite.min()), float(finite.max())
    uses_half = high - low > (scale[1] - scale[0]) / 2
    return scale[0] <= low and high <= scale[1] and (uses_half or low == high)


def off_scale(scores: Floats, scale: tuple[float, float]) -> str:
    """Where finite scores lie, if that is not on a scale (`is_on_scale`); else ""."""
    if is_on_scale(scores, scale):
        return ""
    return (
        f"from {np.nanmin(scores):g} to {np.nanmax(scores):g}, are not on people's scale from "
        f"{scale[0]:g} to {scale[1]:g}, or use less than half of it"
    )


def _by_item(items: Integers, raters: Integers, values: Floats, n: int) -> tuple[Floats, Integers]:
    """`values` and `rater_codes` of HumanLabels, of labels in any order."""
    order, sizes = np.argsort(items, kind="stable"), np.bincount(items, minlength=n)
    columns = np.arange(len(items)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    table = np.full((n, int(sizes.max(initial=0))), np.nan)
    codes = np.full(table.shape, -1, dtype=np.int64)
    table[items[order], columns], codes[items[order], columns] = values[order], raters[order]
    return table, codes


def _key(label: str | float) -> str:
    """What makes two labels one category: of texts `label_key`, of numbers their value."""
    return label_key(category(label) or str(label))


def _cluster_codes(items: tuple[str, ...], clusters: Mapping[str, Hashable] | None) -> Integers:
    if clusters is None:
        return np.arange(len(items))
    codes: dict[Hashable, int] = {}
    if missing := [item for item in items if item not in clusters]:
        raise RatingsError(
            f"{counted(len(missing), 'item')} without a cluster, such as '{missing[0]}'"
        )
    return np.array([codes.setdefault(clusters[item], len(codes)) for item in items])
