"""The analysis "plane": the grid of AEv's metrics and the region that is predicted for a set."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses.kind import AnalysisRefusedError
from benchmarks.analyses.parameters import draws_field, seed_field
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import scoring
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.bounds import choice
from concord.documents.plane import PlaneAnalysis, PlaneGrid, PlaneTexts, PredictedRegion
from concord.meta.inference import Progress
from concord.meta.json_values import number_or_none
from scorers import Item
from scorers.aev.family import Formula
from scorers.aev.preparation import TextPreparation
from scorers.plane import (
    APPLICATIONS,
    GUIDELINES,
    Flooding,
    Grid,
    PlaneError,
    PlaneSample,
    Position,
    SetTextSizes,
    Uncertainty,
    bootstrap_grid,
    compute_grid,
    count_candidates,
    flood,
    look_up_position,
    suggest_application,
    suggest_guideline,
)
from scorers.plane.grid import Level

STEPS = 5


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
    try:
        yield Progress(1, STEPS)
        frame = frames.frame(judgment_set)
        items = frames.items(judgment_set, range(judgment_set.n_candidates))
        if not all(item.references for item in items):
            raise AnalysisRefusedError(
                "The plane compares candidates with references, and instances of this set have "
                "none."
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
        texts = _describe_texts(judgment_set, sample, items)
        position = _position(parameters, texts)
    except PlaneError as error:
        raise AnalysisRefusedError(str(error)) from error
    result: PlaneAnalysis = {
        **_result(sample, grid, uncertainty),
        **texts,
        "predicted": None if position is None else _region(position, grid, uncertainty),
    }
    if flooded is not None:
        result["flooded"] = {
            "answers": len(flooded.records),
            "good": flooded.good,
            "systems": list(flooded.systems),
        }
    return result


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
    counts = count_candidates(items, preparation, scoring.session())
    return PlaneSample.of(
        counts, gold, systems=frame.labels["system"].tolist(), clusters=frame.clusters
    )


def _describe_texts(
    judgment_set: JudgmentSet, sample: PlaneSample, items: list[Item]
) -> PlaneTexts:
    """Sizes of the set's texts, its criterion, and the position they suggest, with reasons."""
    question_share = float(np.mean([bool(item.question.strip()) for item in items]))
    passages = [len(item.passage.split()) for item in items]
    sizes = SetTextSizes.of(
        sample,
        references=float(np.mean([len(item.references) for item in items])),
        question_share=question_share,
        source=float(np.mean(passages)) if any(passages) else None,
    )
    criterion = str(judgment_set.report.get("criterion", ""))
    guideline, application = suggest_guideline(criterion), suggest_application(sizes)
    return {
        "sizes": {
            "candidate": sizes.candidate,
            "reference": sizes.reference,
            "references": sizes.references,
            "asked": sizes.question_share,
            "source": sizes.source,
            "length_ratio": number_or_none(sizes.length_ratio),
        },
        "criterion": criterion,
        "suggested": {
            "guideline": {"name": guideline.name, "why": guideline.reason},
            "application": {"name": application.name, "why": application.reason},
        },
    }


def _position(parameters: PlaneParameters, texts: PlaneTexts) -> Position | None:
    """The position that the parameters name, or else the suggested one; None without either."""
    suggested = texts["suggested"]
    guideline = parameters.guideline or suggested["guideline"]["name"]
    application = parameters.application or suggested["application"]["name"]
    return look_up_position(guideline, application) if guideline and application else None


def _result(sample: PlaneSample, grid: Grid, uncertainty: Uncertainty) -> PlaneGrid:
    best = grid.best
    return {
        "n": sample.n,
        "unjudged": sample.unjudged,
        "nameless": sample.without_system,
        "systems": [
            {"system": name, "n": int(count), "gold": float(mean)}
            for name, count, mean in zip(grid.system_names, grid.candidates, grid.gold, strict=True)
        ],
        "r": _table(grid.r),
        "low": _table(uncertainty.low),
        "high": _table(uncertainty.high),
        "best_share": _table(uncertainty.best_share),
        "indistinct": uncertainty.tied_with_best.tolist(),
        "without_best": uncertainty.without_best,
        "draws": uncertainty.draws,
        "passages": uncertainty.passages,
        "best": None
        if best is None
        else {
            "alpha": best.alpha,
            "n": best.n,
            "place": list(best.grid_index),
            "metric": best.metric,
            "r_squared": float(grid.r_squared[best.grid_index]),
            "ci": _ends(uncertainty.interval(best)),
            "share": float(uncertainty.best_share[best.grid_index]),
        },
        "reason": grid.reason,
    }


def _region(position: Position, grid: Grid, uncertainty: Uncertainty) -> PredictedRegion:
    region = position.region
    return {
        "precision": position.precision,
        "faithfulness": position.faithfulness,
        "alpha": [region.lowest_alpha, region.highest_alpha],
        "n": [region.lowest_n, region.highest_n],
        "places": list(region.index_ranges),
        "holds_best": grid.best is not None and grid.best in region,
        "share": uncertainty.share_within(region.cells),
    }


def _table(values: NDArray[np.float64]) -> list[list[float | None]]:
    return [[number_or_none(value) for value in row] for row in values]


def _ends(interval: tuple[float, float] | None) -> list[float] | None:
    return list(interval) if interval else None
