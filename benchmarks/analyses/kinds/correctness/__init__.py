"""The analysis "correctness": metrics as judges of correctness (AVA 6.2, 6.5)."""

from __future__ import annotations

from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.kinds.correctness.computation import CorrectnessResult, compute, cost
from benchmarks.analyses.kinds.correctness.page import PAGE
from benchmarks.analyses.kinds.correctness.parameters import CorrectnessParameters, resolve

KIND = AnalysisKind(
    name="correctness",
    parameters=CorrectnessParameters,
    compute=compute,
    document=CorrectnessResult,
    cost=cost,
    revision=2,
    resolve=resolve,
    page=PAGE,
)
