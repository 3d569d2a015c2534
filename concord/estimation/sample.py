"""Ratings of some candidates and metric scores of all, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.sentences import counted


class EstimationError(ValueError):
    """Ratings, scores or options from which no estimate can be made."""


@dataclass(frozen=True, eq=False)
class EstimationSample:
    """N candidates of S systems, some of them rated, with the scores of k metrics.

    outcomes: float64 (N,), mean ratings, or verdicts 0 and 1; NaN where not rated. scores: float64
    (N, k), none missing. systems: int64 (N,), positions in `names`. passages: int64 (N,), codes;
    candidates of one passage are dependent. names: of the systems. metrics: their names. Raises
    EstimationError for arrays of other shapes, missing scores, and outcomes that are infinite or
    all missing.
    """

    outcomes: Floats
    scores: Floats
    systems: Integers
    passages: Integers
    names: tuple[str, ...]
    metrics: tuple[str, ...]

    def __post_init__(self) -> None:
        n = len(self.outcomes)
        if not (len(self.scores) == len(self.systems) == len(self.passages) == n):
            raise EstimationError("outcomes, scores, systems and passages have different lengths")
        check_scores(self.scores, self.metrics)
        if np.isinf(self.outcomes).any():
            raise EstimationError("an outcome is infinite")
        if not self.is_rated.any():
            raise EstimationError("no candidate is rated; rate a random sample of passages first")

    @property
    def is_rated(self) -> Booleans:
        """Whether each candidate is rated, (N,)."""
        return ~np.isnan(self.outcomes)


def check_scores(scores: Floats, metrics: tuple[str, ...]) -> None:
    """Raise EstimationError unless there is a finite score for each candidate and metric."""
    if scores.ndim != 2 or scores.shape[1] != len(metrics):
        raise EstimationError("scores need one column for each metric")
    for column, name in enumerate(metrics):
        missing = int(np.count_nonzero(~np.isfinite(scores[:, column])))
        if missing:
            raise EstimationError(
                f"the metric '{name}' has no score for {missing:,} of "
                f"{counted(len(scores), 'candidate')}; "
                "score every candidate"
            )
