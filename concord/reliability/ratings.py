"""Ratings in long form, for agreement, filters and aggregation.

Rating `i` is `values[i]`, given by rater `raters[i]` to unit `units[i]`. A unit is what raters
rate: a candidate. Ratings are in the order in which they were stored; filters break ties by it.
Missing ratings are absent, so no array contains NaN.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from concord.arrays import Booleans, Floats, Integers
from concord.sentences import counted


class RatingsError(ValueError):
    """Invalid ratings, or an invalid option of a statistic of ratings."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in long form, in stored order.

    units: int64 of shape (n,), codes from 0 to n_units - 1.
    raters: int64 of shape (n,), codes from 0 to n_raters - 1.
    values: float64 of shape (n,), finite.
    clusters: int64 of shape (n_units,), the cluster of each unit (its passage); the bootstrap
        resamples clusters. None: each unit is a cluster.
    unit_names, rater_names: names of the codes, by default the codes as text. A unit or rater may
        have no rating; results per unit or rater contain it all the same.

    Raises RatingsError for arrays of the wrong shape, codes out of range and infinite values.
    """

    units: Integers
    raters: Integers
    values: Floats
    clusters: Integers | None = None
    unit_names: tuple[str, ...] = ()
    rater_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _set(self, "units", _codes("units", self.units))
        _set(self, "raters", _codes("raters", self.raters))
        _set(self, "values", np.asarray(self.values, dtype=np.float64))
        if self.clusters is not None:
            _set(self, "clusters", _codes("clusters", self.clusters))
        _set(self, "unit_names", self.unit_names or _default_names(self._unnamed_units()))
        _set(self, "rater_names", self.rater_names or _default_names(_code_count(self.raters)))
        self._check()

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[Hashable, Hashable, float]],
        clusters: Mapping[Hashable, Hashable] | None = None,
    ) -> Ratings:
        """Ratings from (unit, rater, value); codes are in order of first appearance.

        Units and raters are any hashable values; their names are stored as strings. `clusters`
        maps each unit to its cluster.
        """
        units, raters, values = tuple(zip(*rows, strict=True)) or ((), (), ())
        return cls.from_columns(units, raters, values, clusters)

    @classmethod
    def from_columns(
        cls,
        units: Sequence[Hashable],
        raters: Sequence[Hashable],
        values: Sequence[float],
        clusters: Mapping[Hashable, Hashable] | None = None,
    ) -> Ratings:
        """As `from_rows`, from the units, raters and values of all ratings."""
        unit_codes, unit_names = _coded(units)
        rater_codes, rater_names = _coded(raters)
        cluster_codes = None
        if clusters is not None:
            if missing := [str(unit) for unit in unit_names if unit not in clusters]:
                raise RatingsError(
                    f"no cluster is given for {counted(len(missing), 'unit')}, such as {missing[0]}"
                )
            cluster_codes, _ = _coded([clusters[unit] for unit in unit_names])
        return cls(
            unit_codes,
            rater_codes,
            np.array(values, dtype=np.float64),
            cluster_codes,
            tuple(map(str, unit_names)),
            tuple(map(str, rater_names)),
        )

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, clusters: Integers | None = None) -> Ratings:
        """Ratings from a float matrix (units, raters), unit by unit; NaN is a missing rating."""
        table = np.asarray(matrix, dtype=np.float64)
        if table.ndim != 2:
            raise RatingsError(f"the matrix must be (units, raters), not of shape {table.shape}")
        units, raters = np.nonzero(~np.isnan(table))
        names = _default_names(table.shape[0]), _default_names(table.shape[1])
        return cls(units, raters, table[units, raters], clusters, *names)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.unit_names)

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return len(self.rater_names)

    @property
    def unit_sizes(self) -> Integers:
        """Number of ratings of each unit, int64 of shape (n_units,)."""
        return np.bincount(self.units, minlength=self.n_units).astype(np.int64)

    @property
    def pairable(self) -> Booleans:
        """Which ratings belong to a unit with two ratings or more, shape (n,)."""
        return (self.unit_sizes >= 2)[self.units]

    @property
    def cluster_unit(self) -> str:
        """The plural name of the clusters, for notes: units where each is a cluster of its own."""
        return "units" if self.clusters is None else "passages"

    def keep(self, mask: Booleans) -> Ratings:
        """The ratings where `mask`, of shape (n,), is True; codes of units and raters do not
        change."""
        if mask.shape != self.values.shape or mask.dtype != np.bool_:
            raise RatingsError(f"the mask must have {len(self)} booleans")
        return replace(
            self, units=self.units[mask], raters=self.raters[mask], values=self.values[mask]
        )

    def matrix(self) -> Floats:
        """float64 of shape (n_units, n_raters), NaN where there is no rating.

        Raises RatingsError where a rater has two ratings of one unit.
        """
        cells = self.units * self.n_raters + self.raters
        if len(np.unique(cells)) != len(cells):
            raise RatingsError("a rater has two ratings of one unit; a matrix can have only one")
        table = np.full((self.n_units, self.n_raters), np.nan)
        table[self.units, self.raters] = self.values
        return table

    def _unnamed_units(self) -> int:
        return _code_count(self.units) if self.clusters is None else len(self.clusters)

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
            if _code_count(codes) > n:
                raise RatingsError(f"{name} has code {codes.max()}, but codes must be below {n}")
        if self.clusters is not None and len(self.clusters) != self.n_units:
            raise RatingsError(
                f"clusters has {len(self.clusters)} entries for {self.n_units} units"
            )


def check_option(name: str, value: object, choices: object) -> None:
    """Raise RatingsError for a value that is none of the choices of a Literal."""
    if value not in get_args(choices):
        names = ", ".join(get_args(choices))
        raise RatingsError(f"unknown {name} '{value}'; choose one of {names}")


def from_0_to_1(values: Floats) -> Floats:
    """The values on a scale from their smallest to their largest; 0 where all are equal.

    What is rounding among them is then the same on every scale.
    """
    moved = values - values.min(initial=np.inf)
    return np.asarray(moved / (moved.max(initial=0.0) or 1.0))


def _coded(values: Sequence[Hashable]) -> tuple[Integers, list[Hashable]]:
    """The number of each value, in order of first appearance, and the distinct values."""
    numbers = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values)), list(numbers)


def _set(ratings: Ratings, name: str, value: object) -> None:
    object.__setattr__(ratings, name, value)


def _codes(name: str, values: ArrayLike) -> Integers:
    codes = np.asarray(values)
    if codes.ndim != 1 or (len(codes) and codes.dtype.kind not in "iu"):
        raise RatingsError(f"{name} must be a vector of integer codes")
    if len(codes) and codes.min() < 0:
        raise RatingsError(f"{name} has a negative code")
    return codes.astype(np.int64, copy=False)


def _code_count(codes: Integers) -> int:
    return int(codes.max()) + 1 if len(codes) else 0


def _default_names(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))
