"""The analysis "replay": how few ratings, with a metric, would have been enough?"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, cast

import numpy as np
from django.http import Http404
from django.http.response import HttpResponseBase

from benchmarks.analyses.estimation_samples import (
    choose_run,
    estimation_sample,
    judged_population,
    outcome_scale,
)
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.page import (
    AnalysisPage,
    Context,
    FormField,
    Opened,
    PageTab,
    check_run,
    run_choices,
)
from benchmarks.analyses.parameters import RunParameters, draws_field, seed_field
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.pictures import picture, points_file
from concord.documents.conversion import ABSENT, to_json
from concord.estimation import (
    EstimationSample,
    ReplayRow,
    SampleReplay,
    default_sizes,
    replay_steps,
)
from concord.meta.inference import Progress
from concord.plots.lines import LinePlot, line_plot
from concord.sampling import (
    DesignReplay,
    RuleName,
    RuleReplay,
    SamplingRule,
    StoppingRule,
    default_wave_size,
    replay_design_steps,
)
from concord.sentences import counted
from core.refusals import RefusedError

MIN_PASSAGES = 30


# What a collection stops at: a ranking, or the width of intervals as a percentage of the scale.
Goal = Literal["ranking", "5", "10", "20"]
LEVEL = 0.05
RULE_NAMES = {
    "samples": "samples of fixed sizes",
    "uniform": "uniformly until the target",
    "stratified": "by strata until the target",
}
GOALS: dict[Goal, str] = {
    "ranking": "all pairs of systems differ",
    "5": "intervals of 5% of the scale",
    "10": "intervals of 10% of the scale",
    "20": "intervals of 20% of the scale",
}


@dataclass(frozen=True, kw_only=True)
class ReplayParameters(RunParameters):
    """rule: "samples" of fixed sizes, or the sampling rule of a collection that stops at the
    target: a ranking, or the width of intervals as a percentage of the scale."""

    rule: Literal["samples", "uniform", "stratified"] = "samples"
    target: Goal = "ranking"
    draws: int = draws_field(200)
    seed: int = seed_field()


@dataclass(frozen=True)
class CollectionReplay:
    """Collections by a sampling rule until a target. units: those of the set. wave: expected units
    of a wave."""

    units: int
    wave: int
    target: StoppingRule
    rows: list[DesignReplay]


@dataclass(frozen=True)
class ReplayAnalysis:
    """rows: empty with a `collection`."""

    metric: RunName
    n: int
    passages: int
    systems: list[str]
    rows: list[ReplayRow]
    collection: Annotated[CollectionReplay | None, ABSENT] = None


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: ReplayParameters
) -> Generator[Progress, None, ReplayAnalysis]:
    """Sample the set's passages again and again, and estimate each system's mean with a metric."""
    run = choose_run(judgment_set, runs, parameters.run)
    sample = estimation_sample(judgment_set, run, only_judged=True)
    passages = len(np.unique(sample.passages))
    if passages < MIN_PASSAGES:
        raise RefusedError(
            f"{counted(passages, 'passage is', 'passages are')} rated; a replay needs "
            f"{MIN_PASSAGES} or more",
            "analysis-refused",
        )
    result = ReplayAnalysis(
        metric=RunName.of(run),
        n=len(sample.outcomes),
        passages=passages,
        systems=list(sample.names),
        rows=[],
    )
    if parameters.rule == "samples":
        rows = yield from replay_steps(
            sample,
            default_sizes(passages),
            draws=parameters.draws,
            rng=np.random.default_rng(parameters.seed),
        )
        return replace(result, rows=rows)
    collection = yield from _collect(judgment_set, sample, parameters)
    return replace(result, collection=collection)


def _collect(
    judgment_set: JudgmentSet, sample: EstimationSample, parameters: ReplayParameters
) -> Generator[Progress, None, CollectionReplay]:
    """Collect the set by the rule until the target, and by the plain mean."""
    population = judged_population(judgment_set, sample)
    target = parameters.target
    if target == "ranking":
        stopping = StoppingRule("ranking", LEVEL, population.size)
    else:
        low, high = outcome_scale(judgment_set, sample)
        stopping = StoppingRule("width", int(target) / 100 * (high - low), population.size)
    name = cast(RuleName, parameters.rule)
    rule = SamplingRule(name, "ranking" if target == "ranking" else "mean")
    wave = default_wave_size(population.size)
    rows = yield from replay_design_steps(
        population,
        sample.outcomes,
        rule,
        stopping,
        wave_size=wave,
        draws=parameters.draws,
        seed=parameters.seed,
    )
    return CollectionReplay(population.size, wave, stopping, rows)


def cost(judgment_set: JudgmentSet, metrics: int, parameters: ReplayParameters) -> float:
    """Estimated seconds on one core."""
    del metrics
    if parameters.rule == "samples":
        return 4 * float(parameters.draws) * (1.5e-3 + 1.2e-6 * judgment_set.n_candidates)
    return 45 * float(parameters.draws) * (6e-3 + 3e-6 * judgment_set.n_candidates)


def arrange(opened: Opened, result: ReplayAnalysis) -> Context:
    """The width of the intervals: the line with the metric, the band up to the plain mean's.

    The axis ends at the width of the scale: a wider interval says nothing.
    """
    rows = [
        (row.passages, row.width, row.plain_width)
        for row in result.rows
        if row.width is not None and row.plain_width is not None
    ]
    scale = opened.judgment_set.scale
    limit = scale[1] - scale[0] if scale else math.inf
    return {
        "replay": _replay(opened, result),
        "plot": _plot(rows, limit) if rows else None,
        "is_cut": any(plain > limit for _, _, plain in rows),
    }


def _replay(opened: Opened, result: ReplayAnalysis) -> SampleReplay | RuleReplay:
    """The result of the library's function, as the command shows it."""
    parameters = ReplayParameters(rule=opened.query["rule"])
    metrics, collection = [result.metric.metric], result.collection
    if collection is None:
        return SampleReplay(
            metrics=metrics,
            method="auto",
            draws=parameters.draws,
            seed=parameters.seed,
            passages=result.passages,
            systems=result.systems,
            rows=result.rows,
        )
    return RuleReplay(
        metrics=metrics,
        rule=SamplingRule(cast(RuleName, parameters.rule)),
        target=collection.target,
        unit="instance",
        units=collection.units,
        wave=collection.wave,
        draws=parameters.draws,
        seed=parameters.seed,
        systems=result.systems,
        rows=collection.rows,
    )


def _plot(rows: Sequence[tuple[int, float, float]], limit: float) -> LinePlot:
    passages = [row[0] for row in rows]
    widths, plain = ([min(row[at], limit) for row in rows] for at in (1, 2))
    return line_plot(
        passages,
        widths,
        (widths, plain),
        [f"{counted(n, 'passage')}: {a:.2f}, plain mean {b:.2f}" for n, a, b in rows],
        x_name="rated passages",
        y_name="width of the 95% interval",
        ends=(0.0, max(plain)),
    )


def plot_file(opened: Opened, context: Context, name: str, extension: str) -> HttpResponseBase:
    """The plot of the widths as svg or png, or its points as csv."""
    del name
    if context.get("plot") is None:
        raise Http404("There is no plot for this query.")
    judgment_set = opened.judgment_set
    if extension == "csv":
        return points_file(judgment_set, to_json(context["result"].rows), "widths")
    context |= {"judgment_set": judgment_set}
    template = "benchmarks/plots/widths.svg"
    return picture(opened.request, judgment_set, template, context, "widths", extension)


KIND = AnalysisKind(
    name="replay",
    parameters=ReplayParameters,
    compute=compute,
    document=ReplayAnalysis,
    cost=cost,
    page=AnalysisPage(
        name="fewer-ratings",
        tab=PageTab("Judges", "Fewer ratings", before="model-judges"),
        form=(
            FormField("run", "Metric", run_choices),
            FormField("rule", "Collect", RULE_NAMES.items()),
            FormField("target", "Target", GOALS.items()),
        ),
        complete=check_run,
        arrange=arrange,
        file_path="widths.<slug:extension>",
        file=plot_file,
    ),
)
