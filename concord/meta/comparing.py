"""Comparison of metrics: correlations with intervals, ranks and significance tests."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

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
from concord.documents.figures import ResamplesRow
from concord.meta.inference import (
    Bootstrap,
    Coefficient,
    Comparison,
    Correlation,
    Grouping,
    Progress,
    Resample,
    ScoredSample,
    bootstrap_steps,
    correlations,
    draws_needed,
    paired_bootstrap,
    perm_both_steps,
    rank_metrics,
    williams,
)
from concord.meta.inference.correlations import LEFT_OUT, LeftOut, left_out_steps
from concord.meta.inference.draws import Steps, run_in_turn
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


def compare_steps(
    sample: ScoredSample, options: ComparisonOptions
) -> Generator[Progress, None, ComparisonResult]:
    """Correlate metrics with people, rank them, and test every pair.

    Yields its progress. The result has "metrics" (a row a metric: "n", "value", "reason", "p",
    "ci", "rank", "top", ...), "tests" (lower triangles: "perm-both", "holm",
    "paired-bootstrap", its interval "low" and "high", and "westfall-young", "williams" where they
    exist), "adjusted_by", "alpha", "draws", "unit", "units" and "between_metrics". Two metrics
    differ significantly by the adjusted PERM-BOTH at alpha. Intervals and p-values of a figure are
    by the jackknife over passages, as on a board; by the bootstrap for averages, for Stuart's
    tau-c and where systems are resampled. Raises SampleError.
    """
    coefficient, average = options.coefficient, options.average
    rngs = np.random.default_rng(options.seed).spawn(3)
    bootstrapped = bootstrap_steps(
        sample, coefficient, average, options.resample, rng=rngs[0], draws=options.draws
    )
    permuted = perm_both_steps(
        sample, coefficient, average, rng=rngs[1],
        draws=options.swaps(len(sample.metrics)), unit=options.unit,
    )  # fmt: skip
    parts: list[tuple[int, Steps[Any]]] = [
        (100, bootstrapped),
        (100 if coefficient == "pearson" else 800, permuted),
    ]
    is_pooled = average == "none" and options.resample == "instances"
    if is_pooled and coefficient in LEFT_OUT:
        parts.append((20, left_out_steps(sample, coefficient)))
    bootstrap, permutation, *left_out = yield from run_in_turn(
        parts, sum(share for share, _ in parts)
    )
    figures: LeftOut | Bootstrap = left_out[0] if left_out else bootstrap
    return ComparisonResult(_result(sample, options, figures, bootstrap, permutation), rngs[2])


def _result(
    sample: ScoredSample,
    options: ComparisonOptions,
    figures: LeftOut | Bootstrap,
    bootstrap: Bootstrap,
    permutation: Comparison,
) -> UnnamedComparison:
    by_holm = permutation.resolves(ALPHA)
    adjusted = (
        permutation.p_holm if by_holm or permutation.p_family is None else permutation.p_family
    )
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
    rows = correlations(sample, options.coefficient, options.average)
    return {
        "n": sample.n,
        "unjudged": sample.unjudged,
        "units": [list(unit) for unit in bootstrap.units],
        "unit": options.unit,
        "draws": {"bootstrap": options.draws, "perm-both": permutation.draws},
        "adjusted_by": "holm" if by_holm else "westfall-young",
        "alpha": ALPHA,
        "metrics": metric_rows(rows, figures, adjusted),
        "pairs": permutation.pairs,
        "tests": tests,
        "between_metrics": lower_triangle(correlations_between(sample)),
    }


def metric_rows(
    rows: Sequence[Correlation], figures: LeftOut | Bootstrap, adjusted: Floats
) -> list[CorrelationRow]:
    """A row a metric: what its figure is made of, the figure, and its rank by the adjusted p-values
    of all pairs, (M, M)."""
    values = np.array([np.nan if row.value is None else figures.observed[m]
                       for m, row in enumerate(rows)])  # fmt: skip
    ranks = rank_metrics(values, adjusted, ALPHA)
    documents: list[CorrelationRow] = []
    for m, (row, rank) in enumerate(zip(rows, ranks, strict=True)):
        figure = row.figure if row.value is None else figures.figure(m)
        made_of: ResamplesRow = {} if row.value is None else figure.resamples_json()
        documents.append(
            {
                "n": row.n,
                "value": figure.value,
                "reason": row.figure.reason,
                "p": number_or_none(np.nan if figure.p is None else figure.p),
                "ci": list(figure.ci) if figure.ci else None,
                "groups": row.groups,
                "used": row.used,
                "too_few": row.too_few,
                "gold_constant": row.gold_constant,
                "metric_constant": row.metric_constant,
                "rank": rank.rank,
                "group": rank.group,
                "top": rank.top,
                **made_of,
            }
        )
    return documents


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


def correlations_between(sample: ScoredSample) -> Floats:
    """Pearson's r of the scores of every two metrics, (M, M), NaN where either has no figure.

    One matrix product; `pearson_rows` would need (M, M, n) numbers.
    """
    m = len(sample.metrics)
    r = np.full((m, m), np.nan)
    defined = np.flatnonzero(sample.has_figures)
    if len(defined) and sample.n > 1:
        r[np.ix_(defined, defined)] = np.corrcoef(sample.scores[defined]).reshape(len(defined), -1)
    return r
