"""The analysis "judge": what one metric or judge may be used for on a set."""

from __future__ import annotations

from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.kinds.judge.computation import JudgeAnalysis, compute, cost
from benchmarks.analyses.kinds.judge.page import PAGE
from benchmarks.analyses.kinds.judge.people import JudgeParameters

KIND = AnalysisKind(
    name="judge",
    parameters=JudgeParameters,
    compute=compute,
    document=JudgeAnalysis,
    cost=cost,
    reads=frozenset({"run", "criterion"}),
    revision=9,
    page=PAGE,
)
