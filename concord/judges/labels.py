"""People's labels as arrays: one row per item, one column per label of the item."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.reliability import Ratings, RatingsError


@dataclass(frozen=True, eq=False)
class HumanLabels:
    """The labels of several raters.

    items, raters: names. values: float64 (items, m), where m is the most labels of any item; NaN
    fills the rows of items with fewer. Grades are themselves, categories are positions in
    `categories`. rater_codes: int64 (items, m), -1 where values is NaN. clusters: int64 (items,),
    the cluster of each item (its document); dependent items share a cluster. graded: labels are
    grades, and `categories` is empty.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    values: NDArray[np.float64]
    rater_codes: NDArray[np.int64]
    clusters: NDArray[np.int64]
    graded: bool
    categories: tuple[str, ...] = ()

    @classmethod
    def from_mapping(
        cls,
        labels: Mapping[str, Mapping[str, str | float]],
        *,
        graded: bool,
        clusters: Mapping[str, Hashable] | None = None,
    ) -> HumanLabels:
        """Labels from {rater: {item: label}}; without `clusters` each item is its own cluster.

        Raises RatingsError without two raters, and for an item that has no cluster.
        """
        if len(labels) < 2:
            raise RatingsError(
                "the labels are those of one rater; a judge is compared with two raters or more"
            )
        per_item: dict[str, list[tuple[int, str | float]]] = {}
        for code, of_rater in enumerate(labels.values()):
            for item, label in of_rater.items():
                per_item.setdefault(item, []).append((code, label))
        items = tuple(per_item)
        categories: dict[str | float, int] = {}
        if not graded:
            every = {label for rows in per_item.values() for _, label in rows}
            categories = {label: k for k, label in enumerate(sorted(every, key=str))}
        values = np.full((len(items), max(map(len, per_item.values()), default=0)), np.nan)
        rater_codes = np.full(values.shape, -1, dtype=np.int64)
        for row, rows in enumerate(per_item.values()):
            for column, (code, label) in enumerate(rows):
                values[row, column] = float(label) if graded else categories[label]
                rater_codes[row, column] = code
        return cls(
            items,
            tuple(labels),
            values,
            rater_codes,
            _cluster_codes(items, clusters),
            graded,
            tuple(map(str, categories)),
        )

    @classmethod
    def from_ratings(cls, ratings: Ratings) -> HumanLabels:
        """Grades from ratings in long form; items are its units, with their clusters.

        Raises RatingsError without two raters.
        """
        if ratings.n_raters < 2:
            raise RatingsError("a judge is compared with two raters or more; there is one")
        order = np.argsort(ratings.units, kind="stable")
        units = ratings.units[order]
        sizes = ratings.unit_sizes
        columns = np.arange(len(units)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        values = np.full((ratings.n_units, int(sizes.max(initial=0))), np.nan)
        rater_codes = np.full(values.shape, -1, dtype=np.int64)
        values[units, columns] = ratings.values[order]
        rater_codes[units, columns] = ratings.raters[order]
        clusters = np.arange(ratings.n_units) if ratings.clusters is None else ratings.clusters
        return cls(ratings.unit_names, ratings.rater_names, values, rater_codes, clusters, True)

    def codes_of(self, labels: Mapping[str, str | float]) -> NDArray[np.float64]:
        """One judge's labels as values (items,), NaN where it has none.

        A category that no rater used gets a code of its own, which equals none of theirs.
        """
        if self.graded:
            return np.array([float(labels.get(item, np.nan)) for item in self.items])
        codes: dict[str | float, int] = {name: k for k, name in enumerate(self.categories)}
        coded = np.full(len(self.items), np.nan)
        for row, item in enumerate(self.items):
            if item in labels:
                coded[row] = codes.setdefault(labels[item], len(codes))
        return coded

    def disagreement(
        self, first: NDArray[np.float64], second: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The squared distance of grades, 0 or 1 for equal or other categories; NaN for missing."""
        if self.graded:
            return np.asarray((first - second) ** 2)
        return np.where(np.isnan(first) | np.isnan(second), np.nan, first != second)


def _cluster_codes(
    items: tuple[str, ...], clusters: Mapping[str, Hashable] | None
) -> NDArray[np.int64]:
    if clusters is None:
        return np.arange(len(items))
    codes: dict[Hashable, int] = {}
    if missing := [item for item in items if item not in clusters]:
        raise RatingsError(f"{len(missing):,} items have no cluster, such as '{missing[0]}'")
    return np.array([codes.setdefault(clusters[item], len(codes)) for item in items])
