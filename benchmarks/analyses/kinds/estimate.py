"""The analysis "estimate": each system's mean rating, from the ratings there are and a metric."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.analyses.estimation_samples import (
    choose_run,
    estimation_sample,
    sampled_design,
    single_ratings,
)
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.page import (
    AnalysisPage,
    Context,
    FormField,
    Opened,
    check_run,
    run_choices,
)
from benchmarks.analyses.parameters import RunParameters
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from concord.estimation import Target, report_sample
from concord.meta.inference import Progress
from concord.plots import IntervalMark, IntervalScale
from concord.sampling import report_design

TARGETS = {"set": "this set", "new": "new passages of the same kind"}


@dataclass(frozen=True, kw_only=True)
class EstimateParameters(RunParameters):
    """target: what is estimated, the mean over this set or over new passages of the same kind."""

    target: Target = "set"


@dataclass(frozen=True)
class EstimateAnalysis:
    """report: `concord.estimation.EstimateReport` as JSON."""

    metric: RunName
    rated: int
    candidates: int
    report: dict[str, Any]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: EstimateParameters
) -> Generator[Progress, None, EstimateAnalysis]:
    """Estimates, differences of every two systems, and ranks in groups."""
    run = choose_run(judgment_set, runs, parameters.run)
    target = parameters.target
    yield Progress(0, 1)
    design = sampled_design(judgment_set, run)
    if design is None:
        sample = estimation_sample(judgment_set, run)
        known = single_ratings(judgment_set, with_system=True)
        report = report_sample(sample, known, target=target)
    else:
        report = report_design(*design, single_ratings(judgment_set), target=target)
    return EstimateAnalysis(
        metric=RunName.of(run),
        rated=sum(row.rated for row in report.systems),
        candidates=sum(row.candidates for row in report.systems),
        report=report.to_json(),
    )


def cost(judgment_set: JudgmentSet, metrics: int, parameters: EstimateParameters) -> float:
    """Estimated seconds on one core (300,000 ratings of ten systems: 5 s measured)."""
    del metrics, parameters
    ratings = criteria.ratings(judgment_set).count()
    return 0.1 + 5e-6 * judgment_set.n_candidates + 2e-5 * ratings


@dataclass(frozen=True)
class EstimateRow:
    """A system with its estimate; mark: None without an estimate. is_exact: whether the mean is
    that of a set of which every candidate is rated, by these raters, so that nothing is sampled."""

    system: str
    # As `concord estimate` writes it.
    row: dict[str, Any]
    mark: IntervalMark | None
    is_exact: bool


def arrange(opened: Opened, result: EstimateAnalysis) -> Context:
    """The systems by mean, best first, on one scale."""
    target, systems = opened.query["target"], result.report["systems"]
    scale = IntervalScale.from_intervals(
        (row["ci"] or [row["mean"]] for row in systems.values() if row["mean"] is not None),
        zero=False,
    )
    rows = [
        EstimateRow(
            system,
            row,
            None if row["mean"] is None else scale.mark(row["mean"], row["ci"]),
            row["over"] == "these items",
        )
        for system, row in systems.items()
    ]
    rows.sort(key=lambda each: (each.row["mean"] is None, -(each.row["mean"] or 0.0)))
    return {
        "rows": rows,
        "exact": all(each.is_exact for each in rows),
        "with_reason": [each for each in rows if each.row.get("reason")],
        "scale": scale,
        "target_name": TARGETS[target],
        "resolved": [pair for pair in result.report["differences"] if pair["adjusted_p"] < 0.05],
    }


KIND = AnalysisKind(
    name="estimate",
    parameters=EstimateParameters,
    compute=compute,
    document=EstimateAnalysis,
    cost=cost,
    revision=2,
    page=AnalysisPage(
        name="estimate",
        section_of="system-board",
        form=(
            FormField("run", "Metric", run_choices),
            FormField("target", "Estimate for", TARGETS.items()),
        ),
        complete=check_run,
        arrange=arrange,
    ),
)
