"""From a study's kept ratings under its ledger to the gold score of every candidate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.quality.models import Adjudication
from annotation.quality.services.collected import collected, gold_stages
from annotation.quality.services.ledgers import LedgerReport, ledger_report
from annotation.studies.models import Study, StudyCandidate
from concord.aggregation import gold_scores
from concord.protocols import Protocol
from concord.reliability import Level

# The protocol's names of aggregations, and the aggregation room's.
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
    "z-mean": "mean of each worker's z-scores, put back on the scale",
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
    """A candidate's gold score, None without a kept rating or a settled value, and its ratings."""

    score: float | None
    ratings: tuple[KeptRating, ...] = ()
    settled: bool = False


NOTHING = CandidateGold(None)


@dataclass(frozen=True, eq=False)
class StudyGold:
    """Gold scores by candidate (its id); `ledger` is the report behind them.

    kept, removed: ratings under the ledger. simulated: how many of the kept are. clipped: scores
    that an aggregation put beyond the scale's ends and that were set to them.
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
        """The gold of a candidate, or of the one whose ratings it shares."""
        return self.by_candidate.get(candidate.same_as_id or candidate.pk, NOTHING)


def study_gold(
    study: Study,
    aggregation: str,
    stages: Iterable[str] | None = None,
    level: Level = "ordinal",
) -> StudyGold:
    """Aggregate the ratings that the ledger keeps; settled values take the aggregate's place.

    `aggregation` is one of `protocols.AGGREGATIONS`; `stages` restricts to ratings of these, by
    default `gold_stages`.
    """
    found = collected(study, gold_stages(study) if stages is None else stages)
    report = ledger_report(study, found, level)
    kept = found.keep(report.kept)
    protocol = study.current.protocol
    scores = gold_scores(kept.ratings, METHODS[aggregation], seed=study.seed % 2**32)
    scores, clipped = _on_scale(scores, protocol)
    ratings: dict[int, list[KeptRating]] = defaultdict(list)
    rows = zip(
        kept.ratings.units.tolist(),
        kept.ratings.raters.tolist(),
        kept.ratings.values.tolist(),
        kept.simulated.tolist(),
        strict=True,
    )
    for unit, rater, value, simulated in rows:
        name = kept.ratings.rater_names[rater]
        ratings[unit].append(KeptRating(name, value, simulated))
    by_candidate = {
        int(pk): CandidateGold(
            None if np.isnan(scores[unit]) else float(scores[unit]), tuple(ratings[unit])
        )
        for unit, pk in enumerate(found.candidate_ids.tolist())
    }
    _settle(study, by_candidate)
    return StudyGold(
        aggregation=aggregation,
        stages=found.stage_kinds,
        by_candidate=by_candidate,
        ledger=report,
        kept=len(kept),
        removed=len(found) - len(kept),
        simulated=int(kept.simulated.sum()),
        raters=len(set(kept.ratings.raters.tolist())),
        clipped=clipped,
    )


def _on_scale(
    scores: np.ndarray[tuple[int], np.dtype[np.float64]], protocol: Protocol
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], int]:
    inside = np.clip(scores, protocol.low, protocol.high)
    return inside, int(np.count_nonzero(np.abs(inside - scores) > 1e-9))


def _settle(study: Study, by_candidate: dict[int, CandidateGold]) -> None:
    rows = Adjudication.objects.filter(candidate__study=study).values_list("candidate_id", "value")
    for pk, value in rows:
        given = by_candidate.get(pk, NOTHING)
        by_candidate[pk] = CandidateGold(value, given.ratings, settled=True)
