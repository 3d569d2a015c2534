"""The one shape of ratings that agreement, quality and aggregation share.

Long form: rating `i` is `values[i]`, given by rater `raters[i]` to unit `units[i]`. A unit is what
several raters rate, a candidate. The order of the ratings is the order in which they were stored;
filters break ties by it. Missing ratings are simply not there, so no array holds NaN.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray


class RatingsError(ValueError):
    """Ratings, or a question about them, that make no sense; the message says what is wrong."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in long form, in stored order.

    units: int64 of shape (n,), codes from 0 to n_units - 1.
    raters: int64 of shape (n,), codes from 0 to n_raters - 1.
    values: float64 of shape (n,), finite.
    clusters: int64 of shape (n_units,), what is resampled together (the passage); None where
        each unit is a cluster of its own.
    unit_names, rater_names: what the codes stand for; by default the codes, written out. A unit
        or rater may have no rating (any more); results per unit or rater have a place for it.

    Raises RatingsError for arrays of the wrong shape, codes out of range and values not finite.
    """

    units: NDArray[np.int64]
    raters: NDArray[np.int64]
    values: NDArray[np.float64]
    clusters: NDArray[np.int64] | None = None
    unit_names: tuple[str, ...] = ()
    rater_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _set(self, "units", _codes("units", self.units))
        _set(self, "raters", _codes("raters", self.raters))
        _set(self, "values", np.asarray(self.values, dtype=np.float64))
        if self.clusters is not None:
            _set(self, "clusters", _codes("clusters", self.clusters))
        _set(self, "unit_names", self.unit_names or _written(self._unnamed_units()))
        _set(self, "rater_names", self.rater_names or _written(_past(self.raters)))
        self._check()

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[Hashable, Hashable, float]],
        clusters: Mapping[Hashable, Hashable] | None = None,
    ) -> Ratings:
        """Ratings from (unit, rater, value), in order of first appearance.

        Units and raters are anything hashable, kept aside as strings; `clusters` names each
        unit's cluster.
        """
        units: dict[Hashable, int] = {}
        raters: dict[Hashable, int] = {}
        coded = [
            (units.setdefault(unit, len(units)), raters.setdefault(rater, len(raters)), value)
            for unit, rater, value in rows
        ]
        found: dict[Hashable, int] = {}
        cluster_codes = None
        if clusters is not None:
            if missing := [str(unit) for unit in units if unit not in clusters]:
                raise RatingsError(f"no cluster is given for {len(missing)} units: {missing[0]}")
            cluster_codes = np.array(
                [found.setdefault(clusters[unit], len(found)) for unit in units], dtype=np.int64
            )
        columns = tuple(zip(*coded, strict=True)) or ((), (), ())
        return cls(
            np.array(columns[0], dtype=np.int64),
            np.array(columns[1], dtype=np.int64),
            np.array(columns[2], dtype=np.float64),
            cluster_codes,
            tuple(map(str, units)),
            tuple(map(str, raters)),
        )

    @classmethod
    def of_matrix(cls, matrix: ArrayLike, clusters: NDArray[np.int64] | None = None) -> Ratings:
        """Ratings from a float matrix (units, raters), NaN where there is none, unit by unit."""
        table = np.asarray(matrix, dtype=np.float64)
        if table.ndim != 2:
            raise RatingsError(f"a matrix of units x raters is needed, not shape {table.shape}")
        units, raters = np.nonzero(~np.isnan(table))
        names = _written(table.shape[0]), _written(table.shape[1])
        return cls(units, raters, table[units, raters], clusters, *names)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_units(self) -> int:
        return len(self.unit_names)

    @property
    def n_raters(self) -> int:
        return len(self.rater_names)

    @property
    def unit_sizes(self) -> NDArray[np.int64]:
        """Ratings of each unit, int64 of shape (n_units,)."""
        return np.bincount(self.units, minlength=self.n_units).astype(np.int64)

    @property
    def pairable(self) -> NDArray[np.bool_]:
        """Which ratings share their unit with another, shape (n,): those agreement is about."""
        return (self.unit_sizes >= 2)[self.units]

    def keep(self, mask: NDArray[np.bool_]) -> Ratings:
        """The ratings where `mask`, of shape (n,), holds; units and raters keep their codes."""
        if mask.shape != self.values.shape or mask.dtype != np.bool_:
            raise RatingsError(f"a mask of {len(self)} booleans is needed")
        return replace(
            self, units=self.units[mask], raters=self.raters[mask], values=self.values[mask]
        )

    def matrix(self) -> NDArray[np.float64]:
        """float64 of shape (n_units, n_raters), NaN where there is no rating.

        Raises RatingsError when a rater has two ratings of one unit.
        """
        cells = self.units * self.n_raters + self.raters
        if len(np.unique(cells)) != len(cells):
            raise RatingsError("a rater has two ratings of one unit; a matrix cannot hold them")
        found = np.full((self.n_units, self.n_raters), np.nan)
        found[self.units, self.raters] = self.values
        return found

    def _unnamed_units(self) -> int:
        return _past(self.units) if self.clusters is None else len(self.clusters)

    def _check(self) -> None:
        if not self.units.shape == self.raters.shape == self.values.shape:
            shapes = f"{self.units.shape}, {self.raters.shape} and {self.values.shape}"
            raise RatingsError(f"units, raters and values differ in shape: {shapes}")
        if not np.isfinite(self.values).all():
            raise RatingsError("a rating's value is not a finite number")
        for name, codes, n in (
            ("units", self.units, self.n_units),
            ("raters", self.raters, self.n_raters),
        ):
            if _past(codes) > n:
                raise RatingsError(f"{name} has code {codes.max()} but there are only {n}")
        if self.clusters is not None and len(self.clusters) != self.n_units:
            raise RatingsError(f"{len(self.clusters)} clusters are given for {self.n_units} units")


def _set(ratings: Ratings, name: str, value: object) -> None:
    object.__setattr__(ratings, name, value)


def _codes(name: str, given: ArrayLike) -> NDArray[np.int64]:
    codes = np.asarray(given)
    if codes.ndim != 1 or (len(codes) and codes.dtype.kind not in "iu"):
        raise RatingsError(f"{name} must be a vector of integer codes")
    if len(codes) and codes.min() < 0:
        raise RatingsError(f"{name} has a negative code")
    return codes.astype(np.int64, copy=False)


def _past(codes: NDArray[np.int64]) -> int:
    return int(codes.max()) + 1 if len(codes) else 0


def _written(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))
