"""The analysis "systems": how far metrics rank systems as people do."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from benchmarks.analyses import samples
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.parameters import PartParameters, draws_field, seed_field
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.inference import Estimate
from concord.meta import inference as meta
from concord.meta.inference import Progress
from concord.meta.inference.draws import run_in_turn
from concord.meta.inference.system_level import SystemFigure
from concord.meta.json_values import number_or_none
from core.refusals import RefusedError

FIGURES: tuple[SystemFigure, ...] = get_args(SystemFigure)


@dataclass(frozen=True, kw_only=True)
class SystemsParameters(PartParameters):
    """How systems are compared; `soft_draws`: the draws of soft pairwise accuracy."""

    resample: meta.Resample = "instances"
    draws: int = draws_field(1000)
    soft_draws: int = draws_field(10_000)
    seed: int = seed_field()


@dataclass(frozen=True)
class SystemGold:
    """A system with its `n` judged candidates and their mean gold score; None where withheld."""

    system: str
    n: int
    gold: float | None


@dataclass(frozen=True, kw_only=True)
class MetricOverSystems(RunName):
    """One metric run over systems. tie_calibrated: accuracy among an instance's candidates, with
    distances up to `epsilon` as ties. means: by system."""

    pearson: Estimate
    spearman: Estimate
    kendall_b: Estimate
    r_squared: Estimate
    pairwise_accuracy: Estimate
    soft_pairwise: Estimate
    tie_calibrated: meta.TieCalibrated
    means: list[float | None]


@dataclass(frozen=True)
class SystemsDraws:
    """Draws of the bootstrap, and of the swaps behind soft pairwise accuracy."""

    bootstrap: int
    soft: int


@dataclass(frozen=True)
class SystemsAnalysis:
    """Agreement over systems, on `n` candidates with a named system; `unnamed` have none. pairs: of
    systems; apart: pairs that people tell apart."""

    n: int
    unnamed: int
    systems: list[SystemGold]
    pairs: int
    apart: int
    draws: SystemsDraws
    metrics: list[MetricOverSystems]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: SystemsParameters
) -> Generator[Progress, None, SystemsAnalysis]:
    """System-level figures of every metric with their intervals, soft pairwise accuracy, and
    tie-calibrated accuracy among an instance's candidates."""
    part = samples.Slice(parameters.by, parameters.group)
    sample = samples.sample(judgment_set, runs, part)
    means = meta.system_means(sample)
    if len(means.systems) < 2:
        raise RefusedError("two or more systems are needed to rank systems", "analysis-refused")
    rngs = np.random.default_rng(parameters.seed).spawn(len(FIGURES) + 2)
    # Candidates without a system are in no mean.
    named = sample if (sample.systems >= 0).all() else sample.select_candidates(sample.systems >= 0)
    resample, draws = parameters.resample, parameters.draws
    # The results of the figures, then that of soft pairs: of two types.
    jobs: list[tuple[int, Generator[Progress, None, Any]]] = [
        (10, meta.system_bootstrap_steps(named, name, resample, rng=rng, draws=draws))
        for name, rng in zip(FIGURES, rngs, strict=False)
    ]
    soft_draws = parameters.soft_draws
    jobs.append((50, meta.soft_pairwise_steps(named, rng=rngs[-2], draws=soft_draws)))
    *bootstraps, soft = yield from run_in_turn(jobs, 10 * len(FIGURES) + 50)
    calibrated = meta.tie_calibrated_accuracy(sample, "item", rng=rngs[-1])
    figures = dict(zip(FIGURES, bootstraps, strict=True))
    return SystemsAnalysis(
        n=named.n,
        unnamed=sample.n - named.n,
        systems=[
            SystemGold(name, int(size), float(gold))
            for name, size, gold in zip(means.systems, means.sizes, means.gold, strict=True)
        ],
        pairs=soft.pairs,
        apart=soft.apart,
        draws=SystemsDraws(draws, soft.draws),
        metrics=[
            MetricOverSystems.of(
                run,
                **{name: one.figure(m) for name, one in figures.items()},
                soft_pairwise=soft.figures[m],
                tie_calibrated=calibrated[m],
                means=[number_or_none(value) for value in means.scores[m]],
            )
            for m, run in enumerate(runs)
        ],
    )


def cost(judgment_set: JudgmentSet, metrics: int, parameters: SystemsParameters) -> float:
    """Estimated seconds on one core, fitted to sets of 1,000 to 10,000 candidates with 3 to
    30 metrics (0.2 s to 4.0 s measured, within two fifths)."""
    n = float(judgment_set.n_candidates)
    draws, soft_draws = float(parameters.draws), float(parameters.soft_draws)
    return 7e-8 * n * draws + 1.2e-9 * n * metrics * soft_draws + 0.1


KIND = AnalysisKind(
    name="systems",
    parameters=SystemsParameters,
    compute=compute,
    document=SystemsAnalysis,
    cost=cost,
    revision=2,
)
