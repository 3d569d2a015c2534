"""The analysis "learning": how many judgments a stable ranking of metrics needs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.analyses import samples
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.parameters import CoefficientParameters, PartParameters, draws_field
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.meta.inference import Progress
from concord.meta.inference.learning_curve import LearningPoint, learning_curve_steps


@dataclass(frozen=True, kw_only=True)
class LearningParameters(PartParameters, CoefficientParameters):
    """How a learning curve is computed."""

    draws: int = draws_field(200)


@dataclass(frozen=True)
class LearningAnalysis:
    """The learning curve of the ranking of these metrics, on `n` candidates."""

    n: int
    metrics: list[RunName]
    points: list[LearningPoint]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: LearningParameters
) -> Generator[Progress, None, LearningAnalysis]:
    """The learning curve: agreement of two rankings of the metrics, by number of passages."""
    part = samples.Slice(parameters.by, parameters.group)
    sample = samples.sample(judgment_set, runs, part)
    curve = yield from learning_curve_steps(
        sample,
        parameters.coefficient,
        rng=np.random.default_rng(parameters.seed),
        draws=parameters.draws,
    )
    return LearningAnalysis(sample.n, [RunName.of(run) for run in runs], curve)


def cost(judgment_set: JudgmentSet, metrics: int, parameters: LearningParameters) -> float:
    """Estimated seconds."""
    seconds_each = 3e-7 if parameters.coefficient == "pearson" else 2e-6
    return seconds_each * judgment_set.n_candidates * metrics * float(parameters.draws) + 0.05


KIND = AnalysisKind(
    name="learning",
    parameters=LearningParameters,
    compute=compute,
    document=LearningAnalysis,
    cost=cost,
    min_runs=2,
)
