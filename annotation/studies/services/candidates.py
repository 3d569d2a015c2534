"""A study's candidates: instances, splits, and what is not asked of people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np
from django.db import transaction
from django.db.models import Max

from annotation.studies.errors import StudyError
from annotation.studies.intake import CandidateInput, PairInput
from annotation.studies.models import Stage, Study, StudyCandidate, StudyInstance
from annotation.studies.services import question_draws, second_references
from concord.formats import InstanceRecord
from concord.protocols import Protocol
from concord.protocols.packing import assign_splits, drop_reason, equals_reference
from core import audit

Use = StudyCandidate.Use
Kind = Stage.Kind


def add_candidates(
    study: Study,
    candidates: Sequence[CandidateInput],
    *,
    use: str = Use.RATED,
    span_based: Iterable[str] = (),
    draw_questions: int | None = None,
) -> dict[str, int]:
    """Take candidates in, all or none; what was taken, shared and left out, in counts.

    Applies the protocol's rules of what is not rated, gives passages a split where the protocol
    has shares and the file none, and lets exact duplicates share ratings. `span_based` names
    constituents whose answers are spans. `draw_questions`: how many questions the study rates in
    all, drawn by its seed; None draws none. Raises StudyError for ids that the study has, for a
    study whose collection began, and for test items without a right value on the scale.
    """
    if not candidates:
        raise StudyError("The file holds no candidates.")
    protocol = study.current.protocol
    if use in (Use.QUALIFICATION, Use.GOLD):
        _check_expected(candidates, protocol)
    with transaction.atomic():
        _lock(study)
        refuse_after_opening(study, use)
        known = {row.key: row for row in study.instances.all()}
        taken, seconds = _with_instances(study, candidates, known, protocol)
        if use == Use.RATED:
            taken += seconds
        _check_ids(study, taken)
        reasons: dict[str, str] = {}
        undrawn: dict[str, str] = {}
        if use == Use.RATED:
            reasons = _drop_reasons(taken, protocol)
            undrawn = question_draws.reasons_not_drawn(study, taken, reasons, draw_questions)
        without_split = {c.instance.key for c in taken if c.key in undrawn}
        instances = _store_instances(
            study, taken, known, set(span_based), protocol, without_split=without_split
        )
        reasons |= undrawn
        counts = _store_candidates(study, taken, instances, reasons, use)
        audit.record(None, "candidates.added", study, after={"use": use, **counts}, study=study)
        return counts


def add_pairs(study: Study, pairs: Sequence[PairInput]) -> int:
    """Take minimal pairs in, to be rated like other candidates but never by one worker together."""
    candidates = []
    for pair in pairs:
        candidates.append(CandidateInput(f"{pair.key}/1", pair.instance, pair.better))
        candidates.append(CandidateInput(f"{pair.key}/2", pair.instance, pair.worse))
    with transaction.atomic():
        _lock(study)
        refuse_after_opening(study, Use.RATED)
        protocol = study.current.protocol
        known = {row.key: row for row in study.instances.all()}
        candidates, _ = _with_instances(study, candidates, known, protocol)
        _check_ids(study, candidates)
        instances = _store_instances(study, candidates, known, set(), protocol)
        position = _next_position(study)
        for number, pair in enumerate(pairs):
            for member, text in ((1, pair.better), (2, pair.worse)):
                StudyCandidate.objects.create(
                    study=study,
                    instance=instances[pair.instance.key],
                    position=position + 2 * number + member - 1,
                    key=f"{pair.key}/{member}",
                    text=text,
                    pair=pair.key,
                    pair_member=member,
                    phenomenon=pair.phenomenon,
                )
        audit.record(None, "pairs.added", study, after={"pairs": len(pairs)}, study=study)
    return len(pairs)


def _with_instances(
    study: Study,
    candidates: Sequence[CandidateInput],
    known: dict[str, StudyInstance],
    protocol: Protocol,
) -> tuple[list[CandidateInput], list[CandidateInput]]:
    """The candidates with the instances that the study has or will store, and besides them the
    second references to be rated.

    Raises StudyError for an instance whose texts differ within the file, or from the study's.
    """
    given: dict[str, InstanceRecord] = {}
    for candidate in candidates:
        instance = candidate.instance
        if given.setdefault(instance.key, instance) != instance:
            raise _other_texts(candidate)
    seconds = second_references.far_second_references(
        given.values(), protocol.drop.second_reference_below
    )
    taken = []
    for candidate in candidates:
        key = candidate.instance.key
        instance = seconds[key].instance if key in seconds else candidate.instance
        if key in known and not _is_same(known[key], instance):
            instance = candidate.instance
            if not _is_same(known[key], instance):
                raise _other_texts(candidate)
        taken.append(replace(candidate, instance=instance))
    return taken, second_references.not_yet_rated(study, known, seconds)


def _other_texts(candidate: CandidateInput) -> StudyError:
    return StudyError(
        f"'{candidate.key}': its instance '{candidate.instance.key}' has other texts."
    )


def _store_instances(
    study: Study,
    candidates: Sequence[CandidateInput],
    known: dict[str, StudyInstance],
    span_based: set[str],
    protocol: Protocol,
    *,
    without_split: Collection[str] = (),
) -> dict[str, StudyInstance]:
    """The study's instances by key, with those that are new.

    The passages of instances `without_split` take no share of the splits.
    """
    given = {candidate.instance.key: candidate.instance for candidate in candidates}
    fresh = [instance for key, instance in given.items() if key not in known]
    splits = _splits(study, [i for i in fresh if i.key not in without_split], protocol)
    made = StudyInstance.objects.bulk_create(
        StudyInstance(
            study=study,
            key=i.key,
            passage=i.passage,
            passage_key=_cluster(i),
            question=i.question,
            references=list(i.references),
            short_answer=i.short_answer,
            constituent=i.constituent,
            split=i.split or splits.get(_cluster(i), ""),
            category=i.category,
            span_based=i.constituent in span_based,
        )
        for i in fresh
    )
    return known | {instance.key: instance for instance in made}


def _splits(study: Study, fresh: Sequence[InstanceRecord], protocol: Protocol) -> dict[str, str]:
    """Splits by passage for instances that came without one; a passage keeps the one it has."""
    if not protocol.split_shares:
        return {}
    settled = dict(study.instances.exclude(split="").values_list("passage_key", "split"))
    settled |= {_cluster(i): i.split for i in fresh if i.split}
    open_clusters = {_cluster(i) for i in fresh} - set(settled)
    rng = np.random.default_rng([study.seed, 0])
    return assign_splits(open_clusters, protocol.split_shares, rng) | settled


def _store_candidates(
    study: Study,
    candidates: Sequence[CandidateInput],
    instances: dict[str, StudyInstance],
    reasons: dict[str, str],
    use: str,
) -> dict[str, int]:
    position = _next_position(study)
    rows = []
    for at, candidate in enumerate(candidates):
        reason = reasons.get(candidate.key, "")
        rows.append(
            StudyCandidate(
                study=study,
                instance=instances[candidate.instance.key],
                position=position + at,
                key=candidate.key,
                text=candidate.text,
                system=candidate.system,
                use=Use.DROPPED if reason else use,
                drop_reason=reason,
                expected=None if candidate.expected is None else round(candidate.expected),
            )
        )
    made = StudyCandidate.objects.bulk_create(rows, batch_size=2000)
    shared = _share_duplicates(study) if use == Use.RATED else 0
    counts: dict[str, int] = defaultdict(int)
    for row in made:
        counts[row.drop_reason or "taken"] += 1
    return {**counts, "sharing another's ratings": shared}


def _share_duplicates(study: Study) -> int:
    """Point exact duplicates (same instance, same text) to the first of them."""
    first: dict[tuple[int, str], StudyCandidate] = {}
    copies = []
    for candidate in study.candidates.filter(use=Use.RATED, pair="").order_by("position"):
        original = first.setdefault((candidate.instance_id, candidate.text), candidate)
        if original is not candidate and candidate.same_as_id is None:
            candidate.same_as = original
            copies.append(candidate)
    StudyCandidate.objects.bulk_update(copies, ["same_as"], batch_size=2000)
    return len(copies)


def _drop_reasons(candidates: Sequence[CandidateInput], protocol: Protocol) -> dict[str, str]:
    rules = protocol.drop
    reasons = {}
    given_away = {
        c.instance.key
        for c in candidates
        if rules.question_when_equal and equals_reference(c.text, c.instance.references)
    }
    for candidate in candidates:
        instance = candidate.instance
        reason = drop_reason(candidate.text, instance.references, rules, instance.constituent)
        if instance.key in given_away:
            reason = "a system gave the reference word for word"
        if reason:
            reasons[candidate.key] = reason
    return reasons


def _check_ids(study: Study, candidates: Sequence[CandidateInput]) -> None:
    keys = [c.key for c in candidates]
    taken = study.candidates.filter(key__in=keys).values_list("key", flat=True)[:20]
    if taken:
        raise StudyError(f"The study has these ids already: {', '.join(taken)}.")
    if len(set(keys)) != len(keys):
        raise StudyError("An id stands twice in the file.")


def _check_expected(candidates: Sequence[CandidateInput], protocol: Protocol) -> None:
    off = [
        c.key
        for c in candidates
        if c.expected is None or not protocol.low <= c.expected <= protocol.high
    ]
    if off:
        raise StudyError(
            f"Test and gold items need a right value (the file's score) from {protocol.low} to "
            f"{protocol.high}; these have none: {', '.join(off[:20])}."
        )


def _lock(study: Study) -> None:
    """Uploads come one after the other, and before or after the opening of a stage."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def refuse_after_opening(study: Study, use: str) -> None:
    """Raises StudyError where a stage that would rate candidates of this use was opened."""
    kinds = [Kind.QUALIFICATION] if use == Use.QUALIFICATION else [Kind.TRIAL, Kind.FULL]
    if study.stages.filter(kind__in=kinds).exclude(status=Stage.Status.PLANNED).exists():
        raise StudyError("Collection has begun: make a new study for more candidates.")


def _next_position(study: Study) -> int:
    last = study.candidates.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _cluster(instance: InstanceRecord) -> str:
    text = instance.passage or f"instance {instance.key}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _is_same(stored: StudyInstance, given: InstanceRecord) -> bool:
    return (stored.passage, stored.question, tuple(stored.references)) == (
        given.passage,
        given.question,
        given.references,
    )
