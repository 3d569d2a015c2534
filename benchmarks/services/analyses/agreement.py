"""Which metric agrees with people, how surely, and is it better than the others?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.models import JudgmentSet, MetricRun
from benchmarks.services import samples
from benchmarks.services.analyses import ceilings
from benchmarks.services.analyses.kinds import AnalysisRefusedError, Kind, Result, in_turn
from benchmarks.services.analyses.values import about, lower_triangle, number
from concord.meta import inference as meta
from concord.meta.board import GROUPINGS
from concord.meta.inference import (
    COEFFICIENTS,
    RESAMPLES,
    Bootstrap,
    Comparison,
    Progress,
    Sample,
    SampleError,
    association_steps,
    bootstrap_steps,
    correlations,
    draws_needed,
    paired_bootstrap,
    perm_both_steps,
    standings,
    williams,
)

ALPHA = 0.05
# Holm's method needs draws in proportion to the pairs; past this, the joint distribution of the
# draws (Westfall and Young) adjusts instead, which needs no more of them for more pairs.
MOST_DRAWS = 20_000
# So many times the least, so that an adjusted p-value can be well below alpha.
FINER = 6
MOST_METRICS = 200


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: dict[str, Any]
) -> Generator[Progress, None, Result]:
    """Figures, intervals, ranks and the tests of every pair of metrics on one part of a set."""
    part = samples.Slice(parameters["by"], parameters["group"])
    coefficient, grouping = parameters["coefficient"], parameters["average"]
    try:
        sample = samples.sample(judgment_set, runs, part)
        draws = swaps(len(runs), parameters)
        rngs = np.random.default_rng(parameters["seed"]).spawn(4)
        fast = coefficient == "pearson"
        work = (
            (1, bootstrap_steps(sample, coefficient, grouping, parameters["resample"], rng=rngs[0],
                                draws=parameters["draws"])),
            (1, association_steps(sample, coefficient, grouping, rng=rngs[1],
                                  draws=parameters["draws"])),
            (1 if fast else 8, perm_both_steps(sample, coefficient, grouping, rng=rngs[2],
                                               draws=draws, unit=parameters["unit"])),
        )  # fmt: skip
        weights = sum(share for share, _ in work)
        bootstrap, p, swapped = yield from in_turn(
            ((100 * share, steps) for share, steps in work), 100 * weights
        )
        people = ceilings.people(judgment_set, part, coefficient, grouping, rngs[3])
    except SampleError as error:
        raise AnalysisRefusedError(str(error)) from error
    return _result(sample, runs, parameters, bootstrap, p, swapped, people)


def swaps(metrics: int, parameters: dict[str, Any]) -> int:
    """Draws of the permutation test: enough for Holm's method where they are cheap."""
    asked: int = parameters["draws"]
    if parameters["coefficient"] != "pearson":
        return asked
    needed = draws_needed(metrics, ALPHA)
    return max(asked, min(MOST_DRAWS, FINER * needed)) if needed <= MOST_DRAWS else asked


def cost(judgment_set: JudgmentSet, metrics: int, parameters: dict[str, Any]) -> float:
    """Seconds, about: measured on two cores by bench/meta_evaluation.py."""
    n, draws = float(judgment_set.n_candidates), float(parameters["draws"])
    pairs = metrics * max(1, metrics - 1) / 2
    if parameters["coefficient"] == "pearson" and parameters["average"] == "none":
        return n * metrics * (2e-9 * draws + 3e-11 * swaps(metrics, parameters)) + 0.1
    return 2e-7 * n * draws * (metrics + pairs)


def _result(
    sample: Sample,
    runs: Sequence[MetricRun],
    parameters: dict[str, Any],
    bootstrap: Bootstrap,
    p: NDArray[np.float64],
    swapped: Comparison,
    people: dict[str, Any],
) -> Result:
    found = correlations(sample, parameters["coefficient"], parameters["average"])
    values = np.array([np.nan if row.value is None else row.value for row in found])
    by_holm = swapped.resolves(ALPHA)
    adjusted = swapped.p_holm if by_holm or swapped.p_family is None else swapped.p_family
    places = standings(values, adjusted, ALPHA)
    rows = []
    for m, (run, one, place) in enumerate(zip(runs, found, places, strict=True)):
        row = about(run) | {
            "n": one.n,
            "value": one.value,
            "reason": one.figure.reason,
            "p": number(p[m]),
            "ci": _ends(bootstrap.interval(m)) if one.value is not None else None,
            "groups": one.groups,
            "used": one.used,
            "too_few": one.too_few,
            "gold_constant": one.gold_constant,
            "metric_constant": one.metric_constant,
            "rank": place.rank,
            "group": place.group,
        }
        rows.append(row | ceilings.relative(one, people))
    paired = paired_bootstrap(bootstrap, parameters["coefficient"], parameters["average"])
    tests = {
        "perm-both": lower_triangle(swapped.p),
        "holm": lower_triangle(swapped.p_holm),
        "paired-bootstrap": lower_triangle(paired.p),
        "low": lower_triangle(paired.low),
        "high": lower_triangle(paired.high),
    }
    if swapped.p_family is not None:
        tests["westfall-young"] = lower_triangle(swapped.p_family)
    if parameters["coefficient"] == "pearson" and parameters["average"] == "none":
        tests["williams"] = lower_triangle(williams(sample).p)
    return {
        "n": sample.n,
        "unjudged": sample.unjudged,
        "units": [list(unit) for unit in bootstrap.units],
        "draws": {"bootstrap": parameters["draws"], "perm-both": swapped.draws},
        "adjusted_by": "holm" if by_holm else "westfall-young",
        "alpha": ALPHA,
        "metrics": rows,
        "pairs": swapped.pairs,
        "tests": tests,
        "between_metrics": lower_triangle(_between(sample)),
        "people": people,
    }


def _between(sample: Sample) -> NDArray[np.float64]:
    """Pearson's r of every two metrics' scores, NaN where either has no figure."""
    m = len(sample.metrics)
    r = np.full((m, m), np.nan)
    sound = np.flatnonzero(sample.sound)
    if len(sound) and sample.n > 1:
        r[np.ix_(sound, sound)] = np.corrcoef(sample.scores[sound]).reshape(len(sound), -1)
    return r


def _ends(interval: tuple[float, float] | None) -> list[float] | None:
    return list(interval) if interval else None


KIND = Kind(
    "agreement",
    compute,
    cost,
    defaults={
        "coefficient": "pearson",
        "average": "none",
        "resample": "instances",
        "unit": "candidate",
        "by": "",
        "group": "",
        "draws": 1000,
        "seed": 1,
    },
    allowed={
        "coefficient": COEFFICIENTS,
        "average": meta.GROUPINGS,
        "resample": RESAMPLES,
        "unit": ("candidate", "instance", "passage"),
        "by": ("", *GROUPINGS),
    },
)
