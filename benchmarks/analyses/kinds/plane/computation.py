"""The analysis "plane": the grid of AEv's metrics and the region that is predicted for a set."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses.kinds.systems import SystemGold
from benchmarks.analyses.parameters import draws_field, seed_field
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import scoring
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.bounds import choice
from concord.documents.conversion import ABSENT
from concord.meta.inference import Progress
from concord.meta.json_values import number_or_none
from core.refusals import RefusedError
from scorers import Item
from scorers.aev.counts import item_counts
from scorers.aev.family import Formula
from scorers.aev.preparation import TextPreparation
from scorers.plane.flooding import Flooding, flood
from scorers.plane.grid import Grid, Level, Uncertainty, bootstrap_grid, compute_grid
from scorers.plane.position import (
    APPLICATIONS,
    GUIDELINES,
    Position,
    PositionSuggestion,
    SetTextSizes,
    look_up_position,
    suggest_application,
    suggest_guideline,
)
from scorers.plane.statistics import PlaneError, PlaneSample

STEPS = 5
# Rows of alpha, columns of n.
Cells = list[list[float | None]]


@dataclass(frozen=True)
class BestCell:
    """The best member; `place` is its row and column, `share` its share of the draws."""

    alpha: float
    n: int
    place: tuple[int, int]
    metric: str
    r_squared: float
    ci: tuple[float, float] | None
    share: float


@dataclass(frozen=True)
class PredictedRegion:
    """Where the plane predicts the best cell; alpha and n are [lowest, highest]; places: the lowest
    and highest row, and column."""

    precision: float
    faithfulness: float
    alpha: tuple[float, float]
    n: tuple[int, int]
    places: tuple[int, int, int, int]
    holds_best: bool
    share: float


@dataclass(frozen=True)
class SuggestedPlace:
    """The position that the texts and the criterion of a set suggest."""

    guideline: PositionSuggestion
    application: PositionSuggestion


@dataclass(frozen=True)
class FloodedAnswers:
    """The answers that were made longer, of so many good ones, and their systems."""

    answers: int
    good: int
    systems: list[str]


@dataclass(frozen=True)
class PlaneAnalysis:
    """The grid of AEv's members, correlations over systems, and where the set lies on the plane by
    its texts and criterion. flooded: where answers were made longer."""

    n: int
    unjudged: int
    nameless: int
    systems: list[SystemGold]
    r: Cells
    low: Cells
    high: Cells
    best_share: Cells
    indistinct: list[list[bool]]
    without_best: float
    draws: int
    passages: int
    best: BestCell | None
    reason: str
    sizes: SetTextSizes
    criterion: str
    suggested: SuggestedPlace
    predicted: PredictedRegion | None
    flooded: Annotated[FloodedAnswers | None, ABSENT] = None


@dataclass(frozen=True, kw_only=True)
class PlaneParameters:
    """How the grid is computed, and the set's position ("": as suggested)."""

    stems: Literal["porter", "none"] = "porter"
    stops: Literal["none", "closed-class"] = "none"
    level: Level = "set"
    penalty: Literal["intended", "printed"] = "intended"
    wordiness: Literal["1", "1.5", "2", "3", "inf"] = "2"
    guideline: str = field(default="", metadata=choice(("", *GUIDELINES)))
    application: str = field(default="", metadata=choice(("", *APPLICATIONS)))
    flooded: Literal["no", "yes"] = "no"
    draws: int = draws_field(1000)
    seed: int = seed_field()


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: PlaneParameters
) -> Generator[Progress, None, PlaneAnalysis]:
    """Count the texts, compute the grid, and resample passages for its uncertainty."""
    yield Progress(1, STEPS)
    frame = frames.frame(judgment_set)
    items = frames.items(judgment_set, range(judgment_set.n_candidates))
    if not all(item.references for item in items):
        raise RefusedError(
            "The plane compares candidates with references, and instances of this set have none.",
            "analysis-refused",
        )
    rng, flooding_rng = np.random.default_rng(parameters.seed).spawn(2)
    gold: NDArray[np.float64] = frame.gold
    flooded = None
    if parameters.flooded == "yes":
        flooded = flood(
            items,
            gold,
            systems=frame.labels["system"].tolist(),
            clusters=frame.clusters.tolist(),
            flooding=_flooding(judgment_set, gold),
            rng=flooding_rng,
        )
        items, gold = flooded.items, flooded.gold
    yield Progress(2, STEPS)
    sample = _sample(judgment_set, items, gold, parameters)
    yield Progress(3, STEPS)
    penalty = parameters.penalty
    wordiness = float(parameters.wordiness)
    grid = compute_grid(sample, Formula(wordiness=wordiness, penalty=penalty), parameters.level)
    yield Progress(4, STEPS)
    uncertainty = bootstrap_grid(sample, grid, rng=rng, draws=parameters.draws)
    sizes = _sizes(sample, items)
    criterion = str(judgment_set.report.get("criterion", ""))
    suggested = SuggestedPlace(suggest_guideline(criterion), suggest_application(sizes))
    position = _position(parameters, suggested)
    return PlaneAnalysis(
        n=sample.n,
        unjudged=sample.unjudged,
        nameless=sample.without_system,
        systems=[
            SystemGold(name, int(count), float(mean))
            for name, count, mean in zip(grid.system_names, grid.candidates, grid.gold, strict=True)
        ],
        r=_table(grid.r),
        low=_table(uncertainty.low),
        high=_table(uncertainty.high),
        best_share=_table(uncertainty.best_share),
        indistinct=uncertainty.tied_with_best.tolist(),
        without_best=uncertainty.without_best,
        draws=uncertainty.draws,
        passages=uncertainty.passages,
        best=_best(grid, uncertainty),
        reason=grid.reason,
        sizes=sizes,
        criterion=criterion,
        suggested=suggested,
        predicted=None if position is None else _region(position, grid, uncertainty),
        flooded=None
        if flooded is None
        else FloodedAnswers(len(flooded.records), flooded.good, list(flooded.systems)),
    )


def cost(judgment_set: JudgmentSet, metrics: int, parameters: PlaneParameters) -> float:
    """Estimated seconds; starting the tokeniser takes most of them."""
    return 3.0 + 2e-4 * judgment_set.n_candidates


def _flooding(judgment_set: JudgmentSet, gold: NDArray[np.float64]) -> Flooding:
    """Flooding on the set's scale, or on the range of the gold scores if the set has no scale."""
    if judgment_set.scale is not None:
        return Flooding.on_scale(*judgment_set.scale)
    judged = gold[np.isfinite(gold)]
    if not len(judged):
        raise PlaneError("no candidate has a gold score")
    return Flooding.on_scale(float(judged.min()), float(judged.max()))


def _sample(
    judgment_set: JudgmentSet,
    items: list[Item],
    gold: NDArray[np.float64],
    parameters: PlaneParameters,
) -> PlaneSample:
    frame = frames.frame(judgment_set)
    preparation = TextPreparation(stems=parameters.stems, stops=parameters.stops)
    counts = item_counts(items, preparation, scoring.session())
    return PlaneSample.of(
        counts, gold, systems=frame.labels["system"].tolist(), clusters=frame.clusters
    )


def _sizes(sample: PlaneSample, items: list[Item]) -> SetTextSizes:
    passages = [len(item.passage.split()) for item in items]
    return SetTextSizes.of(
        sample,
        references=float(np.mean([len(item.references) for item in items])),
        question_share=float(np.mean([bool(item.question.strip()) for item in items])),
        source=float(np.mean(passages)) if any(passages) else None,
    )


def _position(parameters: PlaneParameters, suggested: SuggestedPlace) -> Position | None:
    """The position that the parameters name, or else the suggested one; None without either."""
    guideline = parameters.guideline or suggested.guideline.name
    application = parameters.application or suggested.application.name
    return look_up_position(guideline, application) if guideline and application else None


def _best(grid: Grid, uncertainty: Uncertainty) -> BestCell | None:
    best = grid.best
    if best is None:
        return None
    return BestCell(
        alpha=best.alpha,
        n=best.n,
        place=best.grid_index,
        metric=best.metric,
        r_squared=float(grid.r_squared[best.grid_index]),
        ci=uncertainty.interval(best),
        share=float(uncertainty.best_share[best.grid_index]),
    )


def _region(position: Position, grid: Grid, uncertainty: Uncertainty) -> PredictedRegion:
    region = position.region
    return PredictedRegion(
        precision=position.precision,
        faithfulness=position.faithfulness,
        alpha=(region.lowest_alpha, region.highest_alpha),
        n=(region.lowest_n, region.highest_n),
        places=region.index_ranges,
        holds_best=grid.best is not None and grid.best in region,
        share=uncertainty.share_within(region.cells),
    )


def _table(values: NDArray[np.float64]) -> list[list[float | None]]:
    return [[number_or_none(value) for value in row] for row in values]
