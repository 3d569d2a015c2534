"""The analysis "combination": what do all metrics together know that the best one does not?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.analyses import samples
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.page import (
    COEFFICIENT,
    COEFFICIENTS,
    AnalysisPage,
    Context,
    Opened,
)
from benchmarks.analyses.parameters import CoefficientParameters
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.inference import Estimate
from concord.meta.inference import Progress
from concord.sentences import counted
from core.refusals import RefusedError
from scorers.out_of_fold import combine_out_of_fold

MIN_PASSAGES = 30


@dataclass(frozen=True, kw_only=True)
class CombinedMetric(RunName):
    """weight: of the standardised scores, the mean over folds; weight_range: lowest and highest.
    chosen: in how many folds it was the best single metric."""

    weight: float
    weight_range: list[float]
    chosen: int


@dataclass(frozen=True)
class CombinationAnalysis:
    """left_out: metrics without a score of every candidate, or without variation."""

    n: int
    passages: int
    folds: int
    combination: Estimate
    single: Estimate
    difference: Estimate
    metrics: list[CombinedMetric]
    left_out: list[RunName]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: CoefficientParameters
) -> Generator[Progress, None, CombinationAnalysis]:
    """Agreement with people of a ridge regression on all metrics, and of the best single metric,
    both chosen on other passages.

    The bootstrap resamples passages with the predictions as they are: it does not fit them again.
    """
    frame = frames.frame(judgment_set)
    positions = np.flatnonzero(frame.judged)
    gold, clusters = frame.gold[positions], frame.clusters[positions]
    passages = len(np.unique(clusters))
    if passages < MIN_PASSAGES:
        raise RefusedError(
            f"{counted(passages, 'passage is', 'passages are')} judged; a combination needs "
            f"{MIN_PASSAGES} or more",
            "analysis-refused",
        )
    columns = [samples.oriented_scores(run)[positions] for run in runs]
    usable = [np.isfinite(column).all() and np.ptp(column) > 0 for column in columns]
    used = [run for run, is_usable in zip(runs, usable, strict=True) if is_usable]
    if len(used) < 2:
        raise RefusedError(
            "fewer than two metrics have a score of every candidate", "analysis-refused"
        )
    scores = np.column_stack([c for c, is_usable in zip(columns, usable, strict=True) if is_usable])
    combined = combine_out_of_fold(scores, gold, clusters)
    bootstrap, figures = yield from samples.bootstrap_of_scores(
        judgment_set,
        positions,
        {"combination": combined.predictions, "single": combined.single},
        gold,
        parameters.coefficient,
        seed=parameters.seed,
        draws=parameters.draws,
    )
    weights = combined.weights
    return CombinationAnalysis(
        n=len(positions),
        passages=passages,
        folds=len(weights),
        combination=figures.figure(0),
        single=figures.figure(1),
        difference=bootstrap.difference(0, 1),
        metrics=[
            CombinedMetric.of(
                run,
                weight=float(weights[:, column].mean()),
                weight_range=[float(weights[:, column].min()), float(weights[:, column].max())],
                chosen=int(np.count_nonzero(combined.chosen == column)),
            )
            for column, run in enumerate(used)
        ],
        left_out=[
            RunName.of(run) for run, is_usable in zip(runs, usable, strict=True) if not is_usable
        ],
    )


def cost(judgment_set: JudgmentSet, metrics: int, parameters: CoefficientParameters) -> float:
    """Estimated seconds on one core: the import of the regression, its folds, the bootstrap."""
    n, draws = float(judgment_set.n_candidates), float(parameters.draws)
    return 2 + 1e-7 * n * metrics**2 * 10 + 2e-8 * n * draws


def arrange(opened: Opened, result: CombinationAnalysis) -> Context:
    """The metrics by weight, and whether the combination is better than the best metric."""
    ends = result.difference.ci
    verdict = "untested"
    if ends is not None:
        verdict = "better" if ends[0] > 0 else "worse" if ends[1] < 0 else "equal"
    return {
        "coefficient_name": COEFFICIENTS[opened.query["coefficient"]],
        "metrics": sorted(result.metrics, key=lambda row: -abs(row.weight)),
        "verdict": verdict,
    }


KIND = AnalysisKind(
    name="combination",
    parameters=CoefficientParameters,
    compute=compute,
    document=CombinationAnalysis,
    cost=cost,
    min_runs=2,
    revision=3,
    page=AnalysisPage(
        name="combination",
        section_of="comparison",
        form=(COEFFICIENT,),
        arrange=arrange,
    ),
)
