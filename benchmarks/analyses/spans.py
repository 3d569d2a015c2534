"""Error spans of a set: raters, systems, and which metric falls with the severity of errors."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import leaderboards, samples
from benchmarks.analyses.services import work
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet, Marks
from benchmarks.sets.services import frames
from concord.formats.records import SEVERITIES, Span
from concord.meta.figures import Figure
from concord.meta.inference import Sample, SampleError, bootstrap_steps
from concord.spans import Marks as MarksOfRater
from concord.spans import SpanReport, Weights, mqm_score, report_spans

CACHED_SETS = 8
SEED, DRAWS = 0, 1000
# The worst error of an answer: its column in a table.
NO_ERROR = "none"
WORST = (NO_ERROR, *SEVERITIES)


@dataclass(frozen=True)
class MetricOnSpans:
    """pearson: of the metric's scores with the MQM scores, higher being better for both; its
    interval resamples passages. means: the mean score of the answers whose worst error has each
    severity of WORST, None without any."""

    run: MetricRun
    pearson: Figure
    means: list[float | None]


@dataclass(frozen=True)
class SpansOfSet:
    """mqm: the MQM score of each candidate, the mean over its raters, NaN without one, (N,).
    worst: the severity of its worst error as an index of WORST, -1 where nobody marked it or a
    severity is undecided, (N,). report: systems and agreement."""

    mqm: NDArray[np.float64]
    worst: NDArray[np.int64]
    report: SpanReport


def read(judgment_set: JudgmentSet, weights: Weights) -> SpansOfSet:
    """The spans of a set, which has some; cached: a version never changes."""
    return _read(judgment_set.pk, weights)


def metrics_on_spans(judgment_set: JudgmentSet, spans: SpansOfSet) -> list[MetricOnSpans]:
    """Every complete run that the set's viewer may see, the highest correlation first."""
    pks = [run.pk for run in leaderboards.complete_board_runs(judgment_set)]
    runs = work.load_runs(judgment_set, pks)
    positions = np.flatnonzero(np.isfinite(spans.mqm))
    frame = frames.frame(judgment_set)
    figures: list[Figure]
    try:
        sample = Sample.from_scores(
            {str(run.pk): samples.oriented_scores(run)[positions] for run in runs},
            spans.mqm[positions],
            items=samples.instances(judgment_set)[positions],
            clusters=frame.clusters[positions],
        )
        steps = bootstrap_steps(sample, "pearson", rng=np.random.default_rng(SEED), draws=DRAWS)
        while True:
            next(steps)
    except StopIteration as finished:
        figures = [finished.value.figure(column) for column in range(len(runs))]
    except SampleError as error:
        figures = [Figure.undefined(str(error))] * len(runs)
    rows = [
        MetricOnSpans(run, figure, _means(run.score_array, spans.worst))
        for run, figure in zip(runs, figures, strict=True)
    ]
    rows.sort(key=_order)
    return rows


def _means(scores: NDArray[np.float64], worst: NDArray[np.int64]) -> list[float | None]:
    means: list[float | None] = []
    for severity in range(len(WORST)):
        values = scores[: len(worst)][worst == severity]
        values = values[np.isfinite(values)]
        means.append(float(values.mean()) if len(values) else None)
    return means


def _order(row: MetricOnSpans) -> tuple[bool, float, str]:
    value = row.pearson.value
    return (value is None, -(value or 0.0), row.run.metric)


@lru_cache(maxsize=CACHED_SETS)
def _read(pk: int, weights: Weights) -> SpansOfSet:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    rows = Marks.objects.filter(candidate__judgment_set=judgment_set)
    marks: list[MarksOfRater] = []
    by_position: dict[int, list[tuple[Span, ...]]] = defaultdict(list)
    fields = ("group", "worker", "spans", "candidate__system", "candidate__key")
    for position, group, worker, spans, system, key, passage in rows.values_list(
        "candidate__position", *fields, "candidate__instance__passage_key"
    ):
        own = tuple(map(Span.from_row, spans))
        rater = f"{group}/{worker}" if group else worker
        marks.append(MarksOfRater(rater, system, passage, key, own))
        by_position[position].append(own)
    mqm = np.full(judgment_set.n_candidates, np.nan)
    worst = np.full(judgment_set.n_candidates, -1, dtype=np.int64)
    for position, of_raters in by_position.items():
        scores = [mqm_score(spans, weights) for spans in of_raters]
        if None not in scores:
            mqm[position] = np.mean([score for score in scores if score is not None])
            severities = [WORST.index(span.severity or "") for one in of_raters for span in one]
            worst[position] = max(severities, default=0)
    return SpansOfSet(mqm, worst, report_spans(marks, (), weights))
