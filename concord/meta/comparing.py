"""Comparison of metrics: correlations with intervals, ranks and significance tests.

With design weights, each passage is left out once, with the weights of its candidates; a metric's
figure and the difference of two have their intervals and p-values from the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from concord.arrays import Floats
from concord.documents.comparison import (
    AgreementAnalysis,
    ComparisonTests,
    CorrelationRow,
    PairTests,
    PermutationUnit,
    UnnamedComparison,
)
from concord.documents.conversion import fill
from concord.inference import MIN_CLUSTERS
from concord.meta.inference import (
    Coefficient,
    Comparison,
    Correlation,
    Grouping,
    MetricFigures,
    Resample,
    SampleError,
    ScoredSample,
    Steps,
    bootstrap_steps,
    correlations,
    draws_needed,
    perm_both_steps,
    rank_metrics,
)
from concord.meta.inference.correlations import (
    LEFT_OUT,
    correlations_between,
    left_out_steps,
    williams,
)
from concord.meta.inference.draws import run_in_turn
from concord.meta.inference.figures import compare_pairs
from concord.meta.json_values import lower_triangle, number_or_none

ALPHA = 0.05
# Holm's method needs a number of draws in proportion to the number of pairs. Above this number of
# draws, the method of Westfall and Young is used, whose number of draws does not depend on it.
MAX_DRAWS = 20_000
# Multiple of the minimum number of draws, so that an adjusted p-value can be well below alpha.
DRAWS_FACTOR = 6


@dataclass(frozen=True)
class ComparisonOptions:
    """Options of a comparison.

    coefficient: of correlation with people. average: over all candidates, within instances or
    within systems. resample: what the bootstrap resamples. unit: whose scores PERM-BOTH swaps
    together. draws: of the bootstrap, and the minimum of the permutation test. seed: of both.
    """

    coefficient: Coefficient = "pearson"
    average: Grouping = "none"
    resample: Resample = "instances"
    unit: PermutationUnit = "passage"
    draws: int = 1000
    seed: int = 1

    def rngs(self) -> list[np.random.Generator]:
        """Generators of the bootstrap, of the permutation test and of human agreement."""
        return np.random.default_rng(self.seed).spawn(3)

    def swaps(self, metrics: int) -> int:
        """Draws of the permutation test: enough for Holm's method where they are fast."""
        if self.coefficient != "pearson":
            return self.draws
        needed = draws_needed(metrics, ALPHA)
        if needed > MAX_DRAWS:
            return self.draws
        return max(self.draws, min(MAX_DRAWS, DRAWS_FACTOR * needed))


def compare_steps(
    sample: ScoredSample, options: ComparisonOptions, weights: Floats | None = None
) -> Steps[UnnamedComparison]:
    """Correlate metrics with people, rank them, and test every pair.

    Yields its progress. The result has "metrics" (a row a metric), "tests" (lower triangles:
    "perm-both", "holm", "paired-bootstrap", its interval "low" and "high", and "westfall-young",
    "williams" where they exist), "adjusted_by", "alpha", "draws", "unit", "units" and
    "between_metrics". Two metrics differ significantly by the adjusted PERM-BOTH at alpha.
    Intervals and p-values of a figure are by the jackknife over passages, as on a board; by the
    bootstrap for averages, for Stuart's tau-c and where systems are resampled.

    weights: (n,), above 0, such as design weights. The tests are then "jackknife", its interval
    "low" and "high", and "holm", which tells metrics apart.

    Raises SampleError; with weights also for averages, for a bootstrap over systems, for another
    coefficient than those of LEFT_OUT, and with fewer than MIN_CLUSTERS passages.
    """
    coefficient, average = options.coefficient, options.average
    swapped: Comparison | None = None
    if weights is None:
        resampled, swapped, figures = yield from _resampled_steps(sample, options)
    else:
        _check_weighted(sample, options)
        resampled = figures = yield from left_out_steps(sample, coefficient, weights)
    paired = compare_pairs(resampled)
    ranking = swapped or paired
    family = ranking.p_family
    adjusted = ranking.p_holm if family is None or ranking.resolves(ALPHA) else family
    triangles = {
        "perm-both": None if swapped is None else swapped.p,
        "holm": ranking.p_holm,
        "paired-bootstrap" if swapped else "jackknife": paired.p,
        "low": paired.low,
        "high": paired.high,
        "westfall-young": family,
    }
    if swapped and coefficient == "pearson" and average == "none":
        triangles["williams"] = williams(sample).p
    tests = {name: lower_triangle(one) for name, one in triangles.items() if one is not None}
    return {
        "n": sample.n,
        "unjudged": sample.unjudged,
        "units": [list(unit) for unit in resampled.units],
        "unit": options.unit if swapped else "passage",
        "draws": {"bootstrap": paired.draws, "perm-both": ranking.draws},
        "adjusted_by": "westfall-young" if adjusted is family else "holm",
        "alpha": ALPHA,
        "metrics": _metric_rows(correlations(sample, coefficient, average), figures, adjusted),
        "pairs": ranking.pairs,
        "tests": cast(PairTests, tests),
        "between_metrics": lower_triangle(correlations_between(sample)),
    }


def _resampled_steps(
    sample: ScoredSample, options: ComparisonOptions
) -> Steps[tuple[MetricFigures, Comparison, MetricFigures]]:
    """The bootstrap, PERM-BOTH, and the figures of the metrics with their intervals."""
    coefficient, average = options.coefficient, options.average
    rngs = options.rngs()
    bootstrapped = bootstrap_steps(
        sample, coefficient, average, options.resample, rng=rngs[0], draws=options.draws
    )
    draws = options.swaps(len(sample.metrics))
    permuted = perm_both_steps(
        sample, coefficient, average, rng=rngs[1], draws=draws, unit=options.unit
    )
    parts: list[tuple[int, Steps[Any]]] = [
        (100, bootstrapped),
        (100 if coefficient == "pearson" else 800, permuted),
    ]
    if average == "none" and options.resample == "instances" and coefficient in LEFT_OUT:
        parts.append((20, left_out_steps(sample, coefficient)))
    bootstrap, permutation, *left_out = yield from run_in_turn(
        parts, sum(share for share, _ in parts)
    )
    return bootstrap, permutation, left_out[0] if left_out else bootstrap


def _check_weighted(sample: ScoredSample, options: ComparisonOptions) -> None:
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


def _metric_rows(
    rows: Sequence[Correlation], figures: MetricFigures, adjusted: Floats
) -> list[CorrelationRow]:
    """A row a metric: what its figure is made of, the figure, and its rank by the adjusted p-values
    of all pairs, (M, M)."""
    shown = [row.figure if row.value is None else figures.figure(m) for m, row in enumerate(rows)]
    values = np.array([np.nan if one.value is None else one.value for one in shown])
    ranks = rank_metrics(values, adjusted, ALPHA)
    return [
        fill(
            CorrelationRow, row, rank, {} if figure.value is None else figure.resamples_json(),
            value=figure.value, reason=row.figure.reason,
            p=number_or_none(figure.p), ci=figure.ci,
        )
        for row, figure, rank in zip(rows, shown, ranks, strict=True)
    ]  # fmt: skip


def separating_test(result: ComparisonTests) -> str:
    """The test that tells the metrics of a comparison apart, with its draws and its unit."""
    draws = result["draws"]["perm-both"]
    if draws is None:
        return "the jackknife over passages with design weights"
    return f"PERM-BOTH, {draws:,} draws that swap the scores of whole {result['unit']}s"


def interval_method(result: UnnamedComparison | AgreementAnalysis) -> str:
    """The method of the intervals and p-values of the metrics' figures, with what it resamples."""
    units = " and ".join(f"{number:,} {name}" for name, number in result["units"])
    draws = result["metrics"][0].get("draws") if result["metrics"] else None
    return f"jackknife over {units}" if not draws else f"bootstrap over {units}, {draws:,} draws"
