"""Every complete run of a set as something a system is tuned to, as JSON (AVA 6.5, Table 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.conf import settings

from benchmarks.correctness.services.options import Options
from benchmarks.correctness.services.results import prepare
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden
from concord.meta import correctness
from concord.meta.correctness import Optimised, Picks, Survival
from concord.meta.correctness.candidate_features import FEATURES
from concord.meta.correctness.linear_reranker import questions
from concord.meta.figures import Figure


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], settled: Options
) -> dict[str, Any]:
    """{"set", "runs", "judged_on"}: what concerns the set (`_of_set`), by the key of each run what
    concerns it (`_of_run`), and positions and items of the reported candidates that are picked
    from, which is no JSON. Raises CorrectnessRefusedError."""
    ready = prepare(judgment_set, runs, settled)
    sample, parts = ready.sample, ready.parts
    positions = np.flatnonzero(frames.frame(judgment_set).judged)
    items = frames.items(judgment_set, positions.tolist())
    picked = questions(sample.items, parts.reported).order
    sound = [m for m in range(len(runs)) if not sample.flaw(m)]
    thresholds = correctness.tuned(sample, ready.right, parts.tuning, settled.rule)
    found = correctness.optimised(
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
    reported = sample.take(parts.reported)
    best = correctness.best_system(
        ready.right[parts.reported].astype(np.float64), reported.items, reported.systems
    )
    system = None if best is None else {"system": sample.system_names[best[0]], "value": best[1]}
    return {
        "set": _of_set(found, system),
        "runs": {
            run.pk: _of_run(known.get(m) or _flawed(sample.flaw(m))) for m, run in enumerate(runs)
        },
        "judged_on": (positions[picked], sample.items[picked]),
    }


def is_withheld(judgment_set: JudgmentSet, found: dict[str, Any]) -> bool:
    """Whether figures over picks, which rest on one label of each reported question, rest on too
    few labels that are hidden from the set's viewer."""
    positions, items = found["judged_on"]
    mask = hidden.of(judgment_set).candidates[positions]
    count = len(np.unique(items[mask]))
    return bool(0 < count < settings.HIDDEN_LABELS_LEAST)


def withheld(found: dict[str, Any]) -> dict[str, Any]:
    """The same document with every figure undefined."""
    why = Figure.undefined(hidden.TOO_FEW)
    nothing = Optimised(found["set"]["tuned"], found["set"]["instances"], why, why, why, [])
    return found | {
        "set": _of_set(nothing, None),
        "runs": dict.fromkeys(found["runs"], _of_run(_flawed(hidden.TOO_FEW))),
    }


def _flawed(why: str) -> Survival:
    one = Figure.undefined(why)
    picks = Picks(one, one, one)
    return Survival(picks, picks, picks, one, one, one)


def _of_set(found: Optimised, system: dict[str, Any] | None) -> dict[str, Any]:
    """What all metrics are compared with; "system" always answers, "labels" is fitted to people."""
    return {
        "tuned": found.tuned,
        "instances": found.instances,
        "features": list(FEATURES),
        "chance": found.chance.to_json(),
        "best": found.best.to_json(),
        "labels": found.labels.to_json(),
        "system": system,
    }


def _of_run(found: Survival) -> dict[str, Any]:
    """Three kinds of picks, {"metric", "people", "gap"} each, and single figures."""
    return {
        **{
            name: {
                "metric": picks.metric.to_json(),
                "people": picks.people.to_json(),
                "gap": picks.gap.to_json(),
            }
            for name, picks in (
                ("random", found.random),
                ("fitted", found.fitted),
                ("own", found.own),
            )
        },
        "gold": found.gold.to_json(),
        "labels": found.labels.to_json(),
        "added": found.added.to_json(),
    }
