"""The analysis "sentinel-judges": sentinels in the place of raters."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.analyses import samples
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.kinds import sentinels
from benchmarks.analyses.kinds.judges.computation import (
    REVISION,
    JudgesParameters,
    NamedJudge,
    judging_options,
    named_judges,
    people_of,
    positions_of,
)
from benchmarks.analyses.page import AnalysisPage, check_raters
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.judges import report_judge
from concord.meta.inference import Progress
from concord.sentences import counted
from core.refusals import RefusedError


@dataclass(frozen=True)
class SentinelJudgesAnalysis:
    """Sentinels in the place of raters. items: the rated candidates that they judge."""

    items: int
    passages: int
    sentinels: list[NamedJudge]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: JudgesParameters
) -> Generator[Progress, None, SentinelJudgesAnalysis]:
    """The alternative annotator test of grades that are predicted from the question alone, and
    from the candidate alone.

    Of a large set, whole passages are drawn; the other rated candidates are not judged.
    """
    del runs
    people, options = people_of(judgment_set, parameters), judging_options(parameters)
    rng = np.random.default_rng(parameters.seed)
    rows = sentinels.draw_passages(np.arange(len(people.items)), people.clusters, rng)
    clusters = people.clusters[rows]
    passages = len(np.unique(clusters))
    if passages < sentinels.MIN_PASSAGES:
        raise RefusedError(
            f"{counted(passages, 'passage is', 'passages are')} rated; sentinels need "
            f"{sentinels.MIN_PASSAGES} or more",
            "analysis-refused",
        )
    gold = np.nanmean(people.values[rows], axis=1)
    items = frames.items(judgment_set, positions_of(judgment_set, people.items)[rows])
    predictions = yield from sentinels.predictions(items, gold, clusters)
    reports = {}
    for name, values in predictions.items():
        grades = np.full(len(people.items), np.nan)
        grades[rows] = values.clip(*samples.people_scale(judgment_set))
        reports[name] = report_judge(people, grades, options)
    # A sentinel is itself what others are compared with: it beats nothing.
    return SentinelJudgesAnalysis(len(rows), passages, named_judges(reports, 1.0))


def cost(judgment_set: JudgmentSet, metrics: int, parameters: JudgesParameters) -> float:
    """Estimated seconds on one core."""
    del metrics, parameters
    return sentinels.encoding_seconds(min(judgment_set.n_candidates, sentinels.MAX_CANDIDATES))


KIND = AnalysisKind(
    name="sentinel-judges",
    parameters=JudgesParameters,
    compute=compute,
    document=SentinelJudgesAnalysis,
    cost=cost,
    reads=frozenset({"criterion", "models"}),
    min_runs=0,
    revision=REVISION,
    page=AnalysisPage(
        name="sentinel-judges",
        path="judges/",
        compute_path="compute-sentinels",
        part_of="judges",
        complete=check_raters,
    ),
)
