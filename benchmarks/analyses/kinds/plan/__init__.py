"""The analysis "plan": how many ratings does a study like this set need, by which rule?"""

from __future__ import annotations

from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.kinds.plan.computation import PlanAnalysis, PlanParameters, compute, cost
from benchmarks.analyses.kinds.plan.page import PAGE

KIND = AnalysisKind(
    name="plan",
    parameters=PlanParameters,
    compute=compute,
    document=PlanAnalysis,
    cost=cost,
    revision=2,
    page=PAGE,
)
