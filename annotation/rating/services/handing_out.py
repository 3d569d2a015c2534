"""Handing out HITs, taking ratings, taking submissions: the transactions under the rating page.

Invariants, whatever runs at the same time: no worker rates a candidate twice or sees both members
of a pair; no HIT gets more kept submissions than wanted; a HIT whose hold expired or was given
back can be had again; nothing a worker saved is lost.

The one lock that counts is the HIT's row. Handing out skips rows that others have locked, so that
parallel workers do not wait for each other while there is work enough for all. Locks are taken in
one order: participation, HITs by their key, assignment, rating.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.rating.models import (
    Assignment,
    Hit,
    HitCandidate,
    Participation,
    Rating,
    RatingChange,
    Worker,
)
from annotation.studies.models import ProtocolVersion, Stage
from core.deadlocks import retry_after_deadlock

Status = Assignment.Status
COMMENT_CHARS = 5_000
MOST_COUNTED = 100


class RatingRefusedError(ValueError):
    """A rating or submission that cannot be taken; the message tells the worker what to do."""


@dataclass(frozen=True)
class RatingInput:
    """What a worker gives for one candidate; `value` None means "cannot judge", with a comment."""

    value: int | None
    comment: str = ""
    seconds: float | None = None


@retry_after_deadlock
def hand_out(worker: Worker, stage: Stage, *, at: datetime) -> Assignment | None:
    """Give `worker` a HIT of `stage`: the one held already, or a free one; None when there is none.

    Expired holds give their HITs back first. A HIT whose hold the worker let lapse comes before a
    new one, with what they had rated in it; one they returned comes when nothing else is left.
    None means that nothing can be had now; a HIT that another request only has locked is waited
    for. One short transaction.
    """
    release_expired(stage, at=at)
    with transaction.atomic():
        if not _may_work(worker, stage):
            return None
        mine = Assignment.objects.filter(worker=worker, hit__stage=stage)
        return (
            mine.filter(status=Status.HELD).first()
            or _held_again(worker, stage, Status.EXPIRED, at)
            or _held_anew(worker, stage, at)
            or _held_again(worker, stage, Status.RETURNED, at)
        )


@retry_after_deadlock
def hand_out_this(worker: Worker, hit: Hit, *, at: datetime) -> Assignment | None:
    """Give `worker` this very HIT, as a crowd platform has it; None when they may not have it.

    That is where it has no slot free, where they submitted it, and where they had one of its
    candidates, or the other member of one's pair, before. Unlike `hand_out` it lets a worker hold
    several HITs, as platforms do.
    """
    release_expired(hit.stage, at=at)
    with transaction.atomic():
        if not _may_work(worker, hit.stage):
            return None
        this = Hit.objects.filter(pk=hit.pk)
        return (
            Assignment.objects.filter(worker=worker, hit=hit, status=Status.HELD).first()
            or _held_again(worker, hit.stage, Status.EXPIRED, at, this)
            or _held_again(worker, hit.stage, Status.RETURNED, at, this)
            or _held_anew(worker, hit.stage, at, this)
        )


@retry_after_deadlock
def hand_out_alike(worker: Worker, hit: Hit, *, at: datetime) -> Assignment | None:
    """Give `worker` another HIT of the same pay in this one's place; None when there is none."""
    with transaction.atomic():
        if not _may_work(worker, hit.stage):
            return None
        alike = Hit.objects.filter(stage=hit.stage, pay_cents=hit.pay_cents)
        return _held_anew(worker, hit.stage, at, alike)


def release_expired(stage: Stage, *, at: datetime) -> int:
    """Give back the HITs whose holders' leases have lapsed; how many holds there were."""
    lapsed = Assignment.objects.filter(hit__stage=stage, status=Status.HELD, lease_until__lte=at)
    hits = set(lapsed.values_list("hit_id", flat=True))
    if not hits:
        return 0
    with transaction.atomic():
        _lock(hits)
        # Looked up again: another request may have released or submitted some meanwhile. Under
        # the locks none of them changes any more.
        found = dict(lapsed.filter(hit__in=hits).values_list("pk", "hit_id"))
        Assignment.objects.filter(pk__in=found).update(status=Status.EXPIRED)
        for hit, count in Counter(found.values()).items():
            Hit.objects.filter(pk=hit).update(open_slots=F("open_slots") + count)
    return len(found)


def give_back(assignment: Assignment) -> bool:
    """A worker returns a HIT; its slot is free again. False when it is not held any more."""
    with transaction.atomic():
        _lock({assignment.hit_id})
        held = Assignment.objects.filter(pk=assignment.pk, status=Status.HELD)
        if not held.update(status=Status.RETURNED):
            return False
        Hit.objects.filter(pk=assignment.hit_id).update(open_slots=F("open_slots") + 1)
    return True


def save_rating(
    assignment: Assignment, candidate_id: int, given: RatingInput, *, at: datetime
) -> Rating:
    """Keep a rating as it is made, or change one until the HIT is submitted.

    What was there before a change stays in RatingChange. Ratings of an expired hold are kept too,
    since it may still be submitted. Raises RatingRefusedError for a candidate of another HIT, a
    value off the scale, "cannot judge" without a comment, and after submission.
    """
    _check(assignment, candidate_id, given)
    with transaction.atomic():
        current = Assignment.objects.select_for_update().get(pk=assignment.pk)
        if current.status not in (Status.HELD, Status.EXPIRED):
            raise RatingRefusedError("This task was submitted or returned; it cannot be changed.")
        values = {
            "value": given.value,
            "comment": given.comment,
            "seconds": given.seconds,
            "updated_at": at,
        }
        rating, made = Rating.objects.select_for_update().get_or_create(
            worker_id=current.worker_id,
            candidate_id=candidate_id,
            defaults=values
            | {
                "assignment": current,
                "created_at": at,
                "simulated": current.worker.simulated,
            },
        )
        if not made and (rating.value, rating.comment) != (given.value, given.comment):
            RatingChange.objects.create(
                rating=rating, value=rating.value, comment=rating.comment, at=rating.updated_at
            )
            Rating.objects.filter(pk=rating.pk).update(**values)
            rating.refresh_from_db()
    return rating


def save_ratings(
    assignment: Assignment, given: Mapping[int, RatingInput], *, at: datetime
) -> list[Rating]:
    """`save_rating` for several candidates, all or none."""
    with transaction.atomic():
        return [save_rating(assignment, pk, rating, at=at) for pk, rating in given.items()]


def submit(assignment: Assignment, *, at: datetime) -> Assignment:
    """Submit a HIT whose candidates all have a rating; sending it twice does no more than once.

    A submission after the lease ended counts where its HIT still wants one, and is kept as
    surplus, and paid, where it does not. Raises RatingRefusedError while ratings are missing, and
    for a task that was returned.
    """
    with transaction.atomic():
        hit = Hit.objects.select_for_update().get(pk=assignment.hit_id)
        current = Assignment.objects.select_for_update().get(pk=assignment.pk)
        if current.status in (Status.SUBMITTED, Status.SURPLUS):
            return current
        if current.status == Status.RETURNED:
            raise RatingRefusedError("This task was returned; ask for a new one.")
        missing = unrated(current)
        if missing:
            raise RatingRefusedError(f"{missing} of this task's answers are not rated yet.")
        if current.status == Status.HELD:
            current.status = Status.SUBMITTED
        elif hit.open_slots > 0:
            current.status = Status.SUBMITTED
            Hit.objects.filter(pk=hit.pk).update(open_slots=F("open_slots") - 1)
        else:
            current.status = Status.SURPLUS
        current.submitted_at = at
        current.save(update_fields=["status", "submitted_at"])
    return current


def unrated(assignment: Assignment) -> int:
    """How many of the assignment's candidates have no rating by its worker yet."""
    rated = Rating.objects.filter(candidate=OuterRef("candidate"), worker_id=assignment.worker_id)
    members = HitCandidate.objects.filter(hit_id=assignment.hit_id)
    return members.filter(~Exists(rated)).count()


def tasks_left(worker: Worker, stage: Stage) -> int:
    """How many HITs of an open stage the worker could be handed, besides one held; counted up to
    MOST_COUNTED, beyond which the number helps nobody and costs time."""
    again = Hit.objects.filter(
        stage=stage,
        open_slots__gt=0,
        assignments__worker=worker,
        assignments__status__in=(Status.EXPIRED, Status.RETURNED),
    )
    fresh = _free_hits(worker, stage).order_by()
    return sum(hits[:MOST_COUNTED].count() for hits in (fresh, again.order_by()))


def _may_work(worker: Worker, stage: Stage) -> bool:
    """Whether the stage is open to the worker. Locks the worker's participation, so that two
    requests of one worker come one after the other."""
    if stage.status != Stage.Status.OPEN:
        return False
    taking_part = (
        Participation.objects.select_for_update()
        .filter(study=stage.study_id, worker=worker, excluded_at=None, withdrawn_at=None)
        .first()
    )
    # The worker is read after the lock, which an erasure holds until it has committed.
    if taking_part is None or taking_part.worker.erased_at is not None:
        return False
    if stage.kind == Stage.Kind.QUALIFICATION:
        return taking_part.qualified == Participation.Qualified.NOT_YET
    tested = stage.study.current.protocol.qualification is not None
    return not tested or taking_part.qualified == Participation.Qualified.PASSED


def _held_again(
    worker: Worker,
    stage: Stage,
    status: Assignment.Status,
    at: datetime,
    among: QuerySet[Hit] | None = None,
) -> Assignment | None:
    """A hold of the worker that lapsed or was returned, taken up again where it is still wanted."""
    mine = Assignment.objects.filter(worker=worker, status=status)
    hits = Hit.objects.filter(stage=stage, open_slots__gt=0, pk__in=mine.values("hit"))
    if among is not None:
        hits = hits.filter(pk__in=among.values("pk"))
    hit = _first_locked(hits.order_by("index"))
    if hit is None:
        return None
    # Asked again under the lock: the worker's other tab may have submitted it meanwhile.
    assignment = mine.filter(hit=hit).select_related("protocol_version").first()
    if assignment is None:
        return None
    Hit.objects.filter(pk=hit.pk).update(open_slots=F("open_slots") - 1)
    assignment.status = Status.HELD
    assignment.lease_until = at + _lease(assignment.protocol_version)
    assignment.save(update_fields=["status", "lease_until"])
    return assignment


def _held_anew(
    worker: Worker, stage: Stage, at: datetime, among: QuerySet[Hit] | None = None
) -> Assignment | None:
    """A HIT that the worker has not had before."""
    free = _free_hits(worker, stage)
    if among is not None:
        free = free.filter(pk__in=among.values("pk"))
    hit = _first_locked(free)
    if hit is None:
        return None
    version = stage.study.current
    Hit.objects.filter(pk=hit.pk).update(open_slots=F("open_slots") - 1)
    return Assignment.objects.create(
        hit=hit,
        worker=worker,
        protocol_version=version,
        seed=secrets.randbits(62),
        lease_until=at + _lease(version),
        started_at=at,
        pay_cents=hit.pay_cents,
    )


def _first_locked(hits: QuerySet[Hit]) -> Hit | None:
    """The first of `hits` that nobody else has locked, locked; None when there is none.

    Where others have locked all of them, the first that is still one of `hits` once it is free:
    being looked at is not being gone (the qualification test is a single HIT for everybody).
    PostgreSQL keeps a lock on a HIT that turned out to be taken when it was locked, so that two who
    wait can block each other: `retry_after_deadlock`.
    """
    for skip_locked in (True, False):
        hit = hits.select_for_update(skip_locked=skip_locked, of=("self",)).first()
        if hit is not None:
            return hit
    return None


def _lock(hits: Collection[int]) -> None:
    """Lock HITs, in the order of their keys: two that lock several cannot wait for each other."""
    list(Hit.objects.select_for_update().filter(pk__in=hits).order_by("pk").values_list("pk"))


def _lease(version: ProtocolVersion) -> timedelta:
    return timedelta(minutes=version.protocol.time_limit_minutes)


def _free_hits(worker: Worker, stage: Stage) -> QuerySet[Hit]:
    """HITs with a slot that this worker may have: none seen before, no candidate rated before
    (in another stage, say), and no candidate whose pair's other member the worker has."""
    mine = Assignment.objects.filter(worker=worker, hit__stage__study=stage.study_id)
    seen = HitCandidate.objects.filter(hit__in=mine.values("hit"))
    repeated = HitCandidate.objects.filter(candidate__in=seen.values("candidate"))
    pairs = seen.exclude(candidate__pair="").values("candidate__pair")
    other_members = HitCandidate.objects.filter(
        candidate__study=stage.study_id, candidate__pair__in=pairs
    )
    # Lists of keys to leave out, not a question asked of every HIT: with 4,000 HITs a tenth of
    # the time.
    free = Hit.objects.filter(stage=stage, open_slots__gt=0)
    free = free.exclude(pk__in=repeated.values("hit")).exclude(pk__in=other_members.values("hit"))
    return free.order_by("-open_slots", "index")


def _check(assignment: Assignment, candidate_id: int, given: RatingInput) -> None:
    protocol = assignment.protocol_version.protocol
    member = HitCandidate.objects.filter(hit=assignment.hit_id, candidate=candidate_id)
    if not member.exists():
        raise RatingRefusedError("That answer is not part of this task.")
    if len(given.comment) > COMMENT_CHARS:
        raise RatingRefusedError(f"A comment has at most {COMMENT_CHARS:,} characters.")
    if given.value is None:
        if not given.comment.strip():
            raise RatingRefusedError("Say in a few words why you cannot judge this answer.")
    elif not protocol.low <= given.value <= protocol.high:
        raise RatingRefusedError(f"Choose a value from {protocol.low} to {protocol.high}.")
