"""The content of a frozen study: candidates with gold scores, kept ratings and minimal pairs, or
pairs with kept choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace

from django.db.models import Q

from annotation.quality.models import Adjudication
from annotation.quality.services import ledgers
from annotation.quality.services.choices import ADJUDICATED, judged_pairs
from annotation.quality.services.criteria import CriterionGold, criteria_gold, kept_marks
from annotation.quality.services.gold import (
    CandidateGold,
    KeptRating,
    StudyGold,
    study_gold,
)
from annotation.quality.services.rating_data import (
    Simulation,
    gold_stages,
    simulation,
    usable_ratings,
)
from annotation.stages.services.sampling_waves import sampling_records
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services.units import single_candidates
from concord.documents.set_reports import CHOICES
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    MarksRecord,
    PairRecord,
    RatingRecord,
    SamplingRecord,
)
from concord.protocols.protocol import AGGREGATIONS
from core.refusals import RefusedError

Use = StudyCandidate.Use


def choice_content(
    study: Study, stages: Iterable[str]
) -> tuple[list[CandidateRecord], list[PairRecord], dict[str, int]]:
    """The compared candidates, the pairs with kept choices, and the numbers of those left out.

    An adjudicated pair or set has the choice that a person set only. A candidate has no score. Left
    out are candidates without a kept choice, those that a rule of the protocol drops, and copies of
    another candidate, which were not shown.
    """
    pairs = judged_pairs(study, stages, decided=True)
    judged = {key for pair in pairs for key in pair.candidate_keys}
    left_out: Counter[str] = Counter()
    candidates = []
    instances: dict[int, InstanceRecord] = {}
    compared = single_candidates(study).filter(use=Use.COMPARED)
    is_listed = Q(use=Use.DROPPED) | Q(pk__in=compared.values("pk"))
    rows = study.candidates.filter(is_listed).select_related("instance")
    for row in rows.order_by("position").iterator(chunk_size=2000):
        if row.use == Use.DROPPED:
            left_out[row.drop_reason] += 1
        elif row.same_as_id is not None:
            left_out["the same text as another candidate"] += 1
        elif row.key not in judged:
            left_out["no kept choice"] += 1
        else:
            instance = instances.setdefault(row.instance_id, InstanceRecord.from_row(row.instance))
            candidates.append(CandidateRecord(row.key, instance, row.text, row.system))
    return candidates, pairs, dict(left_out)


NOTHING_RATED = "There is nothing to freeze: no candidate has a kept rating."


class MixedRatingsError(RefusedError):
    """The ledger keeps simulated ratings beside people's."""


@dataclass(frozen=True)
class Frozen:
    """The content of the set that freezing would make.

    left_out: numbers of candidates that are not in the set, by reason. reversed_pairs: key,
    phenomenon and both scores of the pairs whose better member is not rated higher. stages: the
    requested stages. state: that of the ledger and of the adjudicated values before anything was
    read. judged: of a study that compares candidates, the pairs with choices.
    """

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
    state: Hashable
    judged: list[PairRecord] = field(default_factory=list)

    @property
    def only_pairs(self) -> bool:
        """Whether the study has minimal pairs only, which join a set that exists."""
        return not self.candidates

    @property
    def rating_count(self) -> int:
        """The number of ratings in the set, without those of members of minimal pairs; where there
        are only pairs, those of their members."""
        if self.judged or self.only_pairs:
            return self.gold.kept
        return sum(len(candidate.ratings) for candidate in self.candidates)

    @property
    def choice_count(self) -> int:
        """The number of choices between the candidates of pairs; of sets, those implied."""
        return sum(len(pair.choices) for pair in self.judged)


def check(study: Study, aggregation: str, stages: Iterable[str]) -> Simulation:
    """Check what does not need the gold scores; a few queries.

    Choices between candidates are not aggregated, and decisions on them are not used. Raises
    RefusedError for an unknown aggregation, if the ledger keeps simulated ratings beside
    people's, and if nothing is rated or adjudicated.
    """
    compares = study.current.protocol.compares
    if not compares and aggregation not in AGGREGATIONS:
        raise RefusedError(f"There is no aggregation “{aggregation}”.", "freeze-refused")
    origin = simulation(study)
    if origin.mixed:
        origin = ledgers.kept_simulation(study, stages)
    if origin.mixed:
        raise MixedRatingsError(
            f"The ledger keeps {origin.simulated:,} simulated ratings and {origin.real:,} of "
            "people. They cannot be frozen together: exclude the simulated workers.",
            "freeze-refused",
        )
    adjudications = Adjudication.objects.filter(candidate__study=study, criterion="")
    is_adjudicated = not compares and adjudications.exists()
    if not is_adjudicated and not usable_ratings(study, stages).exists():
        raise RefusedError(NOTHING_RATED, "freeze-refused")
    return origin


def prepare(study: Study, aggregation: str, stages: Iterable[str] | None = None) -> Frozen:
    """The content of the set that freezing with these parameters would make; stores nothing.

    Scales, sliders and yes-no criteria are judgments of their own, marked parts are marks. Gold
    scores come from the ratings that the ledger keeps, of `stages` (by default all except a
    trial that does not count). Adjudicated values replace them. A duplicate has the gold score,
    ratings and probabilities of its original. A study that drew what people rate keeps the others
    without a score, so that estimates can weigh the rated ones. A study may have minimal pairs
    only. Of a study that compares candidates, these have no score, and their pairs have the kept
    choices. Raises RefusedError as `check` does, and if no candidate has a gold score or no
    pair a choice.
    """
    stages = gold_stages(study) if stages is None else list(stages)
    state = _state(study)
    origin = check(study, aggregation, stages)
    if study.current.protocol.compares:
        return _prepare_choices(study, stages, origin, state)
    gold = study_gold(study, aggregation, stages)
    on_criteria = criteria_gold(study, aggregation, stages)
    marks = kept_marks(study, stages)
    rows = study.candidates.select_related("instance").order_by("position")
    sampled = sampling_records(study)
    left_out: Counter[str] = Counter()
    candidates: list[CandidateRecord] = []
    members: dict[str, dict[int, StudyCandidate]] = {}
    instances: dict[int, InstanceRecord] = {}
    for row in rows.iterator(chunk_size=2000):
        original = row.same_as_id or row.pk
        if row.use == StudyCandidate.Use.DROPPED:
            left_out[row.drop_reason] += 1
        elif row.use != StudyCandidate.Use.RATED:
            continue
        elif row.pair:
            members.setdefault(row.pair, {})[row.pair_member or 0] = row
        elif (candidate_gold := gold.of(row)).score is None and original not in sampled:
            left_out["no kept rating"] += 1
        else:
            instance = instances.setdefault(row.instance_id, InstanceRecord.from_row(row.instance))
            candidate = _candidate(row, instance, candidate_gold, sampled.get(original))
            candidates.append(
                replace(
                    candidate,
                    criteria=tuple(map(_criterion, on_criteria.get(original, ()))),
                    marks=tuple(
                        MarksRecord(one.worker, one.spans, "", one.simulated)
                        for one in marks.get(original, ())
                    ),
                )
            )
    pairs, reversed_pairs, n_unrated = _pairs(members, gold, instances)
    if not pairs and all(candidate.score is None for candidate in candidates):
        raise RefusedError(NOTHING_RATED, "freeze-refused")
    return Frozen(
        candidates=candidates,
        pairs=pairs,
        left_out=dict(left_out),
        reversed_pairs=reversed_pairs,
        unrated_pairs=n_unrated,
        shared=study.candidates.filter(same_as__isnull=False, use="rated").count(),
        settled=sum(row.settled for row in gold.by_candidate.values()),
        gold=gold,
        is_simulated=bool(origin.simulated),
        stages=tuple(stages),
        state=state,
    )


def _prepare_choices(
    study: Study, stages: list[str], origin: Simulation, state: Hashable
) -> Frozen:
    candidates, judged, left_out = choice_content(study, stages)
    if not judged:
        raise RefusedError(NOTHING_RATED, "freeze-refused")
    gold = study_gold(study, "mean", stages, "nominal")
    return Frozen(
        candidates=candidates,
        pairs=[],
        left_out=left_out,
        reversed_pairs=[],
        unrated_pairs=0,
        shared=0,
        settled=len(
            {
                (pair.instance.key, pair.set_key or pair.key)
                for pair in judged
                for choice in pair.choices
                if choice.worker == ADJUDICATED
            }
        ),
        gold=replace(gold, aggregation=CHOICES, by_candidate={}, clipped=0),
        is_simulated=bool(origin.simulated),
        stages=tuple(stages),
        state=state,
        judged=judged,
    )


def _state(study: Study) -> Hashable:
    """What changes with the ledger and with each adjudicated value. Three queries."""
    adjudications = Adjudication.objects.filter(candidate__study=study).order_by("pk")
    return ledgers.ledger_state(study), tuple(adjudications.values_list("pk", "value"))


def lock_and_refresh(study: Study, frozen: Frozen) -> Frozen:
    """Lock the ledger, and prepare the content again if it or an adjudicated value has changed.

    The lock lasts until the end of the transaction: an exclusion or erasure is either in the
    version, or comes after it. Raises what `prepare` raises.
    """
    ledgers.lock_ledger(study)
    if _state(study) == frozen.state:
        return frozen
    return prepare(study, frozen.gold.aggregation, frozen.stages)


def _candidate(
    row: StudyCandidate,
    instance: InstanceRecord,
    gold: CandidateGold,
    sampling: SamplingRecord | None,
) -> CandidateRecord:
    ratings = _ratings(gold.ratings)
    return CandidateRecord(
        row.key, instance, row.text, row.system, gold.score, ratings, sampling=sampling
    )


def _criterion(gold: CriterionGold) -> CriterionRecord:
    return CriterionRecord(gold.name, gold.scale, gold.score, _ratings(gold.ratings))


def _ratings(ratings: Iterable[KeptRating]) -> tuple[RatingRecord, ...]:
    return tuple(RatingRecord(r.worker, r.value, "", r.simulated) for r in ratings)


def _pairs(
    members: dict[str, dict[int, StudyCandidate]],
    gold: StudyGold,
    instances: dict[int, InstanceRecord],
) -> tuple[list[PairRecord], list[tuple[str, str, float, float]], int]:
    """Pairs whose better member is rated higher (MOCHA, Section 2.5), the reversed pairs, and the
    number of pairs without ratings."""
    pairs: list[PairRecord] = []
    reversed_pairs: list[tuple[str, str, float, float]] = []
    n_unrated = 0
    for key, pair in members.items():
        better, worse = pair[1], pair[2]
        high, low = gold.of(better).score, gold.of(worse).score
        if high is None or low is None:
            n_unrated += 1
        elif high > low:
            instance = instances.setdefault(
                better.instance_id, InstanceRecord.from_row(better.instance)
            )
            pairs.append(
                PairRecord(key, instance, better.text, high, worse.text, low, better.phenomenon)
            )
        else:
            reversed_pairs.append((key, better.phenomenon, high, low))
    return pairs, reversed_pairs, n_unrated
