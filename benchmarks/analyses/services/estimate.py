"""The analysis "estimate": each system's mean rating, from the ratings there are and a metric."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from benchmarks.analyses.documents import EstimateParameters
from benchmarks.analyses.estimation_samples import choose_run, estimation_sample
from benchmarks.analyses.services.kinds import Kind
from benchmarks.analyses.services.run_names import run_name
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.estimation import EstimateReport, differences, estimate_systems
from concord.meta.documents.estimate import EstimateAnalysis
from concord.meta.inference import Progress


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: EstimateParameters
) -> Generator[Progress, None, EstimateAnalysis]:
    """Estimates, differences of every two systems, and ranks in groups."""
    run = choose_run(judgment_set, runs, parameters["run"])
    sample = estimation_sample(judgment_set, run)
    yield Progress(0, 1)
    target = parameters["target"]
    rows = estimate_systems(sample, target=target)
    report = EstimateReport(rows, *differences(rows), target, sample.metrics)
    return {
        "metric": run_name(run),
        "rated": int(sample.is_rated.sum()),
        "candidates": len(sample.outcomes),
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
