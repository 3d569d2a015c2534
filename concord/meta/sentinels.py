"""Sentinels: scores that lack what a judge needs, such as the length of the answer.

What a sentinel predicts, a set gives away without any judgment of the answer. A metric that does
not beat every sentinel shows nothing (Perrella and others 2024, Guardians of the Machine
Translation Meta-Evaluation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.meta.inference import Bootstrap


@dataclass(frozen=True)
class SentinelDifference:
    """A metric's correlation minus the best sentinel's, with its 95% interval; None where either
    is undefined, and no interval where the metric's figure has none.

    is_equal: whether both are equal in all resamples, so that there is no interval.
    """

    value: float | None
    ci: tuple[float, float] | None
    is_equal: bool = False

    @property
    def beats(self) -> bool | None:
        """Whether the interval lies above zero; None without one, unless both are equal."""
        if self.ci is None:
            return False if self.is_equal else None
        return self.ci[0] > 0


def differences_from_sentinels(
    bootstrap: Bootstrap, sentinels: Sequence[str]
) -> dict[str, SentinelDifference]:
    """The difference of every other metric from the best of the sentinels, by name.

    The best is taken anew in each draw, so that the choice is part of the uncertainty: it makes
    intervals lower, never higher. `sentinels` are names of the bootstrap's metrics; those without
    a figure are left out. A metric is compared with zero where no sentinel has a figure.
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
            differences[name] = SentinelDifference(None, None)
            continue
        values = bootstrap.values[:, column] - draws
        ends = bootstrap.difference(values, observed - best).ends
        is_equal = ends is None and bootstrap.difference_p(values, observed - best)[0] == 1
        differences[name] = SentinelDifference(observed - best, ends, is_equal)
    return differences
