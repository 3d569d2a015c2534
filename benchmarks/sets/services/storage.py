"""Writing judgment records to the database by COPY, and loading them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from weakref import WeakValueDictionary

from django.db.models import QuerySet
from psycopg.types.json import Jsonb

from benchmarks.sets.models import (
    Candidate,
    CandidateSampling,
    Instance,
    JudgmentSet,
    MinimalPair,
    Rating,
)
from benchmarks.sets.services import criteria_storage, judged_pairs
from benchmarks.sets.services.copying import BLOCK, RowValues, by_position, copy_rows, new_ids
from concord.formats import passage_key
from concord.formats.records import (
    CandidateRecord,
    InstanceRecord,
    PairRecord,
    RatingRecord,
    SamplingRecord,
)


def store(
    judgment_set: JudgmentSet,
    candidates: Sequence[CandidateRecord],
    pairs: Sequence[PairRecord],
    judged: Sequence[PairRecord],
) -> None:
    """Write all rows of a new set. Call it in the transaction that creates the set."""
    instances = {c.instance.key: c.instance for c in candidates}
    for pair in pairs:
        instances.setdefault(pair.instance.key, pair.instance)
    ids = dict(zip(instances, new_ids(Instance, len(instances)), strict=True))
    copy_rows(
        Instance,
        (_instance_row(ids[key], judgment_set.pk, row) for key, row in instances.items()),
    )
    candidate_ids = new_ids(Candidate, len(candidates))
    copy_rows(
        Candidate,
        (
            (pk, judgment_set.pk, ids[c.instance.key], position, c.key, c.text, c.system, c.score)
            for position, (pk, c) in enumerate(zip(candidate_ids, candidates, strict=True))
        ),
    )
    _store_ratings(candidate_ids, candidates)
    criteria_storage.store(judgment_set, candidate_ids, candidates)
    _store_sampling(candidate_ids, candidates)
    _store_pairs(judgment_set, pairs, ids)
    keys = (candidate.key for candidate in candidates)
    judged_pairs.store(judgment_set, dict(zip(keys, candidate_ids, strict=True)), judged)


def _store_ratings(candidate_ids: list[int], candidates: Sequence[CandidateRecord]) -> None:
    rating_ids = iter(new_ids(Rating, sum(len(c.ratings) for c in candidates)))
    copy_rows(
        Rating,
        (
            (next(rating_ids), pk, position, r.worker, r.group, r.value, r.simulated)
            for pk, candidate in zip(candidate_ids, candidates, strict=True)
            for position, r in enumerate(candidate.ratings)
        ),
    )


def _store_sampling(candidate_ids: list[int], candidates: Sequence[CandidateRecord]) -> None:
    rows = [
        (pk, candidate.sampling)
        for pk, candidate in zip(candidate_ids, candidates, strict=True)
        if candidate.sampling is not None
    ]
    copy_rows(
        CandidateSampling,
        (
            (row_pk, pk, record.unit, list(record.probabilities), record.drawn)
            for row_pk, (pk, record) in zip(
                new_ids(CandidateSampling, len(rows)), rows, strict=True
            )
        ),
    )


def _store_pairs(
    judgment_set: JudgmentSet, pairs: Sequence[PairRecord], instance_ids: dict[str, int]
) -> None:
    pair_ids = new_ids(MinimalPair, len(pairs))
    copy_rows(
        MinimalPair,
        (
            (
                pk,
                judgment_set.pk,
                instance_ids[pair.instance.key],
                position,
                pair.key,
                pair.candidate1,
                pair.score1,
                pair.candidate2,
                pair.score2,
                pair.phenomenon,
            )
            for position, (pk, pair) in enumerate(zip(pair_ids, pairs, strict=True))
        ),
    )


def load_candidates(judgment_set: JudgmentSet) -> Iterator[CandidateRecord]:
    """The set's candidates by position, with their ratings; a block at a time is in memory.

    Candidates of one instance share its record while the caller has a reference to it.
    """
    ratings = by_position(_rating_rows(judgment_set))
    criteria = criteria_storage.reader(judgment_set)
    rows = judgment_set.candidates.order_by("position").values_list(
        "position",
        "instance_id",
        "key",
        "text",
        "system",
        "gold",
        "sampling__unit",
        "sampling__probabilities",
        "sampling__drawn",
    )
    shared: WeakValueDictionary[int, InstanceRecord] = WeakValueDictionary()
    stream = rows.iterator(chunk_size=BLOCK)
    while block := list(islice(stream, BLOCK)):
        keys = {row[1] for row in block}
        instances = {pk: record for pk in keys if (record := shared.get(pk)) is not None}
        missing = judgment_set.instances.filter(pk__in=keys - instances.keys())
        instances |= _load_instances(missing)
        shared.update(instances)
        for position, instance_id, key, text, system, gold, unit, probabilities, drawn in block:
            own_criteria, marks = criteria(position)
            sampling = None if unit is None else SamplingRecord(unit, tuple(probabilities), drawn)
            yield CandidateRecord(
                key,
                instances[instance_id],
                text,
                system,
                gold,
                tuple(RatingRecord(*row) for row in ratings(position)),
                own_criteria,
                marks,
                sampling,
            )


def load_pairs(judgment_set: JudgmentSet) -> Iterator[PairRecord]:
    """The set's minimal pairs by position."""
    instances = _load_instances(judgment_set.instances.all())
    for pair in judgment_set.pairs.order_by("position").iterator():
        yield PairRecord(
            pair.key,
            instances[pair.instance_id],
            pair.candidate1,
            pair.score1,
            pair.candidate2,
            pair.score2,
            pair.phenomenon,
        )


def _instance_row(pk: int, set_pk: int, instance: InstanceRecord) -> RowValues:
    cluster = passage_key(instance.passage or f"instance {instance.key}")
    return (
        pk,
        instance.key,
        instance.passage,
        cluster,
        instance.question,
        list(instance.references),
        instance.short_answer,
        instance.constituent,
        instance.split,
        instance.category,
        None if instance.conversation is None else Jsonb(instance.conversation),
        set_pk,
    )


def _load_instances(instances: QuerySet[Instance]) -> dict[int, InstanceRecord]:
    fields = ("key", "references", "passage", "question", "constituent", "split", "category")
    rows = instances.values_list("pk", *fields, "short_answer", "conversation")
    return {
        pk: InstanceRecord(key, tuple(references), *rest)
        for pk, key, references, *rest in rows.iterator(chunk_size=BLOCK)
    }


def _rating_rows(judgment_set: JudgmentSet) -> Iterator[RowValues]:
    rows = Rating.objects.filter(candidate__judgment_set=judgment_set)
    return (
        rows.order_by("candidate__position", "position")
        .values_list("candidate__position", "worker", "value", "group", "simulated")
        .iterator(chunk_size=BLOCK)
    )
