"""Every complete run of a set as something a system is tuned to, as JSON (AVA 6.5, Table 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from benchmarks.correctness.documents import (
    PicksRow,
    SurvivalResult,
    SurvivalRow,
    SystemValue,
)
from benchmarks.correctness.services.options import Options
from benchmarks.correctness.services.results import prepare
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden
from concord.meta import correctness
from concord.meta.correctness import OptimisationResult, Picks, Survival
from concord.meta.correctness.candidate_features import FEATURES
from concord.meta.correctness.linear_reranker import questions
from concord.meta.figures import Figure


@dataclass(frozen=True)
class Survivals:
    """What concerns the set, and by the key of each run what concerns it; positions and items of
    the reported candidates that are picked from."""

    of_set: SurvivalResult
    runs: dict[int, SurvivalRow]
    positions: NDArray[np.int64]
    items: NDArray[np.int64]


def compute(judgment_set: JudgmentSet, runs: Sequence[MetricRun], settled: Options) -> Survivals:
    """Every run, as what a system is tuned to. Raises CorrectnessRefusedError."""
    ready = prepare(judgment_set, runs, settled)
    sample, parts = ready.sample, ready.parts
    positions = np.flatnonzero(frames.frame(judgment_set).judged)
    items = frames.items(judgment_set, positions.tolist())
    picked = questions(sample.items, parts.reported).order
    sound = [m for m in range(len(runs)) if not sample.undefined_reason(m)]
    thresholds = correctness.tune_thresholds(sample, ready.right, parts.tuning, settled.rule)
    found = correctness.optimisation_test(
        sample.scores[sound],
        sample.gold,
        ready.right,
        sample.items,
        sample.clusters,
        correctness.candidate_features(
            [item.question for item in items], [item.candidate for item in items]
        ),
        parts,
        [thresholds[m] for m in sound],
        rng=np.random.default_rng(settled.seed),
        draws=ready.draws,
    )
    known = dict(zip(sound, found.metrics, strict=True))
    reported = sample.select_candidates(parts.reported)
    best = correctness.best_system(
        ready.right[parts.reported].astype(np.float64), reported.items, reported.systems
    )
    system: SystemValue | None = None
    if best is not None:
        system = {"system": sample.system_names[best[0]], "value": best[1]}
    return Survivals(
        _of_set(found, system),
        {
            run.pk: _of_run(known.get(m) or _flawed(sample.undefined_reason(m)))
            for m, run in enumerate(runs)
        },
        positions[picked],
        sample.items[picked],
    )


def is_withheld(judgment_set: JudgmentSet, found: Survivals) -> bool:
    """Whether figures over picks, which rest on one label of each reported question, rest on too
    few labels that are hidden from the set's viewer."""
    mask = hidden.viewer_masks(judgment_set).candidates[found.positions]
    count = len(np.unique(found.items[mask]))
    return bool(0 < count < settings.MIN_HIDDEN_LABELS)


def withheld(found: Survivals) -> Survivals:
    """The same with every figure undefined."""
    why = Figure.undefined(hidden.TOO_FEW)
    nothing = OptimisationResult(
        found.of_set["tuned"], found.of_set["instances"], why, why, why, []
    )
    return replace(
        found,
        of_set=_of_set(nothing, None),
        runs=dict.fromkeys(found.runs, _of_run(_flawed(hidden.TOO_FEW))),
    )


def _flawed(why: str) -> Survival:
    one = Figure.undefined(why)
    picks = Picks(one, one, one)
    return Survival(picks, picks, picks, one, one, one)


def _of_set(found: OptimisationResult, system: SystemValue | None) -> SurvivalResult:
    return {
        "tuned": found.tuned,
        "instances": found.instances,
        "features": list(FEATURES),
        "chance": found.chance.to_json(),
        "best": found.best.to_json(),
        "labels": found.labels.to_json(),
        "system": system,
    }


def _of_run(found: Survival) -> SurvivalRow:
    return {
        "random": _picks(found.random),
        "fitted": _picks(found.fitted),
        "own": _picks(found.own),
        "gold": found.gold.to_json(),
        "labels": found.labels.to_json(),
        "added": found.added.to_json(),
    }


def _picks(found: Picks) -> PicksRow:
    return {
        "metric": found.metric.to_json(),
        "people": found.people.to_json(),
        "gap": found.gap.to_json(),
    }
