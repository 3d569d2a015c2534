"""The analysis "correctness": metrics as judges of correctness, and what starts it."""

from __future__ import annotations

from benchmarks.analyses.kind import AnalysisKind, AnalysisRefusedError
from benchmarks.analyses.page import AnalysisPage, Opened
from benchmarks.correctness import services as correctness
from benchmarks.correctness.forms import CorrectnessQueryForm, options_of
from benchmarks.correctness.services import analysis
from benchmarks.correctness.services.options import CorrectnessParameters
from benchmarks.correctness.services.results import CorrectnessResult


def complete(opened: Opened) -> None:
    """Fill in the set's defaults. Raises AnalysisRefusedError."""
    try:
        resolved = options_of(opened.query).resolve(opened.judgment_set)
    except correctness.CorrectnessRefusedError as error:
        raise AnalysisRefusedError(str(error)) from error
    opened.query |= analysis.parameters_of(resolved)


KIND = AnalysisKind(
    name=analysis.NAME,
    parameters=CorrectnessParameters,
    compute=analysis.compute,
    document=CorrectnessResult,
    cost=analysis.cost,
    revision=2,
    page=AnalysisPage(
        name="correctness", part_of="correctness", query=CorrectnessQueryForm, complete=complete
    ),
)
