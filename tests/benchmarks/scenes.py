"""A small set with everything on it: scored, undefined, failed and waiting runs, and pairs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.utils.timezone import now

from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs, scoring
from benchmarks.sets.models import JudgmentSet
from tests.benchmarks.factories import make_set, request, score_here


@dataclass
class Scene:
    """`run` is complete; `constant` is complete but undefined; `failed` and `queued` are not."""

    judgment_set: JudgmentSet
    run: MetricRun
    constant: MetricRun
    failed: MetricRun
    queued: MetricRun

    @property
    def ref(self) -> str:
        return str(self.judgment_set)


def make_scene(folder: Path) -> Scene:
    judgment_set = make_set(folder, "small", pairs=4, instances=8, systems=("a", "b", "c"))
    run = score_here(judgment_set, "token-f1,rouge-l")[0]
    constant = score_here(judgment_set, "exact-match")[0]
    zeros = np.zeros(judgment_set.n_items)
    constant.scores = zeros.tobytes()
    constant.statistics = scoring.statistics_of(constant, zeros)
    constant.save()
    failed, queued = request(judgment_set, "bleu-1,ter")
    runs.fail_run(failed, "JavaError: the helper would not start", at=now())
    return Scene(judgment_set, run, constant, failed, queued)
