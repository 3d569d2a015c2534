"""Reads behind the pages: sets without their arrays, one candidate's scores, ranks, pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, F, QuerySet
from numpy.typing import NDArray

from benchmarks.errors.services import disagreements
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services.listing import column_names
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import Candidate, JudgmentSet, MinimalPair
from benchmarks.sets.services import frames, hidden

COMPLETE = MetricRun.Status.COMPLETE


@dataclass(frozen=True)
class Standing:
    """A score of one candidate and the share of candidates below it (ties count half), in [0, 1].

    By a metric whose lower scores are better, "below" is "worse" all the same. No score, or
    nothing to compare it with: None.
    """

    run: MetricRun | None
    name: str
    score: float | None
    above: float | None
    higher_is_better: bool = True


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate with its score and the shares of candidates below it, by metric and people."""

    candidate: Candidate
    score: float
    by_metric: float
    by_people: float

    @property
    def difference(self) -> float:
        """Positive where the metric ranks the candidate higher than people do."""
        return self.by_metric - self.by_people


@dataclass(frozen=True)
class Verdict:
    """What a metric says of a minimal pair: "right", "tie", "wrong", or "none" without scores."""

    pair: MinimalPair
    score1: float | None
    score2: float | None
    verdict: str
    lead: float = 0.0
    """How much higher the better candidate's score is; negative where the metric is wrong."""


def standings(judgment_set: JudgmentSet, candidate: Candidate) -> tuple[Standing, list[Standing]]:
    """Where a candidate stands by people, and by each metric that is complete.

    Nothing is known of one whose labels are hidden from the set's viewer.
    """
    if hidden.viewer_masks(judgment_set).candidates[candidate.position]:
        return Standing(None, "people", None, None), []
    gold = frames.frame(judgment_set).gold
    people = Standing(None, "people", candidate.gold, _share_below(gold, candidate.position))
    # The scores of all metrics in one query: they are deferred by default. One run's at a time, for
    # those of all of a large set are hundreds of megabytes.
    complete = visible_runs(judgment_set).filter(status=COMPLETE)
    runs = complete.defer(None).defer("known_scores", "statistics")
    found = []
    for run in runs.order_by("metric", "multi_ref", "pk").iterator(chunk_size=1):
        scores = run.score_array[: judgment_set.n_candidates]
        del run.scores
        up = metric_of(run).higher_is_better
        above = _share_below(scores if up else -scores, candidate.position)
        found.append((run, _number(scores[candidate.position]), above, up))
    names = column_names([run for run, *_ in found])
    return people, [
        Standing(run, name, score, above, up)
        for name, (run, score, above, up) in zip(names, found, strict=True)
    ]


def rank_disagreements(
    run: MetricRun, count: int, *, direction: str = "both", **labels: str
) -> list[RankedCandidate]:
    """The `count` judged candidates with the largest difference in rank, largest first.

    `direction` is "over" (ranked higher by the metric than by people), "under" or "both";
    `labels` restricts the candidates, and the ranks are those among them.
    """
    positions, gold, scores = disagreements.points(run, **labels)
    known = np.isfinite(scores)
    positions, gold, scores = positions[known], gold[known], scores[known]
    turned = scores if metric_of(run).higher_is_better else -scores
    by_metric, by_people = disagreements.shares_below(turned), disagreements.shares_below(gold)
    difference = by_metric - by_people
    size = {"over": difference, "under": -difference, "both": np.abs(difference)}[direction]
    order = np.argsort(-size, kind="stable")[:count]
    order = order[size[order] > 0]
    rows = run.judgment_set.candidates.filter(position__in=positions[order].tolist())
    candidates = {candidate.position: candidate for candidate in rows.with_instance()}
    return [
        RankedCandidate(
            candidates[int(positions[at])],
            float(scores[at]),
            float(by_metric[at]),
            float(by_people[at]),
        )
        for at in order
    ]


def neighbours(
    judgment_set: JudgmentSet, candidate: Candidate
) -> tuple[Candidate | None, Candidate | None]:
    """The candidates before and after this one in the set, where there are such."""
    around = (candidate.position - 1, candidate.position + 1)
    rows = judgment_set.candidates.filter(position__in=around)
    rows = rows.only("key", "position", "judgment_set")
    found = {row.position: row for row in rows}
    return found.get(around[0]), found.get(around[1])


def keys_at(judgment_set: JudgmentSet, positions: list[int]) -> dict[int, str]:
    """The candidates' keys by position."""
    rows = judgment_set.candidates.filter(position__in=positions)
    return dict(rows.values_list("position", "key"))


def phenomena(judgment_set: JudgmentSet) -> list[tuple[str, int]]:
    """Each phenomenon of the pairs that are shown, with their number, in order."""
    counted = _shown_pairs(judgment_set).order_by("phenomenon").values_list("phenomenon")
    return list(counted.annotate(count=Count("pk")))


def verdicts(
    judgment_set: JudgmentSet, run: MetricRun | None, *, phenomenon: str | None = None
) -> list[Verdict]:
    """The pairs whose labels the set's viewer may see, or those of one phenomenon, in order, with
    what the run's metric says."""
    pairs = _shown_pairs(judgment_set).select_related("instance")
    pairs = pairs.order_by(F("phenomenon"), "position")
    if phenomenon is not None:
        pairs = pairs.filter(phenomenon=phenomenon)
    if run is None:
        return [Verdict(pair, None, None, "none") for pair in pairs]
    members = run.score_array[judgment_set.n_candidates :]
    up = metric_of(run).higher_is_better
    return [
        _verdict(pair, members[2 * pair.position], members[2 * pair.position + 1], up)
        for pair in pairs
    ]


def _shown_pairs(judgment_set: JudgmentSet) -> QuerySet[MinimalPair]:
    masked = np.flatnonzero(hidden.viewer_masks(judgment_set).pairs)
    pairs: QuerySet[MinimalPair] = judgment_set.pairs.all()
    return pairs.exclude(position__in=masked.tolist()) if len(masked) else pairs


def _verdict(pair: MinimalPair, first: float, second: float, up: bool) -> Verdict:
    score1, score2 = _number(first), _number(second)
    if score1 is None or score2 is None:
        return Verdict(pair, score1, score2, "none")
    if score1 == score2:
        return Verdict(pair, score1, score2, "tie")
    lead = score1 - score2 if up else score2 - score1
    return Verdict(pair, score1, score2, "right" if lead > 0 else "wrong", lead)


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _share_below(values: NDArray[np.float64], position: int) -> float | None:
    """The share of the finite values below the one at `position`, equal others counting half."""
    known = values[np.isfinite(values)]
    own = values[position]
    if not np.isfinite(own) or len(known) < 2:
        return None
    below, equal = np.count_nonzero(known < own), np.count_nonzero(known == own)
    return float((below + 0.5 * (equal - 1)) / (len(known) - 1))
