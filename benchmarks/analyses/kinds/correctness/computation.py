"""Figures of metrics as judges of correctness (AVA 6.2, 6.5)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.kinds.correctness.parameters import (
    PASSAGES,
    SEED,
    CorrectnessParameters,
    UsedParameters,
    divide,
)
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.inference import Estimate
from concord.meta import correctness
from concord.meta.correctness import (
    Confusion,
    Division,
    Measure,
    Picks,
    PointWise,
    Reranking,
    Survival,
    SystemErrors,
    SystemWise,
)
from concord.meta.correctness.optimisation import FEATURES
from concord.meta.inference import Progress, ScoredSample
from concord.meta.json_values import number_or_none

# Maximum of passages times draws; more would take too long for a page.
MAX_RESAMPLED = 4_000_000
MIN_DRAWS, MAX_DRAWS = 200, 1000
# Measured: 30 metrics on 40,000 candidates take about 5 s.
SECONDS_PER_SCORE = 4e-6


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
    optimised: Survival


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

    parameters: UsedParameters
    n: Counts
    always: MetricVerdicts
    metrics: list[MetricCorrectness]
    measures: list[Measure]
    systems: list[SystemValues]
    reranking: PicksOfSet
    optimised: OptimisedPicksOfSet


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


def affordable_draws(clusters: int) -> int:
    """Number of draws for a page: MAX_DRAWS; fewer for many passages, but at least MIN_DRAWS, with
    which the Monte Carlo error of an interval's ends is about a tenth of its width."""
    return max(MIN_DRAWS, min(MAX_DRAWS, MAX_RESAMPLED // max(1, clusters)))


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: CorrectnessParameters
) -> Generator[Progress, None, CorrectnessResult]:
    """Figures of all runs, for resolved parameters. Raises RefusedError where they cannot
    be computed."""
    yield Progress(0, 2)
    assert parameters.gold is not None
    sample = make_sample(judgment_set, runs)
    verdicts = correctness.gold_verdicts(sample.gold, parameters.gold)
    parts = divide(judgment_set, sample, parameters)
    if parameters.mixed:
        parts = parts.tuned_on_mixed(sample.items, verdicts)
    draws = affordable_draws(int(sample.clusters.max()) + 1)

    def rng() -> np.random.Generator:
        # Every metric has the same draws, so that equal verdicts have equal intervals.
        return np.random.default_rng(SEED)

    thresholds = correctness.tune_thresholds(sample, verdicts, parts.tuning, parameters.rule)
    points = correctness.point_wise(sample, verdicts, parts, thresholds, rng=rng(), draws=draws)
    always = correctness.always_correct_baseline(sample, verdicts, parts, rng=rng(), draws=draws)
    reported = sample.select_candidates(parts.reported)
    systems = correctness.system_wise(
        reported,
        verdicts[parts.reported],
        thresholds,
        parameters.estimate,
        mixed=parameters.mixed,
    )
    reasons = [sample.undefined_reason(m) for m in range(len(runs))]
    usable = [m for m, reason in enumerate(reasons) if not reason]
    # Reranking is of all judged candidates, since it needs no tuning.
    reranked = correctness.rerank(
        sample.scores[usable], sample.gold, sample.items, sample.clusters, rng=rng(), draws=draws
    )
    yield Progress(1, 2)
    optimised = correctness.optimisation_test(
        sample.select_metrics(usable),
        verdicts,
        _features(judgment_set),
        parts,
        [thresholds[m] for m in usable],
        rng=rng(),
        draws=draws,
    )
    rerankings = dict(zip(usable, reranked.metrics, strict=True))
    survivals = dict(zip(usable, optimised.metrics, strict=True))
    share = correctness.TUNING_SHARE if parameters.tune == PASSAGES else None
    gold = verdicts[parts.reported].astype(np.float64)
    upwards = [metric_of(run).higher_is_better for run in runs]
    return CorrectnessResult(
        parameters=UsedParameters(**asdict(parameters), draws=draws, share=share),
        n=_counts(sample, verdicts, parts),
        always=MetricVerdicts(**_verdicts(always)),
        metrics=[
            MetricCorrectness.of(
                run,
                higher_is_better=upwards[m],
                **_verdicts(points[m], negated=not upwards[m]),
                systems=systems.metrics[m].errors,
                reranked=rerankings.get(m) or Reranking(*[Estimate(None, reason=reasons[m])] * 3),
                optimised=survivals.get(m) or _undefined_survival(reasons[m]),
            )
            for m, run in enumerate(runs)
        ],
        measures=list(systems.measures),
        systems=_by_system(systems, runs),
        reranking=PicksOfSet(
            _best_system(sample, sample.gold), reranked.instances, reranked.chance, reranked.best
        ),
        optimised=OptimisedPicksOfSet(
            _best_system(reported, gold),
            optimised.instances,
            optimised.chance,
            optimised.best,
            tuned=optimised.tuned,
            features=list(FEATURES),
            labels=optimised.labels,
        ),
    )


def _features(judgment_set: JudgmentSet) -> NDArray[np.float64]:
    """What a reranker reads of the texts of the judged candidates."""
    judged = np.flatnonzero(frames.frame(judgment_set).judged)
    items = frames.items(judgment_set, judged.tolist())
    return correctness.candidate_features(
        [item.question for item in items], [item.candidate for item in items]
    )


def _undefined_survival(reason: str) -> Survival:
    figure = Estimate(None, reason=reason)
    picks = Picks(figure, figure, figure)
    return Survival(picks, picks, picks, figure, figure, figure)


def _best_system(sample: ScoredSample, gold: NDArray[np.float64]) -> BestSystem | None:
    """The best system that answers every question, with its value; None if there is none."""
    best = correctness.best_system(gold, sample.items, sample.systems)
    return None if best is None else BestSystem(sample.system_names[best[0]], best[1])


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


def cost(judgment_set: JudgmentSet, metrics: int, parameters: CorrectnessParameters) -> float:
    """Estimated seconds on one core."""
    del parameters
    return SECONDS_PER_SCORE * judgment_set.n_candidates * metrics
