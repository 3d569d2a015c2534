"""The kinds of analyses of judgment sets and their metric runs."""

from __future__ import annotations

from benchmarks.analyses.kinds import (
    agreement,
    choices,
    combination,
    correctness,
    criteria,
    estimate,
    judge,
    judges,
    jury,
    learning,
    plan,
    plane,
    raters,
    replay,
    sentinel_judges,
    sentinels,
    spans,
    systems,
)

ALL = (
    agreement.KIND,
    systems.KIND,
    learning.KIND,
    plane.KIND,
    judge.KIND,
    judges.KIND,
    jury.KIND,
    replay.KIND,
    plan.KIND,
    sentinels.KIND,
    sentinel_judges.KIND,
    combination.KIND,
    estimate.KIND,
    spans.KIND,
    raters.KIND,
    criteria.KIND,
    choices.KIND,
    correctness.KIND,
)
