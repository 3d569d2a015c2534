"""Comparison of metrics where candidates have design weights.

Each passage is left out once, with the weights of its candidates; a metric's figure and the
difference of two have their intervals and p-values from the same values (the jackknife).
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from concord.arrays import Floats
from concord.documents.comparison import UnnamedComparison
from concord.inference import MIN_CLUSTERS
from concord.meta.comparing import ALPHA, ComparisonOptions, correlations_between, metric_rows
from concord.meta.inference import Progress, SampleError, ScoredSample, correlations, holm
from concord.meta.inference.comparison import pair_matrix
from concord.meta.inference.correlations import LEFT_OUT, left_out_steps
from concord.meta.json_values import lower_triangle


def compare_weighted_steps(
    sample: ScoredSample, weights: Floats, options: ComparisonOptions
) -> Generator[Progress, None, UnnamedComparison]:
    """`compare_steps` with a weight above 0 for each candidate, (n,).

    The tests are "jackknife", its interval "low" and "high", and "holm", which tells metrics apart
    at ALPHA. Raises SampleError for averages and for a bootstrap over systems, for another
    coefficient than those of LEFT_OUT, and with fewer than MIN_CLUSTERS clusters.
    """
    passages = _check(sample, options)
    figures = yield from left_out_steps(sample, options.coefficient, weights)
    m = len(sample.metrics)
    first, second = np.triu_indices(m, 1)
    p, low, high = (np.full(len(first), np.nan) for _ in range(3))
    for pair in np.flatnonzero(~np.isnan(figures.observed[first] - figures.observed[second])):
        difference = figures.difference(first[pair], second[pair])
        if difference.ci is not None:
            low[pair], high[pair] = difference.ci
        if difference.p is not None:
            p[pair] = difference.p
    # Ends are of the first metric less the second; a lower triangle is read the other way round.
    low, high = -high, -low
    adjusted = pair_matrix(holm(p), m, mirrored="same")
    return {
        "n": sample.n,
        "unjudged": sample.unjudged,
        "units": [["passages", passages]],
        "unit": "passage",
        "draws": {"bootstrap": None, "perm-both": None},
        "adjusted_by": "holm",
        "alpha": ALPHA,
        "metrics": metric_rows(correlations(sample, options.coefficient), figures, adjusted),
        "pairs": int(np.isfinite(p).sum()),
        "tests": {
            "jackknife": lower_triangle(pair_matrix(p, m, mirrored="same")),
            "holm": lower_triangle(adjusted),
            "low": lower_triangle(pair_matrix(low, m, mirrored="same")),
            "high": lower_triangle(pair_matrix(high, m, mirrored="same")),
        },
        "between_metrics": lower_triangle(correlations_between(sample)),
    }


def _check(sample: ScoredSample, options: ComparisonOptions) -> int:
    """The number of passages, if the sample can be compared."""
    if options.coefficient not in LEFT_OUT:
        raise SampleError(
            f"{options.coefficient} has no weighted form: choose one of {', '.join(LEFT_OUT)}"
        )
    if options.average != "none" or options.resample != "instances":
        raise SampleError(
            "weighted figures are over all candidates, by passage: choose the average “none” and "
            "the resample “instances”"
        )
    passages = len(np.unique(sample.clusters))
    if passages < MIN_CLUSTERS:
        raise SampleError(
            f"weighted metrics are compared on {MIN_CLUSTERS} or more passages; there are "
            f"{passages}"
        )
    return passages
