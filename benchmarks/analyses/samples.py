"""Samples and ratings for the meta-evaluation, from stored sets and metric runs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from django.db.models import Count, Max, Min, Model, QuerySet
from numpy.typing import NDArray

from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, frames
from concord.meta.board import GROUPINGS, SetArrays
from concord.meta.inference import (
    Coefficient,
    MetricFigures,
    Progress,
    SampleError,
    ScoredSample,
    SingleRatings,
    bootstrap_steps,
)
from concord.meta.inference.correlations import LEFT_OUT, left_out_steps

CACHED_SETS = 8
NO_WEIGHTS = (
    "the candidates were drawn with unequal probabilities, and these figures have no weighted "
    "form: without weights they would be about the drawn candidates, not about all"
)


@dataclass(frozen=True)
class Slice:
    """The candidates of one group of a grouping; all candidates by default."""

    by: str = ""
    group: str = ""

    def mask(self, judgment_set: JudgmentSet) -> NDArray[np.bool_]:
        """Which candidates it has, (n_candidates,). Raises SampleError for an unknown grouping."""
        frame = frames.frame(judgment_set)
        if not self.by:
            return np.ones(frame.n_candidates, dtype=bool)
        if self.by not in GROUPINGS:
            raise SampleError(f"'{self.by}' is not one of {', '.join(GROUPINGS)}")
        return np.asarray(frame.labels[self.by] == self.group)

    def __str__(self) -> str:
        return f"{self.by} {self.group}" if self.by else "the whole set"


WHOLE = Slice()


def sample(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], part: Slice = WHOLE
) -> ScoredSample:
    """The judged candidates of a part of the set with the scores of complete runs.

    A metric's name is its run's primary key; higher scores are better. Raises SampleError where
    the part has no judged candidate, a score is infinite, or candidates have design weights.
    """
    if judgment_set.has_unequal_sampling:
        raise SampleError(NO_WEIGHTS)
    mask = part.mask(judgment_set)
    if not (mask & judged(judgment_set)).any():
        raise SampleError(f"no candidate of {part} has a gold score")
    return sample_at(judgment_set, runs, np.flatnonzero(mask))


def weighted_sample(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], part: Slice = WHOLE
) -> tuple[ScoredSample, NDArray[np.float64]]:
    """(`sample`, design weights (n,)) of a set whose candidates were drawn with unequal
    probabilities. Raises SampleError where the design is not complete as well."""
    frame = frames.board_frame(judgment_set)
    if frame.weights is None:
        raise SampleError(frame.reason)
    rows = np.flatnonzero(part.mask(judgment_set) & frame.judged)
    if not len(rows):
        raise SampleError(f"no candidate of {part} has a gold score")
    return _sample_of(judgment_set, frame, runs, rows), frame.weights[rows]


def sample_at(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], positions: NDArray[np.int64]
) -> ScoredSample:
    """The sample of the candidates at `positions`, without those that are not judged."""
    return _sample_of(judgment_set, frames.frame(judgment_set), runs, positions)


def _sample_of(
    judgment_set: JudgmentSet,
    frame: SetArrays,
    runs: Sequence[MetricRun],
    positions: NDArray[np.int64],
) -> ScoredSample:
    return ScoredSample.from_scores(
        {str(run.pk): oriented_scores(run)[positions] for run in runs},
        frame.gold[positions],
        items=instances(judgment_set)[positions],
        systems=frame.labels["system"][positions],
        clusters=frame.clusters[positions],
    )


def judged(judgment_set: JudgmentSet) -> NDArray[np.bool_]:
    """Which candidates have a gold score, (n_candidates,)."""
    return frames.frame(judgment_set).judged


def oriented_scores(run: MetricRun) -> NDArray[np.float64]:
    """A complete run's scores with higher being better, of candidates and then of pairs."""
    scores = run.score_array
    return scores if metric_of(run).higher_is_better else -scores


def instances(judgment_set: JudgmentSet) -> NDArray[np.int64]:
    """The instance of each candidate, as codes from 0, (n_candidates,)."""
    return _instances(judgment_set.pk)


def people_scale(judgment_set: JudgmentSet) -> tuple[float, float]:
    """The scale of people's scores: that of the set, else from the lowest single rating to the
    highest, else from the lowest gold score to the highest; (0, 1) without any."""
    if judgment_set.scale is not None:
        return judgment_set.scale
    ends = criteria.ratings(judgment_set).aggregate(low=Min("value"), high=Max("value"))
    if ends["low"] is not None:
        return float(ends["low"]), float(ends["high"])
    gold = frames.frame(judgment_set).gold
    gold = gold[np.isfinite(gold)]
    return (float(gold.min()), float(gold.max())) if len(gold) else (0.0, 1.0)


def rater_groups(judgment_set: JudgmentSet) -> list[str]:
    """The groups of raters with single ratings on the chosen criterion; [""] if they have no
    names."""
    rows = criteria.ratings(judgment_set)
    # The default ordering would make every row distinct.
    return list(rows.order_by("group").values_list("group", flat=True).distinct())


def ratings(
    judgment_set: JudgmentSet,
    group: str,
    part: Slice | NDArray[np.bool_] = WHOLE,
    *,
    persons: bool = True,
) -> SingleRatings:
    """The single ratings of a part of the set by one group of raters.

    part: or which candidates, (n_candidates,). persons: whether a worker's name means the same
    person in all ratings. Raises SampleError where no candidate has two ratings.
    """
    mask = part.mask(judgment_set) if isinstance(part, Slice) else part
    rows = criteria.ratings(judgment_set).filter(group=group)
    values = rows.values_list("candidate__position", "value", "worker")
    selected = [row for row in values if mask[row[0]]]
    frame = frames.frame(judgment_set)
    return SingleRatings.from_arrays(
        [row[0] for row in selected],
        [row[1] for row in selected],
        items=instances(judgment_set),
        systems=frame.labels["system"],
        clusters=frame.clusters,
        raters=[row[2] for row in selected] if persons else None,
    )


def bootstrap_of_scores(
    judgment_set: JudgmentSet,
    positions: NDArray[np.int64],
    scores: dict[str, NDArray[np.float64]],
    gold: NDArray[np.float64],
    coefficient: Coefficient,
    *,
    seed: int,
    draws: int,
) -> Generator[Progress, None, tuple[MetricFigures, MetricFigures]]:
    """The bootstrap over passages of scores of the candidates at `positions`, by name, for
    differences; and their figures as on a board: by the jackknife, where the coefficient has it.

    scores, gold: (n_positions,), higher is better. Raises SampleError.
    """
    sample = ScoredSample.from_scores(
        scores,
        gold,
        items=instances(judgment_set)[positions],
        clusters=frames.frame(judgment_set).clusters[positions],
    )
    rng = np.random.default_rng(seed)
    bootstrap = yield from bootstrap_steps(sample, coefficient, rng=rng, draws=draws)
    if coefficient not in LEFT_OUT:
        return bootstrap, bootstrap
    return bootstrap, (yield from left_out_steps(sample, coefficient))


def count_rater_pairs(rows: QuerySet[Model]) -> int:
    """The number of pairs of rows about the same candidate: of ratings, or of marks."""
    counts = rows.order_by().values_list("candidate").annotate(n=Count("pk"))
    return sum(comb(n, 2) for _, n in counts)


def group_means(judgment_set: JudgmentSet, group: str) -> NDArray[np.float64]:
    """The mean of a group's ratings of each candidate, NaN without any, (n_candidates,)."""
    rows = criteria.ratings(judgment_set).filter(group=group)
    values = list(rows.values_list("candidate__position", "value"))
    n = judgment_set.n_candidates
    if not values:
        return np.full(n, np.nan)
    positions = np.array([row[0] for row in values])
    count = np.bincount(positions, minlength=n)
    sums = np.bincount(positions, weights=np.array([row[1] for row in values]), minlength=n)
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


@lru_cache(maxsize=CACHED_SETS)
def _instances(pk: int) -> NDArray[np.int64]:
    rows = JudgmentSet.objects.get(pk=pk).candidates.order_by("position")
    keys = np.fromiter(rows.values_list("instance_id", flat=True), dtype=np.int64)
    return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
