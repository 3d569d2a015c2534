"""Add items to a study: instances, splits, exclusions, duplicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice

import numpy as np
from django.db import transaction
from django.db.models import Count, Max

from annotation.studies.intake import Item
from annotation.studies.models import Stage, Study, StudyCandidate, StudyInstance
from annotation.studies.services import (
    checks,
    comparisons,
    question_rules,
    second_references,
    units,
)
from concord.formats import InstanceRecord
from concord.protocols import Protocol
from concord.protocols.keys import Key
from concord.protocols.packing import assign_splits, drop_reason
from core import audit
from core.refusals import RefusedError

Use = StudyCandidate.Use
Kind = Stage.Kind
# The use of minimal pairs: their candidates are rated, and no worker rates both.
PAIRS = "pairs"
TOO_LATE = "Collection has begun. Create a new study for more candidates."
PAIRS_TOO_LATE = (
    "Collection has begun. Minimal pairs that are written now are collected by a study of their "
    "own, for the set that this one is frozen to."
)


def add_items(
    study: Study,
    items: Sequence[Item],
    use: str = Use.RATED,
    *,
    span_based: Iterable[str] = (),
    draw_questions: int | None = None,
) -> dict[str, int]:
    """Add all items or none. Returns how many were added, excluded or share ratings.

    `use`: one of StudyCandidate.Use, or PAIRS for minimal pairs, which are rated like single
    candidates, but no worker rates both answers. Test items and hidden checks are of the kind that
    the protocol rates: candidates, pairs or sets.

    Excludes candidates to rate by the rules of the protocol; those about questions hold for all
    uploads together, so that candidates of earlier ones may be excluded or drawn now
    (`question_rules`). Assigns passages without a split to the protocol's splits. Exact duplicates
    share ratings. `span_based` names constituents whose answers are spans. `draw_questions` is the
    number of questions to rate in the whole study, drawn with the study's seed; None keeps all
    questions. Raises RefusedError if the study has one of the ids, if collection has begun or a
    sampling rule is set, for minimal pairs where the protocol compares candidates, and for test
    items whose correct answers do not fit the protocol.
    """
    if not items:
        raise RefusedError("The file contains no candidates.", "study-refused")
    protocol = study.current.protocol
    keys = checks.item_keys(items, protocol) if use in checks.USES else {}
    with transaction.atomic():
        lock_study(study)
        check_may_add(study, use)
        if use == PAIRS and protocol.compares:
            raise RefusedError(comparisons.SINGLE_ONLY, "study-refused")
        stored = {row.key: row for row in study.instances.all()}
        if use == PAIRS and study.for_set:
            items = [_on_stored_instance(item, stored) for item in items]
        items, seconds = _resolve_instances(study, items, stored, protocol)
        if use == Use.RATED:
            items += seconds
        _check_ids(study, items)
        records = {item.instance.key: item.instance for item in items}
        instances = _store_instances(study, records.values(), stored, set(span_based))
        created = _store_items(study, items, instances, use, keys)
        if use == Use.RATED:
            counts = _apply_rules(study, created, draw_questions)
        else:
            counts = {"pairs taken" if use == PAIRS else "taken": len(items)}
        assign_missing_splits(study)
        if use == Use.RATED and protocol.compares:
            counts[f"{protocol.unit}s to compare"] = comparisons.refresh(study)
        action = "pairs.added" if use == PAIRS else "candidates.added"
        audit.record(None, action, study, after={"use": use, **counts}, study=study)
        return counts


def add_instances(
    study: Study, instances: Iterable[InstanceRecord], span_based: Iterable[str] = ()
) -> int:
    """Add instances without candidates, with their splits, for pairs that are written later.

    `span_based` names constituents whose answers are spans. Returns how many.
    """
    records = {instance.key: instance for instance in instances}
    return len(_store_instances(study, records.values(), {}, set(span_based)))


def _on_stored_instance(item: Item, stored: Mapping[str, StudyInstance]) -> Item:
    """The item on the stored instance with the same texts, whatever its key, if there is one."""
    instance = item.instance
    same = stored.get(instance.key)
    if same is None:
        equal = (row for row in stored.values() if _has_same_texts(row, instance))
        same = next(equal, None)
    if same is None or not _has_same_texts(same, instance):
        return item
    return replace(item, instance=InstanceRecord.from_row(same))


def _resolve_instances(
    study: Study,
    items: Sequence[Item],
    stored: dict[str, StudyInstance],
    protocol: Protocol,
) -> tuple[list[Item], list[Item]]:
    """The items with the instances to store, and the second references to rate.

    Raises RefusedError if two items of one instance have different texts, in the file or in the
    study.
    """
    file_instances: dict[str, InstanceRecord] = {}
    for item in items:
        if file_instances.setdefault(item.instance.key, item.instance) != item.instance:
            raise _different_texts(item)
    seconds = second_references.far_second_references(
        file_instances.values(), protocol.drop.second_reference_below
    )
    resolved = []
    for item in items:
        key = item.instance.key
        instance = seconds[key].instance if key in seconds else item.instance
        if key in stored and not _has_same_texts(stored[key], instance):
            instance = item.instance
            if not _has_same_texts(stored[key], instance):
                raise _different_texts(item)
        resolved.append(replace(item, instance=instance))
    return resolved, second_references.not_yet_rated(study, stored, seconds)


def _different_texts(item: Item) -> RefusedError:
    key = item.instance.key
    return RefusedError(
        f"Candidate '{item.key}': the instance '{key}' exists with a different passage, "
        "question, conversation or references. Use another id for the instance.",
        "study-refused",
    )


def _store_instances(
    study: Study,
    instances: Iterable[InstanceRecord],
    stored: dict[str, StudyInstance],
    span_based: set[str],
) -> dict[str, StudyInstance]:
    """Store new instances. Returns all instances of the study by key."""
    created = StudyInstance.objects.bulk_create(
        StudyInstance(
            study=study,
            key=i.key,
            passage=i.passage,
            passage_key=_cluster(i),
            question=i.question,
            references=list(i.references),
            short_answer=i.short_answer,
            constituent=i.constituent,
            split=i.split,
            category=i.category,
            span_based=i.constituent in span_based,
            conversation=i.conversation,
        )
        for i in instances
        if i.key not in stored
    )
    return stored | {instance.key: instance for instance in created}


def assign_missing_splits(study: Study) -> None:
    """Give each passage without a split one of the protocol's, but those that were not drawn.

    All instances of a passage have one split. Where the study is for a set, only the splits of the
    set are given.
    """
    shares = study.current.protocol.split_shares
    if not shares and not study.for_set:
        return
    undrawn = study.candidates.filter(drop_reason__startswith=question_rules.NOT_DRAWN)
    rows = study.instances.filter(split="").exclude(pk__in=undrawn.values("instance"))
    known = dict(study.instances.exclude(split="").values_list("passage_key", "split"))
    passages = set(rows.values_list("passage_key", flat=True))
    splits = known
    if not study.for_set:
        rng = np.random.default_rng([study.seed, 0])
        splits |= assign_splits(passages - set(known), shares, rng)
    by_split: dict[str, list[str]] = defaultdict(list)
    for passage in passages & set(splits):
        by_split[splits[passage]].append(passage)
    for split, members in by_split.items():
        rows.filter(passage_key__in=members).update(split=split)


def _store_items(
    study: Study,
    items: Sequence[Item],
    instances: Mapping[str, StudyInstance],
    use: str,
    keys: Mapping[str, Key],
) -> list[StudyCandidate]:
    """Store the candidates of the items; of pairs and sets with correct answers the units, too."""
    protocol = study.current.protocol
    key_fields = {key: checks.key_fields(protocol, one) for key, one in keys.items()}
    rows: list[StudyCandidate] = []
    for item in items:
        for at, (key, part) in enumerate(zip(_keys_of(item), item.parts, strict=True), start=1):
            row = StudyCandidate(
                study=study,
                instance=instances[item.instance.key],
                key=key,
                text=part.text,
                system=part.system,
            )
            if use == PAIRS:
                row.pair, row.pair_member, row.phenomenon = item.key, at, item.phenomenon
            elif len(item.parts) > 1:
                row.use = Use.COMPARED
            else:
                row.drop_reason = _drop_reason(item, protocol) if use == Use.RATED else ""
                row.use = Use.DROPPED if row.drop_reason else use
                for name, value in key_fields.get(item.key, {}).items():
                    setattr(row, name, value)
            rows.append(row)
    for position, row in enumerate(rows, start=next_position(study)):
        row.position = position
    created = StudyCandidate.objects.bulk_create(rows, batch_size=2000)
    if use in checks.USES and protocol.compares:
        parts = iter(created)
        units.store_units(
            study,
            [list(islice(parts, len(item.parts))) for item in items],
            [{"key": item.key, "use": use, **key_fields[item.key]} for item in items],
        )
    return created


def _keys_of(item: Item) -> list[str]:
    """The ids of an item's candidates."""
    if len(item.parts) == 1:
        return [item.key]
    return [f"{item.key}/{at}" for at in range(1, len(item.parts) + 1)]


def _drop_reason(item: Item, protocol: Protocol) -> str:
    """Why a candidate by itself is not rated; empty if it is."""
    instance = item.instance
    return drop_reason(item.text, instance.references, protocol.drop, instance.constituent)


def _apply_rules(
    study: Study, created: Sequence[StudyCandidate], draw_questions: int | None
) -> dict[str, int]:
    """Apply the rules about questions and duplicates. Returns how many of the created candidates
    are rated, and how many are left out, by reason."""
    earlier = question_rules.apply(study, draw_questions, [row.pk for row in created])
    shared = share_duplicates(study)
    rows = study.candidates.filter(pk__in=[row.pk for row in created]).order_by()
    counts = {
        reason or "taken": n
        for reason, n in rows.values_list("drop_reason").annotate(n=Count("pk"))
    }
    counts["sharing another's ratings"] = shared
    if earlier.left_out:
        counts["of earlier files, left out now"] = earlier.left_out
    if earlier.taken:
        counts["of earlier files, taken now"] = earlier.taken
    return counts


def share_duplicates(study: Study) -> int:
    """Let exact duplicates (same instance, same text) share the ratings of the first of them.

    Returns the number of duplicates.
    """
    first: dict[tuple[int, str], StudyCandidate] = {}
    duplicates = []
    rows = units.single_candidates(study).filter(pair="", parts=None)
    for candidate in rows.order_by("position"):
        original = first.setdefault((candidate.instance_id, candidate.text), candidate)
        if original is not candidate and candidate.same_as_id is None:
            candidate.same_as = original
            duplicates.append(candidate)
    StudyCandidate.objects.bulk_update(duplicates, ["same_as"], batch_size=2000)
    return len(duplicates)


def _check_ids(study: Study, items: Sequence[Item]) -> None:
    keys = [key for item in items for key in _keys_of(item)]
    used = study.candidates.filter(key__in=keys).values_list("key", flat=True)[:20]
    if used:
        raise RefusedError(
            f"The study already has candidates with these ids: {', '.join(used)}.", "study-refused"
        )
    if len(set(keys)) != len(keys):
        raise RefusedError("The file contains an id twice.", "study-refused")


def lock_study(study: Study) -> None:
    """Lock the study: imports and the opening of stages run one at a time."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def has_begun(study: Study, use: str) -> bool:
    """Whether a stage that rates candidates of this use has been opened."""
    kinds = [Kind.QUALIFICATION] if use == Use.QUALIFICATION else [Kind.TRIAL, Kind.FULL]
    return study.stages.filter(kind__in=kinds).exclude(status=Stage.Status.PLANNED).exists()


def check_may_add(study: Study, use: str) -> None:
    """Raises RefusedError if a stage that rates items of this use has been opened, or draws them by
    a sampling rule, which has scores of all candidates; and for single candidates to rate where the
    study collects minimal pairs for a set."""
    if has_begun(study, use):
        raise RefusedError(PAIRS_TOO_LATE if use == PAIRS else TOO_LATE, "study-refused")
    if use == Use.RATED and study.for_set:
        raise RefusedError(
            f"This study collects minimal pairs for the set {study.for_set}. Create a new study "
            "for candidates to rate.",
            "study-refused",
        )
    if use in (Use.RATED, PAIRS) and study.stages.filter(sampling__isnull=False).exists():
        raise RefusedError(
            "The study has a sampling rule, with scores of the candidates so far. Remove the rule "
            "on the page Sampling, add the candidates, and set it again.",
            "study-refused",
        )


def next_position(study: Study) -> int:
    """The position after the study's last candidate."""
    last = study.candidates.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _cluster(instance: InstanceRecord) -> str:
    text = instance.passage or f"instance {instance.key}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _has_same_texts(stored: StudyInstance, record: InstanceRecord) -> bool:
    return (
        stored.passage,
        stored.question,
        tuple(stored.references),
        stored.conversation,
    ) == (record.passage, record.question, record.references, record.conversation)
