"""Figures of metrics as judges of correctness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.run_names import RunName
from benchmarks.correctness.services.options import CorrectnessOptions, UsedOptions, divide
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.documents.conversion import ABSENT
from concord.inference import Estimate
from concord.meta import correctness
from concord.meta.correctness import (
    Confusion,
    Division,
    Measure,
    PointWise,
    Reranking,
    Rerankings,
    Survival,
    SystemErrors,
    SystemWise,
)
from concord.meta.inference import ScoredSample
from concord.meta.json_values import number_or_none

# Maximum of passages times draws; more would take too long for a page.
MAX_RESAMPLED = 4_000_000
MIN_DRAWS, MAX_DRAWS = 200, 1000


@dataclass(frozen=True)
class PartCounts:
    """The answers of a part of the set."""

    answers: int
    passages: int
    correct: int | None


@dataclass(frozen=True)
class Counts:
    """How many answers were used, and why others were not."""

    judged: int
    unjudged: int
    left_out: int
    one_sided: int
    tuning: PartCounts
    reported: PartCounts


@dataclass(frozen=True, kw_only=True)
class MetricVerdicts:
    """A metric's verdicts. threshold: of the metric's own scores. calls: whether it calls "some",
    "all" or "none" of the reported answers correct."""

    threshold: float | None
    calls: str | None
    reason: str
    counts: Confusion | None
    f1: Estimate
    precision: Estimate
    recall: Estimate
    accuracy: Estimate
    balanced_accuracy: Estimate
    auc: Estimate


@dataclass(frozen=True, kw_only=True)
class MetricCorrectness(RunName, MetricVerdicts):
    """A metric as a judge of correctness. reranked: where it picks one answer to each question.
    optimised: where a reranker is fitted to it."""

    higher_is_better: bool
    systems: dict[Measure, SystemErrors]
    reranked: Reranking
    optimised: Annotated[Survival | None, ABSENT] = None


@dataclass(frozen=True, kw_only=True)
class SystemValues:
    """A system's values by measure: people's values, and each run's estimates by its key."""

    system: str
    n: int
    people: dict[Measure, float | None]
    metrics: dict[str, dict[Measure, float | None]]


@dataclass(frozen=True)
class BestSystem:
    """The best system that answers every question, and its value."""

    system: str
    value: float


@dataclass(frozen=True)
class PicksOfSet:
    """What picks are compared with. system: None if no system answers every question."""

    system: BestSystem | None
    instances: int
    chance: Estimate
    best: Estimate


@dataclass(frozen=True)
class OptimisedPicksOfSet(PicksOfSet):
    """What the metrics' picks are compared with; `labels`: a reranker that is fitted to people."""

    tuned: int
    features: list[str]
    labels: Estimate


@dataclass(frozen=True)
class CorrectnessResult:
    """Every metric as a judge of correctness, in the order of the runs. systems: those that
    answered a reported question."""

    parameters: UsedOptions
    n: Counts
    always: MetricVerdicts
    metrics: list[MetricCorrectness]
    measures: list[Measure]
    systems: list[SystemValues]
    reranking: PicksOfSet
    optimised: Annotated[OptimisedPicksOfSet | None, ABSENT] = None


def make_sample(judgment_set: JudgmentSet, runs: Sequence[MetricRun]) -> ScoredSample:
    """The judged candidates with the scores of complete runs, where higher is better.

    Infinite scores count as missing, so that they do not make the whole page undefined.
    """
    frame = frames.frame(judgment_set)
    scores = {}
    for run in runs:
        values = samples.oriented_scores(run)[: frame.n_candidates]
        scores[str(run.pk)] = np.where(np.isfinite(values), values, np.nan)
    return ScoredSample.from_scores(
        scores,
        frame.gold,
        items=samples.instances(judgment_set),
        systems=frame.labels["system"],
        clusters=frame.clusters,
    )


@dataclass(frozen=True)
class Prepared:
    """What all figures are computed from; `verdicts` are people's, bool (n,)."""

    sample: ScoredSample
    verdicts: NDArray[np.bool_]
    parts: Division
    draws: int


def prepare(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], resolved: CorrectnessOptions
) -> Prepared:
    """The sample, people's verdicts and the two parts. Raises CorrectnessRefusedError."""
    sample = make_sample(judgment_set, runs)
    assert resolved.gold is not None
    verdicts = correctness.gold_verdicts(sample.gold, resolved.gold)
    parts = divide(judgment_set, sample, resolved)
    if resolved.mixed:
        parts = parts.tuned_on_mixed(sample.items, verdicts)
    return Prepared(sample, verdicts, parts, affordable_draws(int(sample.clusters.max()) + 1))


def affordable_draws(clusters: int) -> int:
    """Number of draws for a page: MAX_DRAWS; fewer for many passages, but at least MIN_DRAWS, with
    which the Monte Carlo error of an interval's ends is about a tenth of its width."""
    return max(MIN_DRAWS, min(MAX_DRAWS, MAX_RESAMPLED // max(1, clusters)))


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], resolved: CorrectnessOptions
) -> CorrectnessResult:
    """Figures of all runs. Raises CorrectnessRefusedError where they cannot be computed."""
    prepared = prepare(judgment_set, runs, resolved)
    sample, parts, draws = prepared.sample, prepared.parts, prepared.draws
    verdicts = prepared.verdicts

    def rng() -> np.random.Generator:
        # Every metric has the same draws, so that equal verdicts have equal intervals.
        return np.random.default_rng(resolved.seed)

    thresholds = correctness.tune_thresholds(sample, verdicts, parts.tuning, resolved.rule)
    points = correctness.point_wise(sample, verdicts, parts, thresholds, rng=rng(), draws=draws)
    always = correctness.always_correct_baseline(sample, verdicts, parts, rng=rng(), draws=draws)
    systems = correctness.system_wise(
        sample.select_candidates(parts.reported),
        verdicts[parts.reported],
        thresholds,
        resolved.estimate,
        mixed=resolved.mixed,
    )
    reranked = _rerank(sample, rng(), draws)
    return CorrectnessResult(
        parameters=resolved.used(draws),
        n=_counts(sample, verdicts, parts),
        always=MetricVerdicts(**_verdicts(always)),
        metrics=[
            _metric(run, points[m], systems.metrics[m].errors, reranked.metrics[m])
            for m, run in enumerate(runs)
        ],
        measures=list(systems.measures),
        systems=_by_system(systems, runs),
        reranking=PicksOfSet(
            _best_system(sample), reranked.instances, reranked.chance, reranked.best
        ),
    )


def _rerank(sample: ScoredSample, rng: np.random.Generator, draws: int) -> Rerankings:
    """Reranking of all judged candidates, since it needs no tuning; metrics that cannot be used get
    the reason."""
    reasons = [sample.undefined_reason(m) for m in range(len(sample.metrics))]
    usable = [m for m, reason in enumerate(reasons) if not reason]
    result = correctness.rerank(
        sample.scores[usable], sample.gold, sample.items, sample.clusters, rng=rng, draws=draws
    )
    by_metric = dict(zip(usable, result.metrics, strict=True))
    undefined = [Estimate(None, reason=reason) for reason in reasons]
    metrics = [by_metric.get(m) or Reranking(one, one, one) for m, one in enumerate(undefined)]
    return Rerankings(result.instances, result.chance, result.best, metrics)


def _best_system(sample: ScoredSample) -> BestSystem | None:
    """The best system that answers every question, with its value; None if there is none."""
    best = correctness.best_system(sample.gold, sample.items, sample.systems)
    if best is None:
        return None
    return BestSystem(sample.system_names[best[0]], best[1])


def _counts(sample: ScoredSample, verdicts: NDArray[np.bool_], parts: Division) -> Counts:
    def of(part: NDArray[np.bool_]) -> PartCounts:
        return PartCounts(
            answers=int(np.count_nonzero(part)),
            passages=len(np.unique(sample.clusters[part])),
            correct=int(np.count_nonzero(verdicts[part])),
        )

    return Counts(
        judged=sample.n,
        unjudged=sample.unjudged,
        left_out=parts.left_out,
        one_sided=parts.one_sided,
        tuning=of(parts.tuning),
        reported=of(parts.reported),
    )


def _metric(
    run: MetricRun, point: PointWise, errors: dict[Measure, SystemErrors], reranking: Reranking
) -> MetricCorrectness:
    higher_is_better = metric_of(run).higher_is_better
    return MetricCorrectness.of(
        run,
        higher_is_better=higher_is_better,
        **_verdicts(point, negated=not higher_is_better),
        systems=errors,
        reranked=reranking,
    )


def _verdicts(point: PointWise, *, negated: bool = False) -> dict[str, Any]:
    """The fields of `MetricVerdicts`."""
    threshold, calls = None, None
    if point.threshold is not None:
        calls = "some"
        if np.isinf(point.threshold):
            calls = "none" if point.threshold > 0 else "all"
        else:
            threshold = -point.threshold if negated else point.threshold
    return {
        "threshold": threshold, "calls": calls, "reason": point.reason,
        "counts": point.confusion, "auc": point.auc, **point.figures,
    }  # fmt: skip


def _by_system(systems: SystemWise, runs: Sequence[MetricRun]) -> list[SystemValues]:
    """People's and each run's values of every system that answered a reported question."""
    rows = []
    for i, name in enumerate(systems.systems):
        if not systems.lists[i]:
            continue
        rows.append(
            SystemValues(
                system=name,
                n=int(systems.lists[i]),
                people={one: number_or_none(systems.people[one][i]) for one in systems.measures},
                metrics={
                    str(run.pk): {
                        one: number_or_none(values[i]) for one, values in metric.values.items()
                    }
                    for run, metric in zip(runs, systems.metrics, strict=True)
                },
            )
        )
    return rows
