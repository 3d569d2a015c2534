"""The candidates that a design draws from, grouped into units. A unit is drawn as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Booleans, Floats, Integers
from concord.estimation.report import UNNAMED, to_scores
from concord.estimation.sample import EstimationError, EstimationSample, check_scores
from concord.frames import cluster_codes, complete_frame

if TYPE_CHECKING:
    import pandas as pd

Unit = Literal["instance", "passage"]
"""instance: all systems' candidates to one question. passage: all candidates to one passage."""
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True, eq=False)
class Population:
    """N candidates of S systems in M units, with the scores of k metrics.

    scores: float64 (N, k). systems: int64 (N,), positions in `names`. passages: int64 (N,), codes.
    units: int64 (N,), positions in `unit_ids`. The draws depend on the ids, so they must not
    change. groups: int64 (M,), code of each unit's constituent. Raises EstimationError for arrays
    of other shapes, missing scores, and a unit with candidates to two passages.
    """

    scores: Floats
    systems: Integers
    passages: Integers
    units: Integers
    unit_ids: tuple[str, ...]
    groups: Integers
    names: tuple[str, ...]
    metrics: tuple[str, ...]

    def __post_init__(self) -> None:
        n = len(self.systems)
        if not (len(self.scores) == len(self.passages) == len(self.units) == n):
            raise EstimationError("scores, systems, passages and units have different lengths")
        if len(set(self.unit_ids)) != len(self.unit_ids):
            raise EstimationError("two units have the same id")
        check_scores(self.scores, self.metrics)
        passages = np.full(self.size, -1)
        passages[self.units] = self.passages
        if (passages < 0).any() or (passages[self.units] != self.passages).any():
            raise EstimationError("each unit needs candidates, all of one passage")

    @property
    def size(self) -> int:
        """The number of units, M."""
        return len(self.unit_ids)

    def sample(self, outcomes: Floats) -> EstimationSample:
        """The candidates with these outcomes, (N,), NaN where not rated."""
        return EstimationSample(
            outcomes=outcomes,
            scores=self.scores,
            systems=self.systems,
            passages=self.passages,
            names=self.names,
            metrics=self.metrics,
        )

    def rated_units(self, outcomes: Floats) -> Booleans:
        """Whether all candidates of each unit have an outcome, (M,)."""
        unrated = np.bincount(self.units[np.isnan(outcomes)], minlength=self.size)
        return np.asarray(unrated == 0)

    def unit_means(self, values: Floats) -> Floats:
        """The mean over each unit's candidates of `values` (N,), (M,)."""
        sums = np.bincount(self.units, values, minlength=self.size)
        return np.asarray(sums / np.bincount(self.units, minlength=self.size))


def to_population(
    frame: pd.DataFrame,
    scores: pd.DataFrame,
    metrics: Sequence[str] | None = None,
    *,
    unit: Unit = "instance",
    unit_ids: NDArray[np.str_] | None = None,
) -> Population:
    """The population of a judgment frame.

    scores, metrics: as in `concord.estimation.estimate`. unit_ids: (N,), instead of `unit`, the
    unit of each candidate.
    """
    judged = complete_frame(frame)
    values, names = to_scores(judged, scores, metrics)
    passages = cluster_codes(judged)
    if unit_ids is None:
        unit_ids = judged["instance"].to_numpy(dtype=np.str_)
        if unit == "passage":
            # A passage is named by its first instance.
            first = dict(zip(passages[::-1].tolist(), unit_ids[::-1].tolist(), strict=True))
            unit_ids = np.array([first[code] for code in passages.tolist()], dtype=np.str_)
    return make_population(
        values,
        names,
        systems=judged["system"].to_numpy(dtype=np.str_),
        passages=passages,
        constituents=judged["constituent"].to_numpy(dtype=np.str_),
        unit_ids=unit_ids,
    )


def make_population(
    scores: Floats,
    metrics: tuple[str, ...],
    *,
    systems: NDArray[np.str_],
    passages: Integers,
    constituents: NDArray[np.str_],
    unit_ids: NDArray[np.str_],
) -> Population:
    """The population from each candidate's scores (N, k), labels and ids (N,), and passage.

    Passages get codes in the order of the candidates, so that sums over them do not depend on how
    the passages are named: a file and a database then give the same estimates to the last digit.
    """
    names, system_codes = np.unique(systems, return_inverse=True)
    ids, units = np.unique(unit_ids, return_inverse=True)
    groups = np.zeros(len(ids), dtype=np.int64)
    groups[units] = np.unique(constituents, return_inverse=True)[1]
    return Population(
        scores=scores,
        systems=system_codes.astype(np.int64),
        passages=_codes_in_order(passages),
        units=units.astype(np.int64),
        unit_ids=tuple(map(str, ids)),
        groups=groups,
        names=tuple(str(name) or UNNAMED for name in names),
        metrics=metrics,
    )


def _codes_in_order(labels: Integers) -> Integers:
    """Codes from 0 in the order of first appearance."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), dtype=np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[codes]
