"""Gold scores of candidates, computed from the ratings kept by the ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.quality.models import Adjudication
from annotation.quality.services.ledgers import LedgerReport, ledger_report
from annotation.quality.services.rating_data import CollectedRatings, collect_ratings, gold_stages
from annotation.studies.models import Study, StudyCandidate
from concord.aggregation import gold_scores
from concord.protocols import Protocol
from concord.reliability import Level

# The aggregations' names in protocols, and in concord.aggregation.
METHODS = {
    "mean": "mean",
    "median": "median",
    "trimmed": "trimmed-mean",
    "z-mean": "zscore-mean",
    "dawid-skene": "dawid-skene",
    "mace": "mace",
}
DESCRIPTIONS = {
    "mean": "mean",
    "median": "median",
    "trimmed": "mean without the lowest and highest tenth",
    "z-mean": "mean of the workers' z-scores, mapped to the scale",
    "dawid-skene": "Dawid and Skene's model, expected value",
    "mace": "MACE, expected value",
}


@dataclass(frozen=True)
class KeptRating:
    worker: str
    value: float
    simulated: bool


@dataclass(frozen=True)
class CandidateGold:
    """A candidate's gold score and ratings. The score is None without ratings and adjudication."""

    score: float | None
    ratings: tuple[KeptRating, ...] = ()
    settled: bool = False


NO_GOLD = CandidateGold(None)


@dataclass(frozen=True, eq=False)
class StudyGold:
    """Gold scores by candidate id, with the ledger's report.

    kept, removed: numbers of ratings under the ledger. simulated: number of kept ratings that are
    simulated. clipped: number of scores that were outside the scale and set to its ends.
    """

    aggregation: str
    stages: tuple[str, ...]
    by_candidate: dict[int, CandidateGold]
    ledger: LedgerReport
    kept: int
    removed: int
    simulated: int
    raters: int
    clipped: int

    def of(self, candidate: StudyCandidate) -> CandidateGold:
        """The gold score of a candidate, or of the one whose ratings it shares."""
        return self.by_candidate.get(candidate.same_as_id or candidate.pk, NO_GOLD)


def study_gold(
    study: Study,
    aggregation: str,
    stages: Iterable[str] | None = None,
    level: Level = "ordinal",
) -> StudyGold:
    """Aggregate the ratings that the ledger keeps; adjudicated values replace the aggregate.

    `aggregation` is one of `protocols.AGGREGATIONS`. `stages` limits the ratings to these stages,
    by default `gold_stages`.
    """
    data = collect_ratings(study, gold_stages(study) if stages is None else stages)
    report = ledger_report(study, data, level)
    kept_data = data.keep(report.kept)
    protocol = study.current.protocol
    scores = gold_scores(kept_data.ratings, METHODS[aggregation], seed=study.seed % 2**32)
    scores, clipped = _on_scale(scores, protocol)
    ratings = kept_ratings_by_unit(kept_data)
    by_candidate = {
        int(pk): CandidateGold(
            None if np.isnan(scores[unit]) else float(scores[unit]), tuple(ratings[unit])
        )
        for unit, pk in enumerate(data.candidate_ids.tolist())
    }
    _apply_adjudications(study, by_candidate)
    return StudyGold(
        aggregation=aggregation,
        stages=data.stage_kinds,
        by_candidate=by_candidate,
        ledger=report,
        kept=len(kept_data),
        removed=len(data) - len(kept_data),
        simulated=int(kept_data.simulated.sum()),
        raters=len(set(kept_data.ratings.raters.tolist())),
        clipped=clipped,
    )


def kept_ratings_by_unit(data: CollectedRatings) -> dict[int, list[KeptRating]]:
    """The ratings of each unit, by its index; a unit without any has an empty list."""
    ratings: dict[int, list[KeptRating]] = defaultdict(list)
    rows = zip(
        data.ratings.units.tolist(),
        data.ratings.raters.tolist(),
        data.ratings.values.tolist(),
        data.simulated.tolist(),
        strict=True,
    )
    for unit, rater, value, simulated in rows:
        ratings[unit].append(KeptRating(data.ratings.rater_names[rater], value, simulated))
    return ratings


def _on_scale(
    scores: np.ndarray[tuple[int], np.dtype[np.float64]], protocol: Protocol
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], int]:
    inside = np.clip(scores, protocol.low, protocol.high)
    return inside, int(np.count_nonzero(np.abs(inside - scores) > 1e-9))


def adjudicated_values(study: Study, criterion: str = "") -> dict[int, float]:
    """By candidate, the value that a person set for the main question or a criterion."""
    rows = Adjudication.objects.filter(candidate__study=study, criterion=criterion)
    return dict(rows.values_list("candidate_id", "value"))


def _apply_adjudications(study: Study, by_candidate: dict[int, CandidateGold]) -> None:
    for pk, value in adjudicated_values(study).items():
        gold = by_candidate.get(pk, NO_GOLD)
        by_candidate[pk] = CandidateGold(value, gold.ratings, settled=True)
