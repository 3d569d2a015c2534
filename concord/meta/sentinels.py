"""Sentinels: metrics without access to what a judgment needs, such as the length of the answer.

A sentinel that correlates with people shows how much of their scores can be predicted without
judging the answer. A metric that is not better than every sentinel has not been shown to measure
more (Perrella and others 2024, Guardians of the Machine Translation Meta-Evaluation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.meta.inference import Bootstrap
from concord.meta.inference.multiplicity import TOLERANCE


@dataclass(frozen=True)
class SentinelDifference:
    """A metric's correlation minus the best sentinel's, with its 95% interval.

    Both are None where the metric's correlation is undefined; ci is None where it has no interval.
    equal: whether both correlations are the same in every draw, as for a copy of the sentinel;
    there is no interval then.
    """

    value: float | None
    ci: tuple[float, float] | None
    equal: bool = False

    @classmethod
    def undefined(cls) -> SentinelDifference:
        """Of a metric without a correlation."""
        return cls(value=None, ci=None)

    @property
    def beats(self) -> bool | None:
        """Whether the interval lies above zero; None without one. False for an equal metric."""
        if self.equal:
            return False
        return None if self.ci is None else self.ci[0] > 0


def differences_from_sentinels(
    bootstrap: Bootstrap, sentinels: Sequence[str]
) -> dict[str, SentinelDifference]:
    """The difference of every other metric from the best of the sentinels, by name.

    The best sentinel is chosen again in each draw, so that the interval includes the uncertainty of
    the choice; this can only lower the interval. `sentinels`: names of metrics of the bootstrap;
    those without a figure are left out. Without any, a metric is compared with zero.
    """
    of = {name: column for column, name in enumerate(bootstrap.metrics)}
    columns = [of[name] for name in sentinels if not np.isnan(bootstrap.observed[of[name]])]
    if columns:
        best = float(bootstrap.observed[columns].max())
        # NaN where a draw leaves a sentinel undefined: the draw is then not used.
        draws = bootstrap.values[:, columns].max(axis=1)
    else:
        best, draws = 0.0, np.zeros(bootstrap.draws)
    differences: dict[str, SentinelDifference] = {}
    for name, column in of.items():
        if name in sentinels:
            continue
        observed = float(bootstrap.observed[column])
        if np.isnan(observed):
            differences[name] = SentinelDifference.undefined()
            continue
        values = bootstrap.values[:, column] - draws
        interval = bootstrap.difference(values, observed - best)
        defined = values[~np.isnan(values)]
        equal = bool(len(defined)) and float(np.abs(defined).max()) <= TOLERANCE
        differences[name] = SentinelDifference(observed - best, interval.ci, equal=equal)
    return differences
