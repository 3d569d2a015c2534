"""Every complete run of a set as a judge of correctness, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.analyses import samples
from benchmarks.analyses.services.values import about
from benchmarks.correctness.documents import (
    ConfusionRow,
    CorrectnessResult,
    Counts,
    MetricRow,
    PartCounts,
    PointRow,
    RerankingRow,
    SystemErrorsRow,
    SystemRow,
    SystemValue,
)
from benchmarks.correctness.services.options import Options, division
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.meta import correctness
from concord.meta.correctness import (
    Confusion,
    Division,
    Measure,
    PointWise,
    Reranking,
    Rerankings,
    SystemErrors,
    SystemWise,
)
from concord.meta.figures import Figure
from concord.meta.inference import Sample
from concord.meta.json_values import number_or_none


def sample_of(judgment_set: JudgmentSet, runs: Sequence[MetricRun]) -> Sample:
    """The judged candidates with the scores of complete runs, turned; an infinite score counts as
    missing, so that one metric does not keep the others from the page."""
    frame = frames.frame(judgment_set)
    scores = {}
    for run in runs:
        values = samples.turned(run)[: frame.n_candidates]
        scores[str(run.pk)] = np.where(np.isfinite(values), values, np.nan)
    return Sample.from_scores(
        scores,
        frame.gold,
        items=samples.instances(judgment_set),
        systems=frame.labels["system"],
        clusters=frame.clusters,
    )


@dataclass(frozen=True)
class Prepared:
    """What every figure starts from: people's verdicts `right`, (n,), the two parts, the draws."""

    sample: Sample
    right: np.ndarray[Any, Any]
    parts: Division
    draws: int


def prepare(judgment_set: JudgmentSet, runs: Sequence[MetricRun], settled: Options) -> Prepared:
    """The judged candidates with scores, verdicts and parts. Raises CorrectnessRefusedError."""
    sample = sample_of(judgment_set, runs)
    assert settled.gold is not None
    right = correctness.gold_verdicts(sample.gold, settled.gold)
    parts = division(judgment_set, sample, settled)
    if settled.mixed:
        parts = parts.tuned_on_mixed(sample.items, right)
    return Prepared(
        sample, right, parts, correctness.affordable_draws(int(sample.clusters.max()) + 1)
    )


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], settled: Options
) -> CorrectnessResult:
    """Figures of all runs, and what they rest on. Raises CorrectnessRefusedError."""
    ready = prepare(judgment_set, runs, settled)
    sample, right, parts, draws = ready.sample, ready.right, ready.parts, ready.draws

    def rng() -> np.random.Generator:
        # The same draws for all, so that equal verdicts have equal intervals.
        return np.random.default_rng(settled.seed)

    thresholds = correctness.tune_thresholds(sample, right, parts.tuning, settled.rule)
    points = correctness.point_wise(sample, right, parts, thresholds, rng=rng(), draws=draws)
    always = correctness.always_correct_baseline(sample, right, parts, rng=rng(), draws=draws)
    reported, verdicts = sample.select_candidates(parts.reported), right[parts.reported]
    systems = correctness.system_wise(
        reported, verdicts, thresholds, settled.estimate, mixed=settled.mixed
    )
    reranked = _reranked(sample, rng(), draws)
    return {
        "parameters": {**settled.to_json(), "draws": draws},
        "n": _counts(sample, right, parts),
        "always": _point(always),
        "metrics": [
            _metric(run, points[m], systems.metrics[m].errors, reranked.metrics[m])
            for m, run in enumerate(runs)
        ],
        "measures": list(systems.measures),
        "systems": _by_system(systems, runs),
        "reranking": {
            "instances": reranked.instances,
            "chance": reranked.chance.to_json(),
            "best": reranked.best.to_json(),
            "system": _best_system(sample),
        },
    }


def _reranked(sample: Sample, rng: np.random.Generator, draws: int) -> Rerankings:
    """Of all judged candidates, since nothing is tuned; flawed metrics say why they have none."""
    sound = [m for m in range(len(sample.metrics)) if not sample.undefined_reason(m)]
    found = correctness.rerank(
        sample.scores[sound], sample.gold, sample.items, sample.clusters, rng=rng, draws=draws
    )
    known = dict(zip(sound, found.metrics, strict=True))
    flaws = [Figure.undefined(sample.undefined_reason(m)) for m in range(len(sample.metrics))]
    every = [known.get(m) or Reranking(flaw, flaw, flaw) for m, flaw in enumerate(flaws)]
    return Rerankings(found.instances, found.chance, found.best, every)


def _best_system(sample: Sample) -> SystemValue | None:
    """What always taking one system's answer has, where one answers every question."""
    found = correctness.best_system(sample.gold, sample.items, sample.systems)
    if found is None:
        return None
    return {"system": sample.system_names[found[0]], "value": found[1]}


def _counts(sample: Sample, right: np.ndarray[Any, Any], parts: Division) -> Counts:
    def of(part: np.ndarray[Any, Any]) -> PartCounts:
        return {
            "answers": int(np.count_nonzero(part)),
            "passages": len(np.unique(sample.clusters[part])),
            "correct": int(np.count_nonzero(right[part])),
        }

    return {
        "judged": sample.n,
        "unjudged": sample.unjudged,
        "left_out": parts.left_out,
        "one_sided": parts.one_sided,
        "tuning": of(parts.tuning),
        "reported": of(parts.reported),
    }


def _metric(
    run: MetricRun, point: PointWise, errors: dict[Measure, SystemErrors], reranking: Reranking
) -> MetricRow:
    higher_is_better = metric_of(run).higher_is_better
    return {
        **about(run),
        "higher_is_better": higher_is_better,
        # mypy fears that a point's row might already hold an `optimised` of another type
        **_point(point, turned=not higher_is_better),  # type: ignore[typeddict-item]
        "systems": {name: _errors(one) for name, one in errors.items()},
        "reranked": _pick(reranking),
    }


def _point(point: PointWise, *, turned: bool = False) -> PointRow:
    threshold, calls = None, None
    if point.threshold is not None:
        calls = "some"
        if np.isinf(point.threshold):
            calls = "none" if point.threshold > 0 else "all"
        else:
            threshold = -point.threshold if turned else point.threshold
    return {
        "threshold": threshold,
        "calls": calls,
        "reason": point.reason,
        "counts": _confusion(point.confusion) if point.confusion else None,
        "f1": point.figures["f1"].to_json(),
        "precision": point.figures["precision"].to_json(),
        "recall": point.figures["recall"].to_json(),
        "accuracy": point.figures["accuracy"].to_json(),
        "balanced_accuracy": point.figures["balanced_accuracy"].to_json(),
        "auc": point.auc.to_json(),
    }


def _confusion(found: Confusion) -> ConfusionRow:
    return {
        "true_positive": found.true_positive,
        "false_positive": found.false_positive,
        "false_negative": found.false_negative,
        "true_negative": found.true_negative,
    }


def _errors(found: SystemErrors) -> SystemErrorsRow:
    return {
        "rmse": found.rmse.to_json(),
        "sigma": found.sigma,
        "kendall": found.kendall.to_json(),
    }


def _pick(found: Reranking) -> RerankingRow:
    return {
        "picked": found.picked.to_json(),
        "gain": found.gain.to_json(),
        "share": found.share.to_json(),
    }


def _by_system(systems: SystemWise, runs: Sequence[MetricRun]) -> list[SystemRow]:
    """A row a system that answered a reported question: people's values and each run's."""
    rows: list[SystemRow] = []
    for at, name in enumerate(systems.systems):
        if not systems.lists[at]:
            continue
        rows.append(
            {
                "system": name,
                "n": int(systems.lists[at]),
                "people": {
                    one: number_or_none(systems.people[one][at]) for one in systems.measures
                },
                "metrics": {
                    str(run.pk): {
                        one: number_or_none(values[at]) for one, values in found.values.items()
                    }
                    for run, found in zip(runs, systems.metrics, strict=True)
                },
            }
        )
    return rows
