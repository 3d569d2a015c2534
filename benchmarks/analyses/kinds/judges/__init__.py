"""The analysis "judges": may a metric stand in for one of the raters?"""

from __future__ import annotations

from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.kinds.judges.computation import (
    REVISION,
    JudgesAnalysis,
    JudgesParameters,
    compute,
    cost,
)
from benchmarks.analyses.kinds.judges.page import PAGE

KIND = AnalysisKind(
    name="judges",
    parameters=JudgesParameters,
    compute=compute,
    document=JudgesAnalysis,
    cost=cost,
    revision=REVISION,
    page=PAGE,
)
