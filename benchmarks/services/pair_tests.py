"""Which metric is better on minimal pairs: McNemar's test of every two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.models import JudgmentSet
from benchmarks.services import hidden, samples
from benchmarks.services.analyses import work
from benchmarks.services.leaderboards import board_runs
from benchmarks.stats.meta import mcnemar


def compared(judgment_set: JudgmentSet, phenomenon: str = "") -> dict[str, Any] | None:
    """{"n", "metrics", "accuracies", "p"}: exact McNemar p-values of every two metrics, adjusted by
    Holm's method, on the pairs that the viewer may see; best metric first.

    None where there are no such pairs or fewer than two metrics that scored them. "metrics" are
    (run, name, way with several references).
    """
    shown = _shown(judgment_set, phenomenon)
    runs = [run for run in board_runs(judgment_set) if run.status == "complete"]
    if not shown.any() or len(runs) < 2:
        return None
    loaded = work.loaded(judgment_set, [run.pk for run in runs])
    members = np.stack([samples.turned(run)[judgment_set.n_candidates :] for run in loaded])
    better, worse = members[:, 0::2][:, shown], members[:, 1::2][:, shown]
    found = mcnemar(tuple(str(run.pk) for run in loaded), better, worse)
    defined = np.flatnonzero(~np.isnan(found.values))
    if len(defined) < 2:
        return None
    order = defined[np.argsort(-found.values[defined], kind="stable")]
    return {
        "n": int(shown.sum()),
        "metrics": [(loaded[m].pk, loaded[m].metric, loaded[m].multi_ref) for m in order],
        "accuracies": found.values[order].tolist(),
        "p": found.p_holm[np.ix_(order, order)].tolist(),
    }


def _shown(judgment_set: JudgmentSet, phenomenon: str) -> NDArray[np.bool_]:
    """Which pairs, (n_pairs,): those the viewer may see, of one phenomenon if asked."""
    shown = ~hidden.of(judgment_set).pairs
    if phenomenon and len(shown):
        positions = judgment_set.pairs.filter(phenomenon=phenomenon)
        chosen = np.zeros(len(shown), dtype=bool)
        chosen[list(positions.values_list("position", flat=True))] = True
        shown = shown & chosen
    return shown
