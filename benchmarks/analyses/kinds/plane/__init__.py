"""The analysis "plane": the grid of AEv's metrics and the region that is predicted for a set."""

from __future__ import annotations

from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.kinds.plane.computation import PlaneParameters, compute, cost
from benchmarks.analyses.kinds.plane.page import PAGE
from concord.documents.plane import PlaneAnalysis

KIND = AnalysisKind(
    name="plane",
    parameters=PlaneParameters,
    compute=compute,
    document=PlaneAnalysis,
    cost=cost,
    reads=frozenset({"criterion"}),
    min_runs=0,
    revision=2,
    page=PAGE,
)
