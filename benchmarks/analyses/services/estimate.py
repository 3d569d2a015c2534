"""The analysis "estimate": each system's mean rating, from the ratings there are and a metric."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from benchmarks.analyses.documents import EstimateParameters
from benchmarks.analyses.estimation_samples import (
    choose_run,
    estimation_sample,
    sampled_design,
)
from benchmarks.analyses.services.kinds import AnalysisRefusedError, Kind
from benchmarks.analyses.services.run_names import run_name
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.documents.estimate import EstimateAnalysis
from concord.estimation import EstimateReport, EstimationError, differences, estimate_systems
from concord.meta.inference import Progress
from concord.sampling import report_design


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: EstimateParameters
) -> Generator[Progress, None, EstimateAnalysis]:
    """Estimates, differences of every two systems, and ranks in groups."""
    run = choose_run(judgment_set, runs, parameters["run"])
    target = parameters["target"]
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


KIND: Kind[EstimateParameters] = Kind(
    "estimate",
    compute,
    cost,
    defaults={"run": 0, "target": "set"},
    allowed={"target": ("set", "new")},
    shows_systems=True,
)
