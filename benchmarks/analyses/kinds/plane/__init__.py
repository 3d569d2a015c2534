"""The analysis "plane": the grid of AEv's metrics and the region that is predicted for a set."""

from __future__ import annotations

from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.kinds.plane.computation import (
    PlaneAnalysis,
    PlaneParameters,
    compute,
    cost,
)
from benchmarks.analyses.kinds.plane.page import PAGE

KIND = AnalysisKind(
    name="plane",
    parameters=PlaneParameters,
    compute=compute,
    document=PlaneAnalysis,
    cost=cost,
    reads=frozenset({"criterion"}),
    min_runs=0,
    revision=3,
    page=PAGE,
)
