"""The analysis "agreement": agreement of metrics with people, and tests of every two metrics."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from benchmarks.analyses import samples
from benchmarks.analyses.kinds.agreement import human_agreement
from benchmarks.analyses.parameters import PartParameters, draws_field, seed_field
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.documents.comparison import AgreementAnalysis, AgreementRow
from concord.documents.conversion import fill
from concord.meta.comparing import ComparisonOptions, compare_steps
from concord.meta.inference import Progress


@dataclass(frozen=True, kw_only=True)
class AgreementParameters(PartParameters, ComparisonOptions):
    """The options of a comparison, on a part of the set."""

    draws: int = draws_field(ComparisonOptions.draws)
    seed: int = seed_field(ComparisonOptions.seed)


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: AgreementParameters
) -> Generator[Progress, None, AgreementAnalysis]:
    """Figures, intervals, ranks and the tests of every pair of metrics on one part of a set.

    Where candidates were drawn with unequal probabilities, figures have design weights, and there
    is no human agreement."""
    part = samples.Slice(parameters.by, parameters.group)
    if judgment_set.has_unequal_sampling:
        sample, weights = samples.weighted_sample(judgment_set, runs, part)
        result = yield from compare_steps(sample, parameters, weights)
        named = [
            fill(AgreementRow, RunName.of(run), row)
            for run, row in zip(runs, result["metrics"], strict=True)
        ]
        return {**result, "metrics": named, "people": {"groups": [], "between": []}}
    sample = samples.sample(judgment_set, runs, part)
    result = yield from compare_steps(sample, parameters)
    measured = human_agreement.measure_human_agreement(
        judgment_set,
        part,
        parameters.coefficient,
        parameters.average,
        parameters.rngs()[2],
    )
    relative = human_agreement.relative_to_people(judgment_set, runs, measured)
    rows = [
        fill(AgreementRow, RunName.of(run), row, of_people)
        for run, row, of_people in zip(runs, result["metrics"], relative, strict=True)
    ]
    return {**result, "metrics": rows, "people": measured.people}


def cost(judgment_set: JudgmentSet, metrics: int, parameters: AgreementParameters) -> float:
    """Estimated seconds on one core, fitted to sets of 1,000 to 10,000 candidates with 3 to
    30 metrics (Pearson: 0.07 s to 6.1 s measured, within a third)."""
    n, draws = float(judgment_set.n_candidates), float(parameters.draws)
    if judgment_set.has_unequal_sampling:
        return 3e-6 * n * metrics
    pairs = metrics * max(1, metrics - 1) / 2
    if parameters.coefficient == "pearson" and parameters.average == "none":
        swaps = parameters.swaps(metrics)
        return n * metrics * (8e-9 * draws + 3e-10 * swaps) + 1.5e-7 * pairs * swaps + 0.05
    return 2e-7 * n * draws * (metrics + pairs)
