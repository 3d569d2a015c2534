"""The analysis "raters": how far the raters of each group agree on the set's score."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from benchmarks.analyses import rater_agreement
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.parameters import BootstrapParameters
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.documents.findings import RatersAnalysis
from concord.findings import group_alpha
from concord.meta.inference import Progress
from core.refusals import RefusedError


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: BootstrapParameters
) -> Generator[Progress, None, RatersAnalysis]:
    """Krippendorff's alpha of every group of raters: ordinal, nominal of words without an order."""
    del runs
    yield Progress(0, 1)
    groups = rater_agreement.by_group(judgment_set, seed=parameters.seed, draws=parameters.draws)
    rows = [group_alpha(group, report) for group, _, report in groups]
    if not rows:
        raise RefusedError(
            "the set has gold scores only: agreement needs single ratings", "analysis-refused"
        )
    return {"raters": rows}


def cost(judgment_set: JudgmentSet, metrics: int, parameters: BootstrapParameters) -> float:
    """Estimated seconds on one core."""
    del metrics
    return rater_agreement.cost(judgment_set.statistics.get("ratings", 0), parameters.draws)


KIND = AnalysisKind(
    name="raters",
    parameters=BootstrapParameters,
    compute=compute,
    document=RatersAnalysis,
    cost=cost,
    reads=frozenset({"criterion"}),
    min_runs=0,
)
