"""Add candidates and minimal pairs to a study: instances, splits, exclusions, duplicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice

import numpy as np
from django.db import transaction
from django.db.models import Count, Max

from annotation.studies.errors import StudyError
from annotation.studies.intake import (
    CandidateInput,
    KeyedPairInput,
    KeyedSetInput,
    PairInput,
)
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

Use = StudyCandidate.Use
Kind = Stage.Kind
TOO_LATE = "Collection has begun. Create a new study for more candidates."
PAIRS_TOO_LATE = (
    "Collection has begun. Minimal pairs that are written now are collected by a study of their "
    "own, for the set that this one is frozen to."
)


def add_candidates(
    study: Study,
    candidates: Sequence[CandidateInput],
    *,
    use: str = Use.RATED,
    span_based: Iterable[str] = (),
    draw_questions: int | None = None,
) -> dict[str, int]:
    """Add all candidates or none. Returns how many were added, excluded or share ratings.

    Excludes candidates by the rules of the protocol; those about questions hold for all uploads
    together, so that candidates of earlier ones may be excluded or drawn now (`question_rules`).
    Assigns passages without a split to the protocol's splits. Exact duplicates share ratings.
    `span_based` names constituents whose answers are spans. `draw_questions` is the number of
    questions to rate in the whole study, drawn with the study's seed; None keeps all questions.
    Raises StudyError if the study has one of the ids, if collection has begun or a sampling rule is
    set, and for test items whose correct answers do not fit the protocol.
    """
    if not candidates:
        raise StudyError("The file contains no candidates.")
    protocol = study.current.protocol
    keys = checks.candidate_keys(candidates, protocol) if use in checks.USES else {}
    with transaction.atomic():
        lock_study(study)
        check_may_add(study, use)
        stored = {row.key: row for row in study.instances.all()}
        new, seconds = _resolve_instances(study, candidates, stored, protocol)
        if use == Use.RATED:
            new += seconds
        _check_ids(study, new)
        reasons = _drop_reasons(new, protocol) if use == Use.RATED else {}
        instances = _store_instances(study, _instances_of(new), stored, set(span_based))
        created = _store_candidates(study, new, instances, reasons, use, keys)
        earlier, shared = question_rules.RuleChanges(), 0
        if use == Use.RATED:
            new_keys = [row.pk for row in created]
            earlier = question_rules.apply(study, draw_questions, new_keys)
            shared = share_duplicates(study)
        assign_missing_splits(study)
        counts = _count(study, created) | {"sharing another's ratings": shared}
        if earlier.left_out:
            counts["of earlier files, left out now"] = earlier.left_out
        if earlier.taken:
            counts["of earlier files, taken now"] = earlier.taken
        if use == Use.RATED and protocol.compares:
            counts[f"{protocol.unit}s to compare"] = comparisons.refresh(study)
        audit.record(None, "candidates.added", study, after={"use": use, **counts}, study=study)
        return counts


def add_pairs(study: Study, pairs: Sequence[PairInput]) -> int:
    """Add minimal pairs. They are rated like other candidates, but no worker rates both answers."""
    candidates = []
    for pair in pairs:
        candidates.append(CandidateInput(f"{pair.key}/1", pair.instance, pair.better))
        candidates.append(CandidateInput(f"{pair.key}/2", pair.instance, pair.worse))
    with transaction.atomic():
        lock_study(study)
        check_may_add(study, Use.RATED, is_pairs=True)
        protocol = study.current.protocol
        if protocol.compares:
            raise StudyError(comparisons.SINGLE_ONLY)
        stored = {row.key: row for row in study.instances.all()}
        if study.for_set:
            candidates = [_on_stored_instance(candidate, stored) for candidate in candidates]
        candidates, _ = _resolve_instances(study, candidates, stored, protocol)
        _check_ids(study, candidates)
        instances = _store_instances(study, _instances_of(candidates), stored, set())
        assign_missing_splits(study)
        position = next_position(study)
        for number, pair in enumerate(pairs):
            for member, text in ((1, pair.better), (2, pair.worse)):
                StudyCandidate.objects.create(
                    study=study,
                    instance=instances[candidates[2 * number].instance.key],
                    position=position + 2 * number + member - 1,
                    key=f"{pair.key}/{member}",
                    text=text,
                    pair=pair.key,
                    pair_member=member,
                    phenomenon=pair.phenomenon,
                )
        audit.record(None, "pairs.added", study, after={"pairs": len(pairs)}, study=study)
    return len(pairs)


def add_check_pairs(study: Study, pairs: Sequence[KeyedPairInput], use: str) -> dict[str, int]:
    """Add pairs as test items or hidden checks of a study that compares pairs, all or none.

    Returns how many. Raises StudyError as `add_candidates` does.
    """
    if not pairs:
        raise StudyError("The file contains no pairs.")
    return _add_check_units(study, pairs, checks.pair_keys(pairs, study.current.protocol), use)


def add_check_sets(study: Study, sets: Sequence[KeyedSetInput], use: str) -> dict[str, int]:
    """As `add_check_pairs`, of sets in a study that compares sets."""
    if not sets:
        raise StudyError("The file contains no sets.")
    return _add_check_units(study, sets, checks.set_keys(sets, study.current.protocol), use)


def _add_check_units(
    study: Study,
    checked: Sequence[KeyedPairInput | KeyedSetInput],
    keys: Mapping[str, Key],
    use: str,
) -> dict[str, int]:
    protocol = study.current.protocol
    members = [
        CandidateInput(f"{unit.key}/{at}", unit.instance, text, system, line=unit.line)
        for unit in checked
        for at, (text, system) in enumerate(zip(unit.texts, unit.systems, strict=True), start=1)
    ]
    with transaction.atomic():
        lock_study(study)
        check_may_add(study, use)
        stored = {row.key: row for row in study.instances.all()}
        members, _ = _resolve_instances(study, members, stored, protocol)
        _check_ids(study, members)
        instances = _store_instances(study, _instances_of(members), stored, set())
        assign_missing_splits(study)
        rows = [
            StudyCandidate(
                study=study,
                instance=instances[member.instance.key],
                position=position,
                key=member.key,
                text=member.text,
                system=member.system,
                use=Use.COMPARED,
            )
            for position, member in enumerate(members, start=next_position(study))
        ]
        created = iter(StudyCandidate.objects.bulk_create(rows, batch_size=2000))
        units.store_units(
            study,
            [list(islice(created, len(unit.texts))) for unit in checked],
            [
                {"key": unit.key, "use": use, **checks.key_fields(protocol, keys[unit.key])}
                for unit in checked
            ],
        )
        counts = {"taken": len(checked)}
        audit.record(None, "candidates.added", study, after={"use": use, **counts}, study=study)
    return counts


def add_instances(
    study: Study, instances: Iterable[InstanceRecord], span_based: Iterable[str] = ()
) -> int:
    """Add instances without candidates, with their splits, for pairs that are written later.

    `span_based` names constituents whose answers are spans. Returns how many.
    """
    records = {instance.key: instance for instance in instances}
    return len(_store_instances(study, records.values(), {}, set(span_based)))


def _on_stored_instance(
    candidate: CandidateInput, stored: Mapping[str, StudyInstance]
) -> CandidateInput:
    """The candidate on the stored instance with the same texts, whatever its key, if there is
    one."""
    instance = candidate.instance
    same = stored.get(instance.key)
    if same is None:
        equal = (row for row in stored.values() if _has_same_texts(row, instance))
        same = next(equal, None)
    if same is None or not _has_same_texts(same, instance):
        return candidate
    return replace(candidate, instance=InstanceRecord.from_row(same))


def _resolve_instances(
    study: Study,
    candidates: Sequence[CandidateInput],
    stored: dict[str, StudyInstance],
    protocol: Protocol,
) -> tuple[list[CandidateInput], list[CandidateInput]]:
    """The candidates with the instances to store, and the second references to rate.

    Raises StudyError if two candidates of one instance have different texts, in the file or in the
    study.
    """
    file_instances: dict[str, InstanceRecord] = {}
    for candidate in candidates:
        instance = candidate.instance
        if file_instances.setdefault(instance.key, instance) != instance:
            raise _different_texts(candidate)
    seconds = second_references.far_second_references(
        file_instances.values(), protocol.drop.second_reference_below
    )
    resolved = []
    for candidate in candidates:
        key = candidate.instance.key
        instance = seconds[key].instance if key in seconds else candidate.instance
        if key in stored and not _has_same_texts(stored[key], instance):
            instance = candidate.instance
            if not _has_same_texts(stored[key], instance):
                raise _different_texts(candidate)
        resolved.append(replace(candidate, instance=instance))
    return resolved, second_references.not_yet_rated(study, stored, seconds)


def _different_texts(candidate: CandidateInput) -> StudyError:
    key = candidate.instance.key
    return StudyError(
        f"Candidate '{candidate.key}': the instance '{key}' exists with a different passage, "
        "question, conversation or references. Use another id for the instance."
    )


def _instances_of(candidates: Sequence[CandidateInput]) -> Iterable[InstanceRecord]:
    """Each instance once."""
    return {candidate.instance.key: candidate.instance for candidate in candidates}.values()


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


def _store_candidates(
    study: Study,
    candidates: Sequence[CandidateInput],
    instances: dict[str, StudyInstance],
    reasons: dict[str, str],
    use: str,
    keys: Mapping[str, Key],
) -> list[StudyCandidate]:
    position = next_position(study)
    protocol = study.current.protocol
    rows = []
    for index, candidate in enumerate(candidates):
        reason = reasons.get(candidate.key, "")
        rows.append(
            StudyCandidate(
                study=study,
                instance=instances[candidate.instance.key],
                position=position + index,
                key=candidate.key,
                text=candidate.text,
                system=candidate.system,
                use=Use.DROPPED if reason else use,
                drop_reason=reason,
                **(checks.key_fields(protocol, keys[candidate.key]) if keys else {}),
            )
        )
    return StudyCandidate.objects.bulk_create(rows, batch_size=2000)


def _count(study: Study, created: Sequence[StudyCandidate]) -> dict[str, int]:
    """How many of these candidates are rated, and how many are left out, by reason."""
    rows = study.candidates.filter(
        position__gte=created[0].position, pk__in=[c.pk for c in created]
    )
    return {
        reason or "taken": n
        for reason, n in rows.order_by().values_list("drop_reason").annotate(n=Count("pk"))
    }


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


def _drop_reasons(candidates: Sequence[CandidateInput], protocol: Protocol) -> dict[str, str]:
    """Why candidates by themselves are not rated, by id."""
    reasons = {
        c.key: drop_reason(c.text, c.instance.references, protocol.drop, c.instance.constituent)
        for c in candidates
    }
    return {key: reason for key, reason in reasons.items() if reason}


def _check_ids(study: Study, candidates: Sequence[CandidateInput]) -> None:
    keys = [c.key for c in candidates]
    used = study.candidates.filter(key__in=keys).values_list("key", flat=True)[:20]
    if used:
        raise StudyError(f"The study already has candidates with these ids: {', '.join(used)}.")
    if len(set(keys)) != len(keys):
        raise StudyError("The file contains an id twice.")


def lock_study(study: Study) -> None:
    """Lock the study: imports and the opening of stages run one at a time."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def has_begun(study: Study, use: str) -> bool:
    """Whether a stage that rates candidates of this use has been opened."""
    kinds = [Kind.QUALIFICATION] if use == Use.QUALIFICATION else [Kind.TRIAL, Kind.FULL]
    return study.stages.filter(kind__in=kinds).exclude(status=Stage.Status.PLANNED).exists()


def check_may_add(study: Study, use: str, *, is_pairs: bool = False) -> None:
    """Raises StudyError if a stage that rates candidates of this use has been opened, or draws them
    by a sampling rule, which has scores of all candidates; and for single candidates to rate where
    the study collects minimal pairs for a set."""
    if has_begun(study, use):
        raise StudyError(PAIRS_TOO_LATE if is_pairs else TOO_LATE)
    if use == Use.RATED and study.for_set and not is_pairs:
        raise StudyError(
            f"This study collects minimal pairs for the set {study.for_set}. Create a new study "
            "for candidates to rate."
        )
    if use == Use.RATED and study.stages.filter(sampling__isnull=False).exists():
        raise StudyError(
            "The study has a sampling rule, with scores of the candidates so far. Remove the rule "
            "on the page Sampling, add the candidates, and set it again."
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
