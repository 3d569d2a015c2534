"""A small set with everything on it: scored, undefined, failed and waiting runs, and pairs."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.utils.timezone import now

from benchmarks.analyses import samples
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs, scoring
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from tests.benchmarks.factories import make_set, request, score_here
from tests.snapshots import Snapshot

# They cache by the primary key of a set, which is the same in each copy of the scene.
CACHING = (frames, samples)


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


def make_scene() -> Scene:
    for module in CACHING:
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()
    scene = _SNAPSHOT.restore()
    # A page says when a run waits for long, which it does not yet.
    MetricRun.objects.filter(pk=scene.queued.pk).update(created_at=now())
    return scene


def _make() -> Scene:
    with tempfile.TemporaryDirectory() as folder:
        options = {"pairs": 4, "instances": 8, "systems": ("a", "b", "c")}
        judgment_set = make_set(Path(folder), "small", **options)
    run = score_here(judgment_set, "token-f1,rouge-l")[0]
    constant = score_here(judgment_set, "exact-match")[0]
    zeros = np.zeros(judgment_set.n_items)
    constant.scores = zeros.tobytes()
    constant.statistics = scoring.statistics_of(constant, zeros)
    constant.save()
    failed, queued = request(judgment_set, "bleu-1,ter")
    runs.fail_run(failed, "JavaError: the helper would not start", at=now())
    return Scene(judgment_set, run, constant, failed, queued)


_SNAPSHOT = Snapshot(_make)
