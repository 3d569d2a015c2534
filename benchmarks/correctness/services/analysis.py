"""The analysis "correctness": the figures of a large set, computed by a worker."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, fields
from typing import cast

from benchmarks.analyses import services as analyses
from benchmarks.analyses.kind import AnalysisRefusedError
from benchmarks.analyses.models import Analysis
from benchmarks.correctness.services import results, survival
from benchmarks.correctness.services.options import (
    CorrectnessOptions,
    CorrectnessParameters,
    CorrectnessRefusedError,
)
from benchmarks.correctness.services.results import CorrectnessResult
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.documents.conversion import from_json
from concord.meta.inference import Progress

NAME = "correctness"
# Measured: 30 metrics on 40,000 candidates take about 5 s.
SECONDS_PER_SCORE = 4e-6


class NotComputedError(CorrectnessRefusedError):
    """The figures of a large set were not computed yet; `parameters` are those of the analysis."""

    def __init__(self, parameters: dict[str, object]) -> None:
        self.parameters = parameters
        super().__init__(
            "the figures of this set are computed by a worker and are not there yet: open the page "
            f"“Correctness”, or start the analysis “{NAME}”, and try again"
        )


def is_quick(judgment_set: JudgmentSet, n_runs: int) -> bool:
    """Whether a page computes the figures itself."""
    return cost(judgment_set, n_runs) <= analyses.MAX_SECONDS_IN_PAGE


def find_result(judgment_set: JudgmentSet, resolved: CorrectnessOptions) -> CorrectnessResult:
    """The stored figures of the board's complete runs.

    Raises NotComputedError where they are not complete.
    """
    parameters = parameters_of(resolved)
    analysis = analyses.find_analysis(NAME, judgment_set, parameters)
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        raise NotComputedError(parameters)
    return cast(CorrectnessResult, from_json(CorrectnessResult, analysis.result))


def parameters_of(resolved: CorrectnessOptions) -> dict[str, object]:
    """The parameters of the analysis for resolved options."""
    return {one.name: getattr(resolved, one.name) for one in fields(CorrectnessParameters)}


def cost(judgment_set: JudgmentSet, n_runs: int, parameters: object = None) -> float:
    """Estimated seconds on one core."""
    del parameters
    return SECONDS_PER_SCORE * judgment_set.n_candidates * n_runs


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: CorrectnessParameters
) -> Generator[Progress, None, CorrectnessResult]:
    try:
        resolved = CorrectnessOptions(**asdict(parameters)).resolve(judgment_set)
        yield Progress(0, 2)
        result = results.compute(judgment_set, runs, resolved)
        yield Progress(1, 2)
        return survival.add(result, judgment_set, runs, resolved)
    except CorrectnessRefusedError as error:
        raise AnalysisRefusedError(str(error)) from error
