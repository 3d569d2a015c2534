"""Reads for the pages: a candidate's scores, verdicts on pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, QuerySet
from numpy.typing import NDArray

from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services.listing import column_names
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import Candidate, JudgmentSet, MinimalPair
from benchmarks.sets.services import frames, hidden
from concord.meta.json_values import number_or_none

COMPLETE = MetricRun.Status.COMPLETE


@dataclass(frozen=True)
class ScoreShare:
    """A score of one candidate and the share of candidates below it (ties count half), in [0, 1].

    "Below" means worse, also for metrics whose lower scores are better. `above` is None without a
    score or without another candidate to compare with.
    """

    run: MetricRun | None
    name: str
    score: float | None
    above: float | None
    higher_is_better: bool = True


@dataclass(frozen=True)
class PairVerdict:
    """A metric's verdict on a minimal pair: "right", "tie", "wrong", or "none" without scores."""

    pair: MinimalPair
    score1: float | None
    score2: float | None
    verdict: str
    lead: float = 0.0
    """How much better the metric scores the better candidate; negative where it is wrong."""


def score_shares(
    judgment_set: JudgmentSet, candidate: Candidate
) -> tuple[ScoreShare, list[ScoreShare]]:
    """The candidate's score share by people, and by each complete metric.

    Without values if the candidate's label is hidden from the set's viewer; that by people is among
    the scores that are not hidden.
    """
    masked = hidden.viewer_masks(judgment_set).candidates
    if masked[candidate.position]:
        return ScoreShare(None, "people", None, None), []
    gold = np.where(masked, np.nan, frames.frame(judgment_set).gold)
    people = ScoreShare(None, "people", candidate.gold, _share_below(gold, candidate.position))
    # One query fetches the scores, which are deferred by default. Only one run's scores are in
    # memory at a time: those of all runs of a large set take hundreds of megabytes.
    complete = visible_runs(judgment_set).filter(status=COMPLETE)
    runs = complete.defer(None).defer("known_scores", "statistics")
    values = []
    for run in runs.order_by("metric", "multi_ref", "pk").iterator(chunk_size=1):
        scores = run.score_array[: judgment_set.n_candidates]
        del run.scores
        up = metric_of(run).higher_is_better
        above = _share_below(scores if up else -scores, candidate.position)
        values.append((run, number_or_none(scores[candidate.position]), above, up))
    names = column_names([run for run, *_ in values])
    return people, [
        ScoreShare(run, name, score, above, up)
        for name, (run, score, above, up) in zip(names, values, strict=True)
    ]


def neighbours(
    judgment_set: JudgmentSet, candidate: Candidate
) -> tuple[Candidate | None, Candidate | None]:
    """The previous and the next candidate of the set, None at its ends."""
    previous, following = candidate.position - 1, candidate.position + 1
    rows = judgment_set.candidates.filter(position__in=(previous, following))
    by_position = {row.position: row for row in rows.only("key", "position", "judgment_set")}
    return by_position.get(previous), by_position.get(following)


def keys_at(judgment_set: JudgmentSet, positions: list[int]) -> dict[int, str]:
    """The candidates' keys by position."""
    rows = judgment_set.candidates.filter(position__in=positions)
    return dict(rows.values_list("position", "key"))


def phenomena(judgment_set: JudgmentSet) -> list[tuple[str, int]]:
    """The phenomena of the visible pairs with the number of pairs, sorted by name."""
    counted = _visible_pairs(judgment_set).order_by("phenomenon").values_list("phenomenon")
    return list(counted.annotate(count=Count("pk")))


def verdicts(
    judgment_set: JudgmentSet, run: MetricRun | None, *, phenomenon: str | None = None
) -> list[PairVerdict]:
    """The pairs whose labels the set's viewer may see, with the verdicts of the run's metric.

    Sorted by phenomenon and position. phenomenon: restricts the pairs.
    """
    pairs = _visible_pairs(judgment_set).select_related("instance")
    pairs = pairs.order_by(F("phenomenon"), "position")
    if phenomenon is not None:
        pairs = pairs.filter(phenomenon=phenomenon)
    if run is None:
        return [PairVerdict(pair, None, None, "none") for pair in pairs]
    members = run.score_array[judgment_set.n_candidates :]
    up = metric_of(run).higher_is_better
    return [
        _verdict(pair, members[2 * pair.position], members[2 * pair.position + 1], up)
        for pair in pairs
    ]


def _visible_pairs(judgment_set: JudgmentSet) -> QuerySet[MinimalPair]:
    masked = np.flatnonzero(hidden.viewer_masks(judgment_set).pairs)
    pairs: QuerySet[MinimalPair] = judgment_set.pairs.all()
    return pairs.exclude(position__in=masked.tolist()) if len(masked) else pairs


def _verdict(pair: MinimalPair, first: float, second: float, up: bool) -> PairVerdict:
    score1, score2 = number_or_none(first), number_or_none(second)
    if score1 is None or score2 is None:
        return PairVerdict(pair, score1, score2, "none")
    if score1 == score2:
        return PairVerdict(pair, score1, score2, "tie")
    lead = score1 - score2 if up else score2 - score1
    return PairVerdict(pair, score1, score2, "right" if lead > 0 else "wrong", lead)


def _share_below(values: NDArray[np.float64], position: int) -> float | None:
    """The share of the finite values below the one at `position`; equal values count half."""
    finite = values[np.isfinite(values)]
    value = values[position]
    if not np.isfinite(value) or len(finite) < 2:
        return None
    below, equal = np.count_nonzero(finite < value), np.count_nonzero(finite == value)
    return float((below + 0.5 * (equal - 1)) / (len(finite) - 1))
