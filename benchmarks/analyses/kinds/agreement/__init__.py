"""The analysis "agreement": agreement of metrics with people, and tests of every two metrics."""

from __future__ import annotations

from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.kinds.agreement.computation import AgreementParameters, compute, cost
from benchmarks.analyses.kinds.agreement.page import PAGE
from concord.documents.comparison import AgreementAnalysis

KIND = AnalysisKind(
    name="agreement",
    parameters=AgreementParameters,
    compute=compute,
    document=AgreementAnalysis,
    cost=cost,
    revision=3,
    page=PAGE,
)
