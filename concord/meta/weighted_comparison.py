"""Comparison of metrics where candidates have design weights.

Differences of weighted correlations have intervals from a bootstrap over clusters, with the same
draws for all metrics. The p-values divide the difference by its bootstrap standard error, and use
Student's t with clusters - 1 degrees of freedom; so they can be small enough for Holm's correction
over many pairs.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from concord.documents.comparison import CorrelationRow, UnnamedComparison
from concord.inference import MIN_CLUSTERS
from concord.meta.comparing import ALPHA, ComparisonOptions, correlations_between
from concord.meta.inference import (
    Bootstrap,
    Coefficient,
    Progress,
    SampleError,
    ScoredSample,
    paired_bootstrap,
    rank_metrics,
)
from concord.meta.json_values import lower_triangle
from concord.meta.weighted import MAX_PAIRED, WEIGHTED, resampled_weights

Floats = NDArray[np.float64]
NAMES: dict[Coefficient, str] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall_b": "kendall",
}


def compare_weighted_steps(
    sample: ScoredSample, weights: Floats, options: ComparisonOptions
) -> Generator[Progress, None, UnnamedComparison]:
    """`compare_steps` with a weight above 0 for each candidate, (n,).

    The tests are "paired-bootstrap", its interval "low" and "high", and "holm". Metrics of one
    "group" cannot be distinguished by "holm" at ALPHA. Raises SampleError for averages and for a
    bootstrap over systems, for another coefficient than those of WEIGHTED, with fewer than
    MIN_CLUSTERS clusters, and for Kendall's tau of more than MAX_PAIRED candidates.
    """
    _check(sample, options)
    bootstrap = yield from _bootstrap_steps(sample, weights, options)
    paired = paired_bootstrap(bootstrap)
    adjusted = paired.p_holm
    assert paired.low is not None and paired.high is not None
    groups = rank_metrics(bootstrap.observed, adjusted, ALPHA)
    rows: list[CorrelationRow] = []
    for m, group in enumerate(groups):
        figure = bootstrap.figure(m)
        undefined = figure.reason if figure.value is None else ""
        rows.append(
            {
                "n": sample.n,
                "value": figure.value,
                "reason": sample.undefined_reason(m) or undefined,
                "p": None,
                "ci": list(figure.ci) if figure.ci else None,
                "groups": 1,
                "used": int(figure.value is not None),
                "too_few": 0,
                "gold_constant": 0,
                "metric_constant": int(sample.constant[m]),
                "rank": group.rank,
                "group": group.group,
                **figure.resamples_json(),
            }
        )
    return {
        "n": sample.n,
        "unjudged": sample.unjudged,
        "units": [list(unit) for unit in bootstrap.units],
        "draws": {"bootstrap": options.draws, "perm-both": None},
        "adjusted_by": "holm",
        "alpha": ALPHA,
        "metrics": rows,
        "pairs": paired.pairs,
        "tests": {
            "paired-bootstrap": lower_triangle(paired.p),
            "holm": lower_triangle(adjusted),
            "low": lower_triangle(paired.low),
            "high": lower_triangle(paired.high),
        },
        "between_metrics": lower_triangle(correlations_between(sample)),
    }


def _check(sample: ScoredSample, options: ComparisonOptions) -> None:
    if options.coefficient not in NAMES:
        raise SampleError(
            f"{options.coefficient} has no weighted form: choose one of {', '.join(NAMES)}"
        )
    if options.average != "none" or options.resample != "instances":
        raise SampleError(
            "weighted figures are over all candidates, with a bootstrap over passages: choose the "
            "average “none” and the resample “instances”"
        )
    n_clusters = len(np.unique(sample.clusters))
    if n_clusters < MIN_CLUSTERS:
        raise SampleError(
            f"weighted metrics are compared on {MIN_CLUSTERS} or more passages; there are "
            f"{n_clusters}"
        )
    if options.coefficient == "kendall_b" and sample.n > MAX_PAIRED:
        raise SampleError(
            f"Kendall's tau with weights is compared on at most {MAX_PAIRED:,} candidates; there "
            f"are {sample.n:,}: choose Pearson's r or Spearman's rho"
        )


def _bootstrap_steps(
    sample: ScoredSample, weights: Floats, options: ComparisonOptions
) -> Generator[Progress, None, Bootstrap]:
    formula = WEIGHTED[NAMES[options.coefficient]]
    metrics = np.flatnonzero(sample.has_figures).tolist()
    observed = np.full(len(sample.metrics), np.nan)
    for m in metrics:
        observed[m] = formula(sample.scores[m], sample.gold, weights[None, :])[0]
    values = np.full((options.draws, len(sample.metrics)), np.nan)
    done = 0
    for block in resampled_weights(weights, sample.clusters, options.draws, options.seed):
        for position, m in enumerate(metrics):
            yield Progress(
                done * len(metrics) + position * len(block), options.draws * len(metrics)
            )
            values[done : done + len(block), m] = formula(sample.scores[m], sample.gold, block)
        done += len(block)
    units = (("passages", len(np.unique(sample.clusters))),)
    return Bootstrap(
        metrics=sample.metrics, observed=observed, values=values, resample="instances",
        units=units, percentiles=False,
    )  # fmt: skip
