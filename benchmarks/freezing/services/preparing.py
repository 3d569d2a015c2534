"""What a study would freeze to: candidates with their gold scores, kept ratings, minimal pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from annotation.quality.models import Adjudication
from annotation.quality.services import ledgers
from annotation.quality.services.gold import CandidateGold, StudyGold, study_gold
from annotation.quality.services.rating_data import (
    Simulation,
    gold_stages,
    simulation,
    usable_ratings,
)
from annotation.studies.models import Study, StudyCandidate
from concord.formats.records import CandidateRecord, InstanceRecord, PairRecord, RatingRecord
from concord.protocols.protocol import AGGREGATIONS

NOTHING_RATED = "No candidate has a kept rating yet: there is nothing to freeze."


class FreezeRefusedError(ValueError):
    """The study cannot be frozen as it stands; the message says why and what to do."""


@dataclass(frozen=True)
class Frozen:
    """What a study would freeze to. left_out counts candidates by the reason why they are not in
    the set; reversed_pairs are pairs whose better member is not rated higher, with both scores.
    stages: those that were asked for. ledger_state: as it was before anything was read."""

    candidates: list[CandidateRecord]
    pairs: list[PairRecord]
    left_out: dict[str, int]
    reversed_pairs: list[tuple[str, str, float, float]]
    unrated_pairs: int
    shared: int
    settled: int
    gold: StudyGold
    is_simulated: bool
    stages: tuple[str, ...]
    ledger_state: Hashable

    @property
    def rating_count(self) -> int:
        """Ratings the set would hold; those of minimal pairs' members are not among them."""
        return sum(len(candidate.ratings) for candidate in self.candidates)


def check(study: Study, aggregation: str, stages: Iterable[str]) -> Simulation:
    """Check what is known without the gold scores; a few queries.

    Raises FreezeRefusedError for an unknown aggregation, for simulated ratings beside people's,
    and where nothing is rated or settled.
    """
    if aggregation not in AGGREGATIONS:
        raise FreezeRefusedError(f"There is no aggregation “{aggregation}”.")
    origin = simulation(study)
    if origin.mixed:
        raise FreezeRefusedError(
            f"The study holds {origin.simulated:,} simulated ratings and {origin.real:,} of "
            "people. They cannot be frozen together: collect people's ratings in a study of their "
            "own."
        )
    is_settled = Adjudication.objects.filter(candidate__study=study).exists()
    if not is_settled and not usable_ratings(study, stages).exists():
        raise FreezeRefusedError(NOTHING_RATED)
    return origin


def prepare(study: Study, aggregation: str, stages: Iterable[str] | None = None) -> Frozen:
    """What freezing with these choices would make; writes nothing.

    Gold scores come from the ratings that the ledger keeps, of `stages` (by default of all but
    a trial that does not count), and settled values take their place. A duplicate has its
    original's gold and ratings. Raises FreezeRefusedError for what `check` refuses, and where no
    candidate has a gold score.
    """
    stages = gold_stages(study) if stages is None else list(stages)
    ledger_state = ledgers.ledger_state(study)
    origin = check(study, aggregation, stages)
    gold = study_gold(study, aggregation, stages)
    rows = study.candidates.select_related("instance").order_by("position")
    left_out: Counter[str] = Counter()
    candidates: list[CandidateRecord] = []
    members: dict[str, dict[int, StudyCandidate]] = {}
    instances: dict[int, InstanceRecord] = {}
    for row in rows.iterator(chunk_size=2000):
        if row.use == StudyCandidate.Use.DROPPED:
            left_out[row.drop_reason] += 1
        elif row.use != StudyCandidate.Use.RATED:
            continue
        elif row.pair:
            members.setdefault(row.pair, {})[row.pair_member or 0] = row
        elif (judged := gold.of(row)).score is None:
            left_out["no kept rating"] += 1
        else:
            instance = instances.setdefault(row.instance_id, InstanceRecord.from_row(row.instance))
            candidates.append(_candidate(row, instance, judged))
    pairs, turned, unrated = _pairs(members, gold, instances)
    if not candidates and not pairs:
        raise FreezeRefusedError(NOTHING_RATED)
    if not candidates:
        raise FreezeRefusedError("Only minimal pairs have ratings: a set needs candidates as well.")
    judged_rows = gold.by_candidate.values()
    return Frozen(
        candidates=candidates,
        pairs=pairs,
        left_out=dict(left_out),
        reversed_pairs=turned,
        unrated_pairs=unrated,
        shared=study.candidates.filter(same_as__isnull=False, use="rated").count(),
        settled=sum(one.settled for one in judged_rows),
        gold=gold,
        is_simulated=bool(origin.simulated),
        stages=tuple(stages),
        ledger_state=ledger_state,
    )


def locked(study: Study, frozen: Frozen) -> Frozen:
    """What was prepared, or prepared anew where the ledger has changed meanwhile.

    Locks the ledger until the end of the transaction, so that an exclusion or an erasure comes
    before the version and counts, or after it. Raises what `prepare` raises.
    """
    ledgers.lock_ledger(study)
    if ledgers.ledger_state(study) == frozen.ledger_state:
        return frozen
    return prepare(study, frozen.gold.aggregation, frozen.stages)


def _candidate(
    row: StudyCandidate, instance: InstanceRecord, judged: CandidateGold
) -> CandidateRecord:
    ratings = tuple(RatingRecord(r.worker, r.value, "", r.simulated) for r in judged.ratings)
    return CandidateRecord(row.key, instance, row.text, row.system, judged.score, ratings)


def _pairs(
    members: dict[str, dict[int, StudyCandidate]],
    gold: StudyGold,
    instances: dict[int, InstanceRecord],
) -> tuple[list[PairRecord], list[tuple[str, str, float, float]], int]:
    """Pairs whose better member is rated higher (MOCHA, Section 2.5); the others; the unrated."""
    kept: list[PairRecord] = []
    turned: list[tuple[str, str, float, float]] = []
    unrated = 0
    for key, pair in members.items():
        better, worse = pair[1], pair[2]
        high, low = gold.of(better).score, gold.of(worse).score
        if high is None or low is None:
            unrated += 1
        elif high > low:
            instance = instances.setdefault(
                better.instance_id, InstanceRecord.from_row(better.instance)
            )
            kept.append(
                PairRecord(key, instance, better.text, high, worse.text, low, better.phenomenon)
            )
        else:
            turned.append((key, better.phenomenon, high, low))
    return kept, turned, unrated
