"""The evaluation plane of a set: the grid of AEv's members, where it lies, and its flooded twin."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses.documents import PlaneParameters
from benchmarks.analyses.services.kinds import AnalysisRefusedError, Kind
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import scoring
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.meta.documents.plane import PlaneAnalysis, PlaneGrid, PlaneTexts, PredictedRegion
from concord.meta.inference import Progress
from concord.meta.json_values import number_or_none
from scorers import Item
from scorers.aev.family import Formula
from scorers.aev.preparation import Preparation
from scorers.plane import (
    APPLICATIONS,
    GUIDELINES,
    LEVELS,
    Flooding,
    Grid,
    PlaneError,
    PlaneSample,
    Position,
    TextSizes,
    Uncertainty,
    bootstrap_grid,
    compute_grid,
    count_candidates,
    flood,
    look_up_position,
    suggest_application,
    suggest_guideline,
)

STEPS = 5


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: PlaneParameters
) -> Generator[Progress, None, PlaneAnalysis]:
    """Count the texts once, make the grid, and draw passages for how sure its best cell is."""
    try:
        yield Progress(1, STEPS)
        frame = frames.frame(judgment_set)
        items = frames.items(judgment_set, range(judgment_set.n_candidates))
        rng, flooding_rng = np.random.default_rng(parameters["seed"]).spawn(2)
        gold: NDArray[np.float64] = frame.gold
        flooded = None
        if parameters["flooded"] == "yes":
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
        penalty = parameters["penalty"]
        wordiness = float(parameters["wordiness"])
        grid = compute_grid(
            sample, Formula(wordiness=wordiness, penalty=penalty), parameters["level"]
        )
        yield Progress(4, STEPS)
        sure = bootstrap_grid(sample, grid, rng=rng, draws=parameters["draws"])
        told = _told(judgment_set, sample, items)
        found = _place(parameters, told)
    except PlaneError as error:
        raise AnalysisRefusedError(str(error)) from error
    result: PlaneAnalysis = {
        **_result(sample, grid, sure),
        **told,
        "predicted": None if found is None else _region(found, grid, sure),
    }
    if flooded is not None:
        result["flooded"] = {
            "answers": len(flooded.records),
            "good": flooded.good,
            "systems": list(flooded.systems),
        }
    return result


def cost(judgment_set: JudgmentSet, metrics: int, parameters: PlaneParameters) -> float:
    """Seconds, about; the tokeniser's start is most of it."""
    return 3.0 + 2e-4 * judgment_set.n_candidates


def _flooding(judgment_set: JudgmentSet, gold: NDArray[np.float64]) -> Flooding:
    """On the set's scale, or on the gold scores' own where it states none."""
    low, high = judgment_set.scale_low, judgment_set.scale_high
    if low is None or high is None:
        judged = gold[np.isfinite(gold)]
        if not len(judged):
            raise PlaneError("no candidate has a gold score")
        low, high = float(judged.min()), float(judged.max())
    return Flooding.on_scale(low, high)


def _sample(
    judgment_set: JudgmentSet,
    items: list[Item],
    gold: NDArray[np.float64],
    parameters: PlaneParameters,
) -> PlaneSample:
    frame = frames.frame(judgment_set)
    preparation = Preparation(stems=parameters["stems"], stops=parameters["stops"])
    counts = count_candidates(items, preparation, scoring.session())
    return PlaneSample.of(
        counts, gold, systems=frame.labels["system"].tolist(), clusters=frame.clusters
    )


def _told(judgment_set: JudgmentSet, sample: PlaneSample, items: list[Item]) -> PlaneTexts:
    """What the set's texts and criterion suggest about its place, and why."""
    question_share = float(np.mean([bool(item.question.strip()) for item in items]))
    passages = [len(item.passage.split()) for item in items]
    sizes = TextSizes.of(
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


def _place(parameters: PlaneParameters, told: PlaneTexts) -> Position | None:
    """Where people say it lies, else where it is suggested to; None where neither says."""
    suggested = told["suggested"]
    guideline = parameters["guideline"] or suggested["guideline"]["name"]
    application = parameters["application"] or suggested["application"]["name"]
    return look_up_position(guideline, application) if guideline and application else None


def _result(sample: PlaneSample, grid: Grid, sure: Uncertainty) -> PlaneGrid:
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
        "low": _table(sure.low),
        "high": _table(sure.high),
        "best_share": _table(sure.best_share),
        "indistinct": sure.tied_with_best.tolist(),
        "without_best": sure.without_best,
        "draws": sure.draws,
        "passages": sure.passages,
        "best": None
        if best is None
        else {
            "alpha": best.alpha,
            "n": best.n,
            "place": list(best.grid_index),
            "metric": best.metric,
            "r_squared": float(grid.r_squared[best.grid_index]),
            "ci": _ends(sure.interval(best)),
            "share": float(sure.best_share[best.grid_index]),
        },
        "reason": grid.reason,
    }


def _region(found: Position, grid: Grid, sure: Uncertainty) -> PredictedRegion:
    region = found.region
    return {
        "precision": found.precision,
        "faithfulness": found.faithfulness,
        "alpha": [region.lowest_alpha, region.highest_alpha],
        "n": [region.lowest_n, region.highest_n],
        "places": list(region.index_ranges),
        "holds_best": grid.best is not None and grid.best in region,
        "share": sure.share_within(region.cells),
    }


def _table(values: NDArray[np.float64]) -> list[list[float | None]]:
    return [[number_or_none(value) for value in row] for row in values]


def _ends(interval: tuple[float, float] | None) -> list[float] | None:
    return list(interval) if interval else None


KIND: Kind[PlaneParameters] = Kind(
    "plane",
    compute,
    cost,
    defaults={
        "stems": "porter",
        "stops": "none",
        "level": "set",
        "penalty": "intended",
        "wordiness": "2",
        "guideline": "",
        "application": "",
        "flooded": "no",
        "draws": 1000,
        "seed": 1,
    },
    allowed={
        "stems": ("porter", "none"),
        "stops": ("none", "closed-class"),
        "level": LEVELS,
        "penalty": ("intended", "printed"),
        "wordiness": ("1", "1.5", "2", "3", "inf"),
        "guideline": ("", *GUIDELINES),
        "application": ("", *APPLICATIONS),
        "flooded": ("no", "yes"),
    },
    fewest=0,
    reads_runs=False,
)
