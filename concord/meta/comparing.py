"""Comparison of metrics: correlations with intervals, ranks and significance tests."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.documents.comparison import ComparisonTests, PairTests, UnnamedComparison
from concord.inference import Estimate, too_few_clusters
from concord.meta.inference import (
    Bootstrap,
    Coefficient,
    Comparison,
    Correlation,
    Grouping,
    Progress,
    Resample,
    ScoredSample,
    association_steps,
    bootstrap_steps,
    correlations,
    draws_needed,
    paired_bootstrap,
    perm_both_steps,
    rank_metrics,
    williams,
)
from concord.meta.inference.draws import Steps, run_in_turn, run_steps
from concord.meta.inference.swaps import Unit
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
    within systems. resample: what the bootstrap resamples. unit: the permutation unit of
    PERM-BOTH. draws: of the bootstrap, and the minimum of the permutation test. seed: of both.
    """

    coefficient: Coefficient = "pearson"
    average: Grouping = "none"
    resample: Resample = "instances"
    unit: Unit = "candidate"
    draws: int = 1000
    seed: int = 1

    def swaps(self, metrics: int) -> int:
        """Draws of the permutation test: enough for Holm's method where they are fast."""
        if self.coefficient != "pearson":
            return self.draws
        needed = draws_needed(metrics, ALPHA)
        if needed > MAX_DRAWS:
            return self.draws
        return max(self.draws, min(MAX_DRAWS, DRAWS_FACTOR * needed))


@dataclass(frozen=True)
class ComparisonResult:
    """The result of `compare_steps`; `result` is its JSON.

    `human_agreement_rng` is the generator for human agreement in the same analysis.
    """

    result: UnnamedComparison
    human_agreement_rng: np.random.Generator


def bootstrap_intervals(sample: ScoredSample, options: ComparisonOptions) -> list[Estimate]:
    """The interval of each metric's coefficient, as `compare_steps` gives it as "ci", without the
    tests. Raises SampleError."""
    passages = len(np.unique(sample.clusters))
    if reason := too_few_clusters(passages):
        return [Estimate(None, clusters=passages, reason=reason)] * len(sample.metrics)
    bootstrap = run_steps(_bootstrap_steps(sample, options, _generators(options)[0]))
    return [bootstrap.figure(metric) for metric in range(len(sample.metrics))]


def compare_steps(
    sample: ScoredSample, options: ComparisonOptions
) -> Generator[Progress, None, ComparisonResult]:
    """Correlate metrics with people, rank them, and test every pair.

    Yields its progress. The result has "metrics" (a row a metric: "n", "value", "reason", "p",
    "ci", "rank", "group", ...), "tests" (lower triangles: "perm-both", "holm", "paired-bootstrap",
    its interval "low" and "high", and "westfall-young", "williams" where they exist),
    "adjusted_by", "alpha", "draws", "units" and "between_metrics". Metrics of one "group" cannot
    be distinguished by PERM-BOTH at alpha. Raises SampleError.
    """
    coefficient, average = options.coefficient, options.average
    draws = options.swaps(len(sample.metrics))
    rngs = _generators(options)
    fast = coefficient == "pearson"
    parts: tuple[tuple[int, Steps[Any]], ...] = (
        (1, _bootstrap_steps(sample, options, rngs[0])),
        (1, association_steps(sample, coefficient, average, rng=rngs[1], draws=options.draws)),
        (1 if fast else 8, perm_both_steps(sample, coefficient, average, rng=rngs[2],
                                           draws=draws, unit=options.unit)),
    )  # fmt: skip
    weights = sum(share for share, _ in parts)
    bootstrap, p_association, permutation = yield from run_in_turn(
        ((100 * share, steps) for share, steps in parts), 100 * weights
    )
    rows = correlations(sample, coefficient, average)
    return ComparisonResult(
        _result(sample, options, rows, bootstrap, p_association, permutation), rngs[3]
    )


def _generators(options: ComparisonOptions) -> list[np.random.Generator]:
    """For the bootstrap, the association, the permutation test and human agreement."""
    return np.random.default_rng(options.seed).spawn(4)


def _bootstrap_steps(
    sample: ScoredSample, options: ComparisonOptions, rng: np.random.Generator
) -> Steps[Bootstrap]:
    return bootstrap_steps(
        sample,
        options.coefficient,
        options.average,
        options.resample,
        rng=rng,
        draws=options.draws,
    )


def _result(
    sample: ScoredSample,
    options: ComparisonOptions,
    rows: list[Correlation],
    bootstrap: Bootstrap,
    p: NDArray[np.float64],
    permutation: Comparison,
) -> UnnamedComparison:
    values = np.array([np.nan if row.value is None else row.value for row in rows])
    by_holm = permutation.resolves(ALPHA)
    adjusted = (
        permutation.p_holm if by_holm or permutation.p_family is None else permutation.p_family
    )
    groups = rank_metrics(values, adjusted, ALPHA)
    paired = paired_bootstrap(bootstrap, options.coefficient, options.average)
    assert paired.low is not None and paired.high is not None
    tests: PairTests = {
        "perm-both": lower_triangle(permutation.p),
        "holm": lower_triangle(permutation.p_holm),
        "paired-bootstrap": lower_triangle(paired.p),
        "low": lower_triangle(paired.low),
        "high": lower_triangle(paired.high),
    }
    if permutation.p_family is not None:
        tests["westfall-young"] = lower_triangle(permutation.p_family)
    if options.coefficient == "pearson" and options.average == "none":
        tests["williams"] = lower_triangle(williams(sample).p)
    return {
        "n": sample.n,
        "unjudged": sample.unjudged,
        "units": [list(unit) for unit in bootstrap.units],
        "draws": {"bootstrap": options.draws, "perm-both": permutation.draws},
        "adjusted_by": "holm" if by_holm else "westfall-young",
        "alpha": ALPHA,
        "metrics": [
            {
                "n": row.n,
                "value": row.value,
                "reason": row.figure.reason,
                "p": number_or_none(p[m]),
                "ci": _ends(bootstrap.figure(m).ci) if row.value is not None else None,
                "groups": row.groups,
                "used": row.used,
                "too_few": row.too_few,
                "gold_constant": row.gold_constant,
                "metric_constant": row.metric_constant,
                "rank": group.rank,
                "group": group.group,
                **bootstrap.figure(m).resamples_json(),
            }
            for m, (row, group) in enumerate(zip(rows, groups, strict=True))
        ],
        "pairs": permutation.pairs,
        "tests": tests,
        "between_metrics": lower_triangle(correlations_between(sample)),
    }


def separating_test(result: ComparisonTests) -> str:
    """The test behind the rank groups of a comparison, with its draws."""
    draws = result["draws"]["perm-both"]
    if draws is None:
        return f"the paired bootstrap with design weights, {result['draws']['bootstrap']:,} draws"
    return f"PERM-BOTH, {draws:,} draws"


def correlations_between(sample: ScoredSample) -> NDArray[np.float64]:
    """Pearson's r of the scores of every two metrics, (M, M), NaN where either has no figure.

    One matrix product; `pearson_rows` would need (M, M, n) numbers.
    """
    m = len(sample.metrics)
    r = np.full((m, m), np.nan)
    defined = np.flatnonzero(sample.has_figures)
    if len(defined) and sample.n > 1:
        r[np.ix_(defined, defined)] = np.corrcoef(sample.scores[defined]).reshape(len(defined), -1)
    return r


def _ends(interval: tuple[float, float] | None) -> list[float] | None:
    return list(interval) if interval else None
