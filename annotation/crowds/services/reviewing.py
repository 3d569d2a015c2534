"""Approving and rejecting submissions and paying bonuses: checks, then outbox entries.

A rejection takes a worker's pay and harms their account, so it needs a person, a reason and a
message. Disagreement with other raters is not a reason: exclude such ratings in the ledger, which
does not affect pay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Avg, OuterRef, QuerySet, Subquery

from annotation.crowds.inputs import FEEDBACK, GROUNDS
from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.crowds.providers import money
from annotation.crowds.services.call_handlers import LISTING_RANK
from annotation.crowds.services.ordering import check_budget
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.rating.models import Rating
from annotation.rating.services.participation import earned_cents
from concord.bounds import described, find_bound
from concord.protocols import Protocol
from core import audit
from core.refusals import RefusedError

Status = CrowdAssignment.Status
Ground = Literal["not done", "not read", "not own", "disagreement"]
OVERRIDE_DAYS = 30


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """Which submissions are approved automatically.

    They are complete: all ratings, or the tasks of a session, were submitted here, and the code is
    right. They have no problem, and took at least `min_seconds` per rating on average. Where times
    are unknown, as without JavaScript, a person decides, unless `min_seconds` is 0.
    """

    min_seconds: float = field(
        default=0,
        metadata=described(
            find_bound(Protocol, "quality.min_seconds_per_rating"),
            "Minimum seconds per rating",
            "The least average time per rating.",
        ),
    )


def to_review(publication: Publication) -> QuerySet[CrowdAssignment]:
    """Submissions without a decision, and with no decision in the outbox."""
    pending = CrowdCall.objects.filter(
        publication=publication,
        kind__in=("approve", "reject"),
        status__in=(CrowdCall.Status.WAITING, CrowdCall.Status.STARTED),
    )
    return (
        CrowdAssignment.objects.filter(publication=publication, status=Status.SUBMITTED)
        .exclude(pk__in=pending.values("crowd_assignment"))
        .select_related("participation__worker", "assignment", "listing__hit")
        .order_by("submitted_at", "pk")
    )


def approvable(publication: Publication, rule: ApprovalRule) -> QuerySet[CrowdAssignment]:
    """The undecided submissions that the rule approves."""
    submissions = to_review(publication).filter(problem="")
    if provider_of(publication).listing_per_hit:
        submissions = submissions.filter(assignment__status__in=("submitted", "surplus"))
        ratings = Rating.objects.filter(assignment=OuterRef("assignment"))
    else:
        submissions = submissions.filter(rated_at__isnull=False)
        ratings = Rating.objects.filter(
            assignment__hit__stage=publication.stage_id,
            worker=OuterRef("participation__worker"),
        )
    if rule.min_seconds > 0:
        means = ratings.order_by().values("worker").annotate(mean=Avg("seconds")).values("mean")
        submissions = submissions.alias(pace=Subquery(means)).filter(pace__gte=rule.min_seconds)
    return submissions


def approve_by_rule(
    publication: Publication, rule: ApprovalRule, *, by: User | None, at: datetime
) -> int:
    """Queue the approval of every submission that the rule approves; returns how many."""
    with transaction.atomic():
        calls = [_approve(one, "", by, at) for one in approvable(publication, rule)]
        about = {"approvals": len(calls), "fewest_seconds": rule.min_seconds}
        study = publication.stage.study
        audit.record(by, "crowd.approved by rule", publication, after=about, study=study)
    return len(calls)


def approve(
    crowd: CrowdAssignment, *, feedback: str = "", by: User | None, at: datetime
) -> CrowdCall:
    """Queue an approval; of a rejected submission, the reversal. Raises RefusedError."""
    with transaction.atomic():
        crowd = _lock(crowd)
        if crowd.status == Status.REJECTED:
            decided_at = crowd.decided_at or at
            if at - decided_at > timedelta(days=OVERRIDE_DAYS):
                raise RefusedError(
                    f"A rejection can be undone within {OVERRIDE_DAYS} days; this one is older. "
                    "Pay the worker a bonus instead.",
                    "study-refused",
                )
        elif crowd.status != Status.SUBMITTED:
            raise RefusedError(_not_submitted(crowd), "study-refused")
        _record(crowd, "approved", {}, by)
        return _approve(crowd, feedback.strip(), by, at)


def reject(
    crowd: CrowdAssignment, ground: str, feedback: str, *, by: User, at: datetime
) -> CrowdCall:
    """Queue a rejection.

    Raises RefusedError without a reason or a message, and for disagreement unless the
    offer allows it.
    """
    feedback = feedback.strip()
    if ground not in GROUNDS:
        raise RefusedError("Choose a reason for the rejection.", "study-refused")
    if not feedback:
        raise RefusedError("Write a message to the worker: a rejection needs one.", "study-refused")
    if len(feedback) > FEEDBACK.max_chars:
        raise RefusedError(
            f"The message may have at most {FEEDBACK.max_chars:,} characters.", "study-refused"
        )
    publication = crowd.publication
    if ground == "disagreement" and not offer_of(publication).reject_for_disagreement:
        raise RefusedError(
            "Disagreement with other raters is not a reason to withhold pay. Approve the "
            "submission, "
            "and exclude its ratings in the ledger if they are noise.",
            "study-refused",
        )
    provider = provider_of(publication)
    if len(feedback) < provider.min_rejection_chars:
        raise RefusedError(
            f"{provider.title} requires a message of at least {provider.min_rejection_chars} "
            f"characters; this one has {len(feedback)}.",
            "study-refused",
        )
    with transaction.atomic():
        crowd = _lock(crowd)
        if crowd.status != Status.SUBMITTED:
            raise RefusedError(_not_submitted(crowd), "study-refused")
        payload: dict[str, object] = {"feedback": feedback, "ground": ground}
        _record(crowd, "rejected", {"ground": ground}, by)
        return _enqueue(crowd, "reject", payload, 0, by, at)


def bonus(crowd: CrowdAssignment, cents: int, reason: str, *, by: User, at: datetime) -> CrowdCall:
    """Queue a bonus.

    Raises RefusedError beyond the budget, without a reason, and for a bonus with the same
    amount and reason as an earlier one, because the two could not be distinguished.
    """
    reason = reason.strip()
    if cents <= 0:
        raise RefusedError("A bonus must be at least one cent.", "study-refused")
    if not reason:
        raise RefusedError("Write a reason: the worker reads it with the bonus.", "study-refused")
    with transaction.atomic():
        publication = (
            Publication.objects.select_for_update(of=("self",))
            .select_related("stage__study")
            .get(pk=crowd.publication_id)
        )
        crowd = _lock(crowd)
        if crowd.status not in (Status.SUBMITTED, Status.APPROVED, Status.REJECTED):
            raise RefusedError(_not_submitted(crowd), "study-refused")
        digest = hashlib.sha256(f"{cents} {reason}".encode()).hexdigest()[:16]
        key = f"{publication.uid}-bonus-{crowd.pk}-{digest}"
        if (earlier := CrowdCall.objects.filter(key=key).first()) is not None:
            raise RefusedError(
                f"A bonus with this amount and reason {_bonus_state(earlier)} To pay another one, "
                "change the reason.",
                "study-refused",
            )
        provider = provider_of(publication)
        earlier = _earlier_bonus(crowd, cents)
        if provider.tells_bonuses_apart_by_amount and earlier is not None:
            raise RefusedError(
                f"{provider.title} tells the bonuses of a submission apart by their amounts only, "
                f"and one of ${money.dollars(cents)} {_bonus_state(earlier)} To pay another one, "
                "choose a slightly different amount.",
                "study-refused",
            )
        total = provider.price(cents, offer_of(publication))
        check_budget(publication, total)
        payload = {"cents": cents, "reason": reason}
        _record(crowd, "given a bonus", {"cents": cents}, by)
        return _enqueue(crowd, "bonus", payload, total, by, at, key=key)


def _earlier_bonus(crowd: CrowdAssignment, cents: int) -> CrowdCall | None:
    calls = CrowdCall.objects.filter(crowd_assignment=crowd, kind="bonus", payload__cents=cents)
    return calls.exclude(status=CrowdCall.Status.CANCELLED).first()


def _bonus_state(call: CrowdCall) -> str:
    """What became of an ordered bonus, as the end of a sentence."""
    match call.status:
        case CrowdCall.Status.DONE:
            return "was paid already."
        case CrowdCall.Status.FAILED:
            return "was refused by the platform and not paid. Retry on the page Crowd pays it."
        case CrowdCall.Status.CANCELLED:
            return "was cancelled and not paid."
        case _:
            return "is queued already."


def underpaid(publication: Publication) -> list[tuple[CrowdAssignment, int]]:
    """On platforms with sessions: workers whose tasks are worth more than the reward, and by how
    much."""
    if provider_of(publication).listing_per_hit:
        return []
    rows = CrowdAssignment.objects.filter(publication=publication, status=Status.APPROVED)
    result = []
    for crowd in rows.select_related("participation__worker", "listing", "publication"):
        paid = sum(crowd.payments.values_list("cents", flat=True))
        debt = earned_cents(crowd.participation) - paid
        if debt > 0:
            result.append((crowd, debt))
    return result


def set_budget(publication: Publication, cents: int | None) -> None:
    """Change the most that the publication may cost; None for no limit."""
    with transaction.atomic():
        row = Publication.objects.select_for_update(of=("self",)).get(pk=publication.pk)
        before, row.budget_cents = row.budget_cents, cents
        row.save(update_fields=["budget_cents"])
        audit.record(
            None,
            "crowd.budget changed",
            publication,
            {"budget_cents": before},
            {"budget_cents": cents},
            study=publication.stage.study,
        )


def _record(
    crowd: CrowdAssignment, action: str, after: Mapping[str, object], by: User | None
) -> None:
    study = crowd.publication.stage.study
    audit.record(by, f"work.{action}", crowd, after=after, study=study)


def _approve(crowd: CrowdAssignment, feedback: str, by: User | None, at: datetime) -> CrowdCall:
    override = crowd.status == Status.REJECTED
    payload = {"feedback": feedback, "override": override}
    # The reward was committed when the place was requested: this commits nothing more.
    return _enqueue(crowd, "approve", payload, 0, by, at)


def _enqueue(
    crowd: CrowdAssignment,
    kind: str,
    payload: dict[str, object],
    cents: int,
    by: User | None,
    at: datetime,
    *,
    key: str = "",
) -> CrowdCall:
    number = CrowdCall.objects.filter(crowd_assignment=crowd, kind=kind).count()
    pending = CrowdCall.objects.filter(
        crowd_assignment=crowd,
        kind=kind,
        status__in=(CrowdCall.Status.WAITING, CrowdCall.Status.STARTED),
    ).first()
    if pending is not None and kind != "bonus":
        return pending  # queued already, by a repeated click
    call, _ = CrowdCall.objects.get_or_create(
        key=key or f"{crowd.publication.uid}-{kind}-{crowd.pk}-{number}",
        defaults={
            "publication": crowd.publication,
            "kind": kind,
            "rank": LISTING_RANK,
            "payload": payload,
            "listing": crowd.listing,
            "crowd_assignment": crowd,
            "cents": cents,
            "requested_by": by,
            "created_at": at,
        },
    )
    return call


def _lock(crowd: CrowdAssignment) -> CrowdAssignment:
    rows = CrowdAssignment.objects.select_for_update(of=("self",))
    return rows.select_related("publication__stage__study", "listing").get(pk=crowd.pk)


def _not_submitted(crowd: CrowdAssignment) -> str:
    if crowd.status in (Status.APPROVED, Status.REJECTED):
        return f"The submission was {crowd.status} already."
    return "The platform has not reported this submission yet, so it cannot be reviewed."
