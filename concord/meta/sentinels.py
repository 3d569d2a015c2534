"""Sentinels: metrics without access to what a judgment needs, such as the length of the answer.

A sentinel that correlates with people shows how much of their scores can be predicted without
judging the answer. A metric that is not better than every sentinel has not been shown to measure
more (Perrella and others 2024, Guardians of the Machine Translation Meta-Evaluation).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concord.inference import Estimate
from concord.meta.inference import MetricFigures


def differences_from_sentinels(
    bootstrap: MetricFigures, sentinels: Sequence[str]
) -> dict[str, Estimate]:
    """The correlation of every other metric less that of the best of the sentinels, by name.

    The best sentinel is chosen again in each draw, so that the interval includes the uncertainty of
    the choice; this can only lower the interval. `sentinels`: names of metrics of the bootstrap;
    those without a figure are left out. Without any, a metric is compared with zero. Of a copy of
    the best sentinel p is 1, without an interval.
    """
    of = {name: column for column, name in enumerate(bootstrap.metrics)}
    columns = [of[name] for name in sentinels if not np.isnan(bootstrap.observed[of[name]])]
    best, draws = 0.0, np.zeros(len(bootstrap.values))
    if columns:
        best = float(bootstrap.observed[columns].max())
        # NaN where a draw leaves a sentinel undefined: the draw is then not used.
        draws = bootstrap.values[:, columns].max(axis=1)
    return {
        name: bootstrap.difference_of(
            bootstrap.values[:, column] - draws, float(bootstrap.observed[column]) - best
        )
        for name, column in of.items()
        if name not in sentinels
    }


def beats(difference: Estimate) -> bool | None:
    """Whether the interval lies above zero; None without one, but False for a copy of the best
    sentinel."""
    if difference.low is not None:
        return difference.low > 0
    return False if difference.p == 1.0 else None
