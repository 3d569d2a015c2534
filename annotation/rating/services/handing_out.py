"""Assigning HITs, saving ratings, submitting: the transactions of the rating page.

Invariants under concurrency: no worker rates a candidate twice or sees both members of a pair; no
HIT gets more counted submissions than wanted; a HIT whose assignment expired or was returned can be
assigned again; no saved rating is lost.

The row of the HIT is the lock that matters. Assigning skips rows that others have locked, so that
workers do not wait for each other while there are enough HITs. Locks are taken in one order:
participation, HITs by key, assignment, rating.
"""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.expressions import CombinedExpression
from django.utils.translation import gettext, ngettext

from annotation.rating.models import (
    Assignment,
    Hit,
    HitCandidate,
    Participation,
    Rating,
    RatingDraft,
    Worker,
)
from annotation.rating.services.changes import locked
from annotation.rating.services.rating_checks import Answer
from annotation.studies.models import ProtocolVersion, Stage, StudyCandidate
from core.compiled_queries import CompiledQuery, CompiledUpdate, Parameter, any_of, insert
from core.deadlocks import retry_after_deadlock
from core.refusals import RefusedError

Status = Assignment.Status
MAX_COUNTED_TASKS = 100
_EVER = datetime.min.replace(tzinfo=UTC)


@retry_after_deadlock
def hand_out(worker: Worker, stage: Stage, *, at: datetime) -> Assignment | None:
    """Assign `worker` a HIT of `stage`: the one in progress or a free one; None if there is none.

    Expired assignments are released first. A HIT that expired for the worker comes before a new
    one, with the ratings already made; a HIT they returned comes last. A HIT that another request
    has locked is waited for. One short transaction.
    """
    release_expired(stage, at=at)
    with transaction.atomic():
        version = stage.study.current
        if not _may_work(worker, stage, version):
            return None
        own = _unsubmitted(worker, stage)
        return (
            next(iter(own[Status.HELD]), None)
            or _resume_hit(own[Status.EXPIRED], at)
            or _assign_new_hit(worker, _lock_free_hit(worker, stage), version, at)
            or _resume_hit(own[Status.RETURNED], at)
        )


@retry_after_deadlock
def hand_out_hit(worker: Worker, hit: Hit, *, at: datetime) -> Assignment | None:
    """Assign `worker` this HIT, as a crowd platform did; None if that is not possible.

    It is not possible if the HIT has no open slot, if the worker submitted it, or if they had one
    of its candidates or the other member of a pair before. Unlike `hand_out` it allows several HITs
    in progress, as platforms do.
    """
    stage = hit.stage
    release_expired(stage, at=at)
    with transaction.atomic():
        version = stage.study.current
        if not _may_work(worker, stage, version):
            return None
        own = _unsubmitted(worker, stage, hit)
        free = _free_hits(worker, stage).filter(pk=hit.pk)
        return (
            next(iter(own[Status.HELD]), None)
            or _resume_hit(own[Status.EXPIRED] or own[Status.RETURNED], at)
            or _assign_new_hit(worker, _lock_first(free), version, at)
        )


@retry_after_deadlock
def hand_out_similar(worker: Worker, hit: Hit, *, at: datetime) -> Assignment | None:
    """Assign `worker` another HIT with the same pay; None if there is none."""
    with transaction.atomic():
        version = hit.stage.study.current
        if not _may_work(worker, hit.stage, version):
            return None
        similar = _free_hits(worker, hit.stage).filter(pay_cents=hit.pay_cents)
        return _assign_new_hit(worker, _lock_first(similar), version, at)


def release_expired(stage: Stage, *, at: datetime) -> int:
    """Release the HITs of assignments whose leases have expired; returns how many."""
    hits = {one.hit_id for one in _lapsed.rows(stage=stage.pk, at=at)}
    if not hits:
        return 0
    with transaction.atomic():
        _lock(hits)
        # Read again: another request may have released or submitted some in the meantime.
        # Under the locks they no longer change.
        lapsed = _lapsed.rows(stage=stage.pk, at=at)
        expired = {one.pk: one.hit_id for one in lapsed if one.hit_id in hits}
        Assignment.objects.filter(pk__in=expired).update(status=Status.EXPIRED)
        for hit, count in Counter(expired.values()).items():
            Hit.objects.filter(pk=hit).update(open_slots=F("open_slots") + count)
    return len(expired)


@CompiledQuery
def _lapsed() -> QuerySet[Assignment]:
    """The assignments of a stage whose leases have expired."""
    rows = Assignment.objects.filter(hit__stage=Parameter("stage"), status=Status.HELD)
    return rows.filter(lease_until__lte=Parameter("at"))


def return_hit(assignment: Assignment) -> bool:
    """Return a HIT, which frees its slot. False if it was no longer in progress."""
    with transaction.atomic():
        _lock({assignment.hit_id})
        assignments = Assignment.objects.filter(pk=assignment.pk, status=Status.HELD)
        if not assignments.update(status=Status.RETURNED):
            return False
        Hit.objects.filter(pk=assignment.hit_id).update(open_slots=F("open_slots") + 1)
    return True


def save_rating(
    assignment: Assignment, candidate_id: int, rating: Answer, *, at: datetime
) -> Rating:
    """Save a rating made at `at`, as `LockedTask.save_rating` does."""
    return save_ratings(assignment, {candidate_id: rating}, at=at)[0]


def save_ratings(
    assignment: Assignment, ratings: Mapping[int, Answer], *, at: datetime
) -> list[Rating]:
    """`save_rating` for several candidates, all or none."""
    with locked(assignment.pk, assignment.worker_id) as task:
        return [task.save_rating(pk, rating, at=at) for pk, rating in ratings.items()]


def submit(assignment: Assignment, *, at: datetime) -> Assignment:
    """Submit a HIT whose candidates are all rated. Repeated calls have no effect.

    A submission after the lease counts if its HIT still needs one; otherwise it is stored and paid
    as surplus. Raises RefusedError while ratings are missing, and for a task that was
    returned.
    """
    with transaction.atomic():
        current = _submitted.get(pk=assignment.pk)
        if current.status in (Status.SUBMITTED, Status.SURPLUS):
            return current
        if current.status == Status.RETURNED:
            raise RefusedError(
                gettext("This task was returned. Request a new one."), "rating-refused"
            )
        missing = count_unrated(current)
        if missing:
            raise RefusedError(
                ngettext(
                    "%(count)s answer of this task is not rated yet.",
                    "%(count)s answers of this task are not rated yet.",
                    missing,
                )
                % {"count": missing},
                "rating-refused",
            )
        if current.status == Status.HELD:
            current.status = Status.SUBMITTED
        elif current.hit.open_slots > 0:
            current.status = Status.SUBMITTED
            _take_slot.run(hit=current.hit_id)
        else:
            current.status = Status.SURPLUS
        current.submitted_at = at
        _mark_submitted.run(pk=current.pk, status=current.status, at=at)
    return current


@CompiledUpdate
def _mark_submitted() -> tuple[QuerySet[Assignment], dict[str, Parameter]]:
    values = {"status": Parameter("status"), "submitted_at": Parameter("at")}
    return Assignment.objects.filter(pk=Parameter("pk")), values


@CompiledUpdate
def _take_slot() -> tuple[QuerySet[Hit], dict[str, CombinedExpression]]:
    return Hit.objects.filter(pk=Parameter("hit")), {"open_slots": F("open_slots") - 1}


@CompiledQuery
def _submitted() -> QuerySet[Assignment]:
    """An assignment with its HIT, which is locked first: PostgreSQL locks in this order."""
    rows = Assignment.objects.select_related("hit").filter(pk=Parameter("pk"))
    return rows.select_for_update(of=("hit", "self"))


def count_unrated(assignment: Assignment) -> int:
    """How many of the assignment's candidates its worker has not rated yet, or not finished."""
    begun_at = assignment.retried_at or _EVER
    return len(_unrated.rows(assignment=assignment.pk, hit=assignment.hit_id, begun_at=begun_at))


@CompiledQuery
def _unrated() -> QuerySet[HitCandidate, int]:
    """The candidates of a HIT without a finished rating since `begun_at`."""
    of_candidate = {"assignment": Parameter("assignment"), "candidate": OuterRef("candidate")}
    rated = Rating.objects.filter(**of_candidate, updated_at__gte=Parameter("begun_at"))
    draft = RatingDraft.objects.filter(**of_candidate)
    members = HitCandidate.objects.filter(hit=Parameter("hit")).order_by()
    return members.filter(~Exists(rated) | Exists(draft)).values_list("candidate", flat=True)


def has_task_left(worker: Worker, stage: Stage) -> bool:
    """Whether the worker could be assigned another HIT of an open stage."""
    if _first_free(_open_hit, worker, stage) is not None:
        return True
    return _resumable_hit.first(worker=worker.pk, stage=stage.pk) is not None


def tasks_left(worker: Worker, stage: Stage) -> int:
    """How many HITs of an open stage the worker could be assigned, up to MAX_COUNTED_TASKS.

    The HIT in progress is not counted. Counting further would take time without being useful.
    """
    new, resumable = _free_hits(worker, stage).order_by(), _resumable_hits(worker, stage)
    return sum(hits[:MAX_COUNTED_TASKS].count() for hits in (new, resumable))


def hits_nobody_may_take(stage: Stage, hits: Collection[int]) -> set[int]:
    """Those of these HITs with open slots that no admitted worker may be assigned."""
    untakeable = set(hits)
    version = stage.study.current
    present = _present(stage.study_id).filter(worker__erased_at=None)
    for participant in present.select_related("worker").order_by("pk").iterator():
        if not untakeable:
            break
        if not _is_admitted(participant, stage, version):
            continue
        for among in (_free_hits, _resumable_hits):
            takeable = among(participant.worker, stage).filter(pk__in=untakeable)
            untakeable -= set(takeable.values_list("pk", flat=True))
    return untakeable


def _may_work(worker: Worker, stage: Stage, version: ProtocolVersion) -> bool:
    """Whether the worker may get a HIT of the stage.

    Locks the worker's participation, so that requests of one worker run one after another, and the
    worker, whom an erasure locks until it commits.
    """
    if not stage.hands_out:
        return False
    participant = _participation_to_lock.first(study=stage.study_id, worker=worker.pk)
    return participant is not None and _is_admitted(participant, stage, version)


def _is_admitted(participant: Participation, stage: Stage, version: ProtocolVersion) -> bool:
    """Whether one of those present in the study may work in the stage."""
    if stage.kind == Stage.Kind.QUALIFICATION:
        return participant.qualified == Participation.Qualified.NOT_YET
    if version.protocol.qualification is not None:
        return participant.qualified == Participation.Qualified.PASSED
    return True


def _present(study: int | Parameter) -> QuerySet[Participation]:
    """The participations of those who neither left nor were excluded, of erased workers as well."""
    return Participation.objects.filter(study=study, excluded_at=None, withdrawn_at=None)


@CompiledQuery
def _participation_to_lock() -> QuerySet[Participation]:
    rows = _present(Parameter("study")).filter(worker=Parameter("worker"), worker__erased_at=None)
    # The keys of both stay free for ratings, which refer to the worker.
    return rows.select_related("worker").select_for_update(of=("self", "worker"), no_key=True)


def _unsubmitted(
    worker: Worker, stage: Stage, hit: Hit | None = None
) -> defaultdict[str, list[Assignment]]:
    """The worker's assignments in the stage, or of the HIT, that are not submitted, by status."""
    by_status = defaultdict(list)
    for assignment in _unsubmitted_assignments.rows(worker=worker.pk, stage=stage.pk):
        if hit is None or assignment.hit_id == hit.pk:
            by_status[assignment.status].append(assignment)
    return by_status


@CompiledQuery
def _unsubmitted_assignments() -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(worker=Parameter("worker"), hit__stage=Parameter("stage"))
    return rows.exclude(status__in=(Status.SUBMITTED, Status.SURPLUS))


def _resume_hit(assignments: list[Assignment], at: datetime) -> Assignment | None:
    """Resume one of a worker's assignments that expired or were returned, if its HIT still has an
    open slot."""
    if not assignments:
        return None
    hits = Hit.objects.filter(pk__in=[one.hit_id for one in assignments], open_slots__gt=0)
    hit = _lock_first(hits.order_by("index"))
    if hit is None:
        return None
    # Read again under the lock: the worker's other tab may have submitted it in the meantime.
    rows = Assignment.objects.filter(pk__in=[one.pk for one in assignments], hit=hit)
    assignment = (
        rows.filter(status__in=(Status.EXPIRED, Status.RETURNED))
        .select_related("protocol_version")
        .first()
    )
    if assignment is None:
        return None
    _take_slot.run(hit=hit.pk)
    assignment.status = Status.HELD
    assignment.lease_until = at + _lease(assignment.protocol_version)
    assignment.save(update_fields=["status", "lease_until"])
    return assignment


def _assign_new_hit(
    worker: Worker, hit: Hit | None, version: ProtocolVersion, at: datetime
) -> Assignment | None:
    """Assign a locked HIT, if there is one, that the worker has not had before."""
    if hit is None:
        return None
    _take_slot.run(hit=hit.pk)
    assignment = Assignment(
        hit=hit,
        worker=worker,
        protocol_version=version,
        seed=secrets.randbits(62),
        lease_until=at + _lease(version),
        started_at=at,
        pay_cents=hit.pay_cents,
    )
    insert(assignment)
    return assignment


def _lock_free_hit(worker: Worker, stage: Stage) -> Hit | None:
    """Lock and return the first of `_free_hits`, as `_lock_first` does."""
    hit = _first_free(_open_hit_to_lock, worker, stage)
    return hit or _lock_first(_free_hits(worker, stage))


def _first_free(open_hit: CompiledQuery[Hit], worker: Worker, stage: Stage) -> Hit | None:
    """The first of `_free_hits` that `open_hit` finds: `_open_hit`, or `_open_hit_to_lock`.

    Nearly always it is the first open HIT that the worker has not had. Only otherwise all those
    are looked up that the worker may not have.
    """
    had = _hits_of_worker.rows(worker=worker.pk)
    hit = open_hit.first(stage=stage.pk, barred=had)
    if hit is None or _is_free(hit, had, stage):
        return hit
    return open_hit.first(stage=stage.pk, barred=_related(had, stage))


def _lock_first(hits: QuerySet[Hit]) -> Hit | None:
    """Lock and return the first of `hits` that nobody else has locked; None if there is none.

    If others have locked all of them, wait for the first that is still one of `hits` when it is
    released (the qualification test is a single HIT for everybody). PostgreSQL keeps the lock on a
    row that no longer matches, so two waiting requests can deadlock: see `retry_after_deadlock`.
    """
    for skip_locked in (True, False):
        hit = hits.select_for_update(skip_locked=skip_locked, of=("self",)).first()
        if hit is not None:
            return hit
    return None


def _lock(hits: Collection[int]) -> None:
    """Lock HITs in the order of their keys, so that two requests cannot deadlock."""
    list(Hit.objects.select_for_update().filter(pk__in=hits).order_by("pk").values_list("pk"))


def _lease(version: ProtocolVersion) -> timedelta:
    return timedelta(minutes=version.protocol.time_limit_minutes)


def _free_hits(worker: Worker, stage: Stage) -> QuerySet[Hit]:
    """HITs with an open slot that the worker may have.

    The worker has not had the HIT, has not rated one of its candidates before (for example in
    another stage), and has not had the other member of a pair.
    """
    had = _hits_of_worker.rows(worker=worker.pk)
    return _open_hits(stage.pk).exclude(pk__in=_related(had, stage))


def _open_hits(stage: int | Parameter) -> QuerySet[Hit]:
    """The HITs of a stage with an open slot, in the order in which they are assigned."""
    return Hit.objects.filter(stage=stage, open_slots__gt=0).order_by("-open_slots", "index")


def _is_free(hit: Hit, had: list[int], stage: Stage) -> bool:
    """Whether an open HIT is one of `_free_hits` of a worker who had these HITs."""
    return not had or set(had).isdisjoint(_related([hit.pk], stage))


def _related(hits: list[int], stage: Stage) -> list[int]:
    """The HITs with a candidate of one of these HITs, or with its pair's other member.

    In steps, because one query over all these tables takes minutes where PostgreSQL has no
    statistics of them yet: it then compares every row with every other.
    """
    if not hits:
        return []
    members = _candidates_of_hits.rows(hits=hits)
    candidates = [candidate for candidate, _ in members]
    if pairs := list({pair for _, pair in members if pair}):
        candidates += _members_of_pairs.rows(study=stage.study_id, pairs=pairs)
    return _hits_with_candidates.rows(candidates=candidates)


@CompiledQuery
def _hits_of_worker() -> QuerySet[Assignment, int]:
    rows = Assignment.objects.filter(worker=Parameter("worker"))
    return rows.order_by().values_list("hit", flat=True)


@CompiledQuery
def _candidates_of_hits() -> QuerySet[HitCandidate, tuple[int, str]]:
    rows = HitCandidate.objects.filter(any_of("hit", "hits"))
    return rows.order_by().values_list("candidate", "candidate__pair")


@CompiledQuery
def _members_of_pairs() -> QuerySet[StudyCandidate, int]:
    rows = StudyCandidate.objects.filter(any_of("pair", "pairs"), study=Parameter("study"))
    return rows.order_by().values_list("pk", flat=True)


@CompiledQuery
def _hits_with_candidates() -> QuerySet[HitCandidate, int]:
    rows = HitCandidate.objects.filter(any_of("candidate", "candidates"))
    return rows.order_by().values_list("hit", flat=True)


@CompiledQuery
def _open_hit() -> QuerySet[Hit]:
    return _open_hits(Parameter("stage")).exclude(any_of("pk", "barred"))[:1]


@CompiledQuery
def _open_hit_to_lock() -> QuerySet[Hit]:
    hits = _open_hits(Parameter("stage")).exclude(any_of("pk", "barred"))
    return hits.select_for_update(skip_locked=True, of=("self",))[:1]


def _resumable_hits(worker: Worker, stage: Stage) -> QuerySet[Hit]:
    """HITs with an open slot that expired for the worker, or that they returned."""
    return _resumable(worker.pk, stage.pk)


def _resumable(worker: int | Parameter, stage: int | Parameter) -> QuerySet[Hit]:
    return Hit.objects.filter(
        stage=stage,
        open_slots__gt=0,
        assignments__worker=worker,
        assignments__status__in=(Status.EXPIRED, Status.RETURNED),
    ).order_by()


@CompiledQuery
def _resumable_hit() -> QuerySet[Hit]:
    return _resumable(Parameter("worker"), Parameter("stage"))[:1]
