"""The analysis "estimate": each system's mean rating, from the ratings there are and a metric."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from benchmarks.analyses.estimation_samples import (
    choose_run,
    estimation_sample,
    sampled_design,
)
from benchmarks.analyses.kind import AnalysisKind, AnalysisRefusedError
from benchmarks.analyses.parameters import RunParameters
from benchmarks.analyses.run_names import run_name
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.documents.estimate import EstimateAnalysis
from concord.estimation import (
    EstimateReport,
    EstimationError,
    Target,
    differences,
    estimate_systems,
)
from concord.meta.inference import Progress
from concord.sampling import report_design


@dataclass(frozen=True, kw_only=True)
class EstimateParameters(RunParameters):
    """target: what is estimated, the mean over this set or over new passages of the same kind."""

    target: Target = "set"


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: EstimateParameters
) -> Generator[Progress, None, EstimateAnalysis]:
    """Estimates, differences of every two systems, and ranks in groups."""
    run = choose_run(judgment_set, runs, parameters.run)
    target = parameters.target
    yield Progress(0, 1)
    design = sampled_design(judgment_set, run)
    try:
        if design is None:
            sample = estimation_sample(judgment_set, run)
            rows = estimate_systems(sample, target=target)
            report = EstimateReport(rows, *differences(rows), target, sample.metrics)
        else:
            report = report_design(*design, target=target)
    except EstimationError as error:
        raise AnalysisRefusedError(str(error)) from error
    return {
        "metric": run_name(run),
        "rated": sum(row.rated for row in report.systems),
        "candidates": sum(row.candidates for row in report.systems),
        "report": report.to_json(),
    }


def cost(judgment_set: JudgmentSet, metrics: int, parameters: EstimateParameters) -> float:
    """Estimated seconds on one core."""
    del metrics, parameters
    return 0.1 + 5e-6 * judgment_set.n_candidates


KIND = AnalysisKind(
    name="estimate",
    parameters=EstimateParameters,
    compute=compute,
    document=EstimateAnalysis,
    cost=cost,
    shows=frozenset({"systems"}),
)
