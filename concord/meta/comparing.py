"""Which metric agrees with people, how surely, and is it better than the others?"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.meta.documents.comparison import PairTests, UnnamedComparison
from concord.meta.inference import (
    Bootstrap,
    Coefficient,
    Comparison,
    Correlation,
    Grouping,
    Progress,
    Resample,
    Sample,
    association_steps,
    bootstrap_steps,
    correlations,
    draws_needed,
    paired_bootstrap,
    perm_both_steps,
    standings,
    williams,
)
from concord.meta.inference.draws import Steps, in_turn
from concord.meta.inference.swaps import Unit
from concord.meta.json_values import lower_triangle, number_or_none

ALPHA = 0.05
# Holm's method needs draws in proportion to the pairs. Above this many draws, the joint
# distribution of the draws (Westfall and Young) adjusts instead: it needs no more for more pairs.
MAX_DRAWS = 20_000
# This many times the fewest draws, so that an adjusted p-value can be well below alpha.
FINER = 6


@dataclass(frozen=True)
class ComparisonOptions:
    """What is compared, and how.

    coefficient: of correlation with people. average: over all candidates, within instances or
    within systems. resample: what the bootstrap draws. unit: what PERM-BOTH swaps together. draws:
    of the bootstrap, and the fewest of the permutation test. seed: of both.
    """

    coefficient: Coefficient = "pearson"
    average: Grouping = "none"
    resample: Resample = "instances"
    unit: Unit = "candidate"
    draws: int = 1000
    seed: int = 1

    def swaps(self, metrics: int) -> int:
        """Draws of the permutation test: enough for Holm's method where they are cheap."""
        if self.coefficient != "pearson":
            return self.draws
        needed = draws_needed(metrics, ALPHA)
        if needed > MAX_DRAWS:
            return self.draws
        return max(self.draws, min(MAX_DRAWS, FINER * needed))


@dataclass(frozen=True)
class Compared:
    """The result of `compare_steps`: `result` is what a page and a file show.

    `correlations` has one entry a metric, in the sample's order. `ceiling_rng` is the generator
    that the human ceiling of the same analysis draws from.
    """

    correlations: list[Correlation]
    result: UnnamedComparison
    ceiling_rng: np.random.Generator


def compare_steps(
    sample: Sample, options: ComparisonOptions
) -> Generator[Progress, None, Compared]:
    """Each metric's correlation with people, its interval and rank, and the tests of every pair.

    Yields its progress. The result has "metrics" (a row a metric: "n", "value", "reason", "p",
    "ci", "rank", "group", ...), "tests" (lower triangles: "perm-both", "holm", "paired-bootstrap",
    its interval "low" and "high", and "westfall-young", "williams" where they exist),
    "adjusted_by", "alpha", "draws", "units" and "between_metrics". Metrics of one "group" cannot
    be told apart by PERM-BOTH at alpha. Raises SampleError.
    """
    coefficient, average = options.coefficient, options.average
    draws = options.swaps(len(sample.metrics))
    rngs = np.random.default_rng(options.seed).spawn(4)
    fast = coefficient == "pearson"
    work: tuple[tuple[int, Steps[Any]], ...] = (
        (1, bootstrap_steps(sample, coefficient, average, options.resample, rng=rngs[0],
                            draws=options.draws)),
        (1, association_steps(sample, coefficient, average, rng=rngs[1], draws=options.draws)),
        (1 if fast else 8, perm_both_steps(sample, coefficient, average, rng=rngs[2],
                                           draws=draws, unit=options.unit)),
    )  # fmt: skip
    weights = sum(share for share, _ in work)
    bootstrap, p, swapped = yield from in_turn(
        ((100 * share, steps) for share, steps in work), 100 * weights
    )
    found = correlations(sample, coefficient, average)
    return Compared(found, _result(sample, options, found, bootstrap, p, swapped), rngs[3])


def _result(
    sample: Sample,
    options: ComparisonOptions,
    rows: list[Correlation],
    bootstrap: Bootstrap,
    p: NDArray[np.float64],
    swapped: Comparison,
) -> UnnamedComparison:
    values = np.array([np.nan if row.value is None else row.value for row in rows])
    by_holm = swapped.resolves(ALPHA)
    adjusted = swapped.p_holm if by_holm or swapped.p_family is None else swapped.p_family
    groups = standings(values, adjusted, ALPHA)
    paired = paired_bootstrap(bootstrap, options.coefficient, options.average)
    assert paired.low is not None and paired.high is not None
    tests: PairTests = {
        "perm-both": lower_triangle(swapped.p),
        "holm": lower_triangle(swapped.p_holm),
        "paired-bootstrap": lower_triangle(paired.p),
        "low": lower_triangle(paired.low),
        "high": lower_triangle(paired.high),
    }
    if swapped.p_family is not None:
        tests["westfall-young"] = lower_triangle(swapped.p_family)
    if options.coefficient == "pearson" and options.average == "none":
        tests["williams"] = lower_triangle(williams(sample).p)
    return {
        "n": sample.n,
        "unjudged": sample.unjudged,
        "units": [list(unit) for unit in bootstrap.units],
        "draws": {"bootstrap": options.draws, "perm-both": swapped.draws},
        "adjusted_by": "holm" if by_holm else "westfall-young",
        "alpha": ALPHA,
        "metrics": [
            {
                "n": row.n,
                "value": row.value,
                "reason": row.figure.reason,
                "p": number_or_none(p[m]),
                "ci": _ends(bootstrap.interval(m)) if row.value is not None else None,
                "groups": row.groups,
                "used": row.used,
                "too_few": row.too_few,
                "gold_constant": row.gold_constant,
                "metric_constant": row.metric_constant,
                "rank": group.rank,
                "group": group.group,
            }
            for m, (row, group) in enumerate(zip(rows, groups, strict=True))
        ],
        "pairs": swapped.pairs,
        "tests": tests,
        "between_metrics": lower_triangle(_between(sample)),
    }


def _between(sample: Sample) -> NDArray[np.float64]:
    """Pearson's r of every two metrics' scores, (M, M), NaN where either has no figure.

    As one matrix product, for which `pearson_rows` would need (M, M, n) numbers.
    """
    m = len(sample.metrics)
    r = np.full((m, m), np.nan)
    sound = np.flatnonzero(sample.sound)
    if len(sound) and sample.n > 1:
        r[np.ix_(sound, sound)] = np.corrcoef(sample.scores[sound]).reshape(len(sound), -1)
    return r


def _ends(interval: tuple[float, float] | None) -> list[float] | None:
    return list(interval) if interval else None
