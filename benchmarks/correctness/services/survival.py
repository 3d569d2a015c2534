"""The optimisation test of metrics (AVA 6.5, Table 9).

A reranker is fitted to each metric; the figures compare the metric's and people's values of picks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.correctness.services.options import CorrectnessOptions
from benchmarks.correctness.services.results import (
    BestSystem,
    CorrectnessResult,
    OptimisedPicksOfSet,
    prepare,
)
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.inference import Estimate
from concord.meta import correctness
from concord.meta.correctness import Picks, Survival
from concord.meta.correctness.optimisation import FEATURES


def add(
    found: CorrectnessResult,
    judgment_set: JudgmentSet,
    runs: Sequence[MetricRun],
    resolved: CorrectnessOptions,
) -> CorrectnessResult:
    """The result of `runs` with `optimised`, in it and in each of its metrics.

    It reads the candidates' texts. Raises CorrectnessRefusedError.
    """
    prepared = prepare(judgment_set, runs, resolved)
    sample, parts = prepared.sample, prepared.parts
    positions = np.flatnonzero(frames.frame(judgment_set).judged)
    items = frames.items(judgment_set, positions.tolist())
    usable = [m for m in range(len(runs)) if not sample.undefined_reason(m)]
    thresholds = correctness.tune_thresholds(sample, prepared.verdicts, parts.tuning, resolved.rule)
    result = correctness.optimisation_test(
        sample.select_metrics(usable),
        prepared.verdicts,
        correctness.candidate_features(
            [item.question for item in items], [item.candidate for item in items]
        ),
        parts,
        [thresholds[m] for m in usable],
        rng=np.random.default_rng(resolved.seed),
        draws=prepared.draws,
    )
    by_metric = dict(zip(usable, result.metrics, strict=True))
    reported = sample.select_candidates(parts.reported)
    best = correctness.best_system(
        prepared.verdicts[parts.reported].astype(np.float64), reported.items, reported.systems
    )
    system = None if best is None else BestSystem(sample.system_names[best[0]], best[1])
    survivals = [
        by_metric.get(m) or _undefined(sample.undefined_reason(m)) for m in range(len(runs))
    ]
    metrics = [
        replace(row, optimised=survival)
        for row, survival in zip(found.metrics, survivals, strict=True)
    ]
    of_set = OptimisedPicksOfSet(
        system=system,
        instances=result.instances,
        chance=result.chance,
        best=result.best,
        tuned=result.tuned,
        features=list(FEATURES),
        labels=result.labels,
    )
    return replace(found, metrics=metrics, optimised=of_set)


def _undefined(reason: str) -> Survival:
    figure = Estimate(None, reason=reason)
    picks = Picks(figure, figure, figure)
    return Survival(picks, picks, picks, figure, figure, figure)
