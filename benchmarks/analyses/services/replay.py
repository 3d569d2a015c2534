"""The analysis "replay": how few ratings, with a metric, would have been enough?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict

import numpy as np

from benchmarks.analyses.documents import ReplayParameters
from benchmarks.analyses.estimation_samples import choose_run, estimation_sample
from benchmarks.analyses.services.kinds import AnalysisRefusedError, Kind
from benchmarks.analyses.services.run_names import run_name
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.estimation import EstimationError, default_sizes, replay_steps
from concord.meta.documents.replay import ReplayAnalysis
from concord.meta.inference import Progress

MIN_PASSAGES = 30


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: ReplayParameters
) -> Generator[Progress, None, ReplayAnalysis]:
    """Sample the set's passages again and again, and estimate each system's mean with a metric."""
    run = choose_run(judgment_set, runs, parameters["run"])
    sample = estimation_sample(judgment_set, run, only_judged=True)
    passages = len(np.unique(sample.passages))
    if passages < MIN_PASSAGES:
        raise AnalysisRefusedError(
            f"{passages} passages are rated; a replay needs {MIN_PASSAGES} or more"
        )
    try:
        rows = yield from replay_steps(
            sample,
            default_sizes(passages),
            draws=parameters["draws"],
            rng=np.random.default_rng(parameters["seed"]),
        )
    except EstimationError as error:
        raise AnalysisRefusedError(str(error)) from error
    return {
        "metric": run_name(run),
        "n": len(sample.outcomes),
        "passages": passages,
        "systems": list(sample.names),
        "rows": [asdict(row) for row in rows],
    }


def cost(judgment_set: JudgmentSet, metrics: int, parameters: ReplayParameters) -> float:
    """Estimated seconds on one core."""
    del metrics
    return 4 * float(parameters["draws"]) * (1.5e-3 + 1.2e-6 * judgment_set.n_candidates)


KIND: Kind[ReplayParameters] = Kind(
    "replay",
    compute,
    cost,
    defaults={"run": 0, "draws": 200, "seed": 1},
    allowed={},
)
