"""Candidates of known systems with one metric's scores, for estimates and replays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses.leaderboards import best_run
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, designs, frames
from concord.estimation import EstimationSample
from concord.estimation.raters import KnownRatings, ratings_behind
from concord.sampling import (
    Population,
    Wave,
    complete_records,
    make_population,
    stored_waves,
)
from core.refusals import RefusedError


def choose_run(judgment_set: JudgmentSet, runs: Sequence[MetricRun], pk: int) -> MetricRun:
    """The run with this key, or the first on the board for 0.

    Raises RefusedError where the runs have no such run.
    """
    key = pk or best_run(judgment_set)
    for run in runs:
        if run.pk == key:
            return run
    raise RefusedError(f"the board has no complete run {key or ''}".rstrip(), "analysis-refused")


def estimation_sample(
    judgment_set: JudgmentSet, run: MetricRun, *, only_judged: bool = False
) -> EstimationSample:
    """The candidates whose system is known; gold is missing where nobody rated them.

    Raises RefusedError where there are none, or a candidate has no score.
    """
    frame = frames.frame(judgment_set)
    labels = frame.labels["system"]
    rows = labels != ""
    if only_judged:
        rows &= frame.judged
    if not rows.any():
        raise RefusedError(
            "the candidates' systems are unknown: there is no mean to estimate", "analysis-refused"
        )
    names, systems = np.unique(labels[rows], return_inverse=True)
    scores = run.score_array[: len(rows)][rows]
    return EstimationSample(
        frame.gold[rows],
        scores[:, None],
        systems.astype(np.int64),
        frame.clusters[rows],
        tuple(map(str, names)),
        (run.metric,),
    )


def single_ratings(judgment_set: JudgmentSet, *, with_system: bool = False) -> KnownRatings:
    """The single ratings of the candidates, or of those whose system is known, in their order."""
    outcomes = criteria.gold(judgment_set)
    rows = np.ones(len(outcomes), dtype=bool)
    if with_system:
        rows = frames.frame(judgment_set).labels["system"] != ""
        outcomes = frames.frame(judgment_set).gold
    places = np.cumsum(rows) - 1
    values = criteria.ratings(judgment_set).order_by("candidate__position", "position")
    ratings = [
        row
        for row in values.values_list("candidate__position", "group", "worker", "value")
        if rows[row[0]]
    ]
    positions, groups, workers, points = list(zip(*ratings, strict=True)) or [()] * 4
    units = places[list(positions)].tolist()
    return ratings_behind(units, groups, workers, points, outcomes[rows])


def judged_population(judgment_set: JudgmentSet, sample: EstimationSample) -> Population:
    """The population of `estimation_sample(only_judged=True)`; its units are instances."""
    frame = frames.frame(judgment_set)
    rows = (frame.labels["system"] != "") & frame.judged
    keys = judgment_set.candidates.order_by("position").values_list("instance__key", flat=True)
    return make_population(
        sample.scores,
        sample.metrics,
        systems=np.array(sample.names, dtype=np.str_)[sample.systems],
        passages=sample.passages,
        constituents=frame.labels["constituent"][rows],
        unit_ids=np.array(list(keys), dtype=np.str_)[rows],
    )


def outcome_scale(judgment_set: JudgmentSet, sample: EstimationSample) -> tuple[float, float]:
    """The set's scale, or the range of the sample's outcomes."""
    outcomes = sample.outcomes
    return judgment_set.scale or (float(outcomes.min()), float(outcomes.max()))


def sampled_design(
    judgment_set: JudgmentSet, run: MetricRun
) -> tuple[Population, list[Wave], NDArray[np.float64]] | None:
    """(population, waves, outcomes) of a set whose candidates were drawn by a design, else None.

    Raises RefusedError where the design is not complete, or a candidate has no score.
    """
    stored = designs.sampling_records(judgment_set)
    if all(record is None for record in stored):
        return None
    frame = frames.frame(judgment_set)
    records = complete_records(stored)
    population = make_population(
        run.score_array[: len(records), None],
        (run.metric,),
        systems=frame.labels["system"],
        passages=frame.clusters,
        constituents=frame.labels["constituent"],
        unit_ids=np.array([record.unit for record in records], dtype=np.str_),
    )
    waves = stored_waves(population, records)
    return population, waves, criteria.gold(judgment_set)
