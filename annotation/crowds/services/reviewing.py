"""Approving, rejecting and rewarding submissions: orders to the outbox, checked first.

A rejection takes a worker's pay and marks their account, so it needs a person, a ground and words
that the worker reads. That others rated otherwise is no ground: exclude such ratings by the
ledger, which touches nobody's pay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Avg, OuterRef, Q, QuerySet, Subquery

from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.crowds.providers import money
from annotation.crowds.providers.offer import FEEDBACK
from annotation.crowds.services.deeds import LISTING_RANK
from annotation.crowds.services.ordering import PublishingRefusedError, check_budget
from annotation.crowds.services.orders import offer_of, provider_of
from annotation.rating.models import Rating
from annotation.rating.services.participation import earned_cents
from concord.bounds import Number, find_bound
from concord.protocols import Protocol
from core import audit

Status = CrowdAssignment.Status
Ground = Literal["not done", "not read", "not own", "disagreement"]
GROUNDS: dict[str, str] = {
    "not done": "ratings are missing, or empty",
    "not read": "rated without reading: hidden checks failed, or far too fast",
    "not own": "another person's work, or a program's",
    "disagreement": "others rated otherwise",
}
SECONDS_BOUND: Number = find_bound(Protocol, "quality.fewest_seconds_a_rating")
OVERRIDE_DAYS = 30
PROLIFIC_LEAST = 100


@dataclass(frozen=True, slots=True)
class Rule:
    """Which submissions are approved without a person's look: those that are complete and have
    no problem, and, where it says so, took so many seconds a rating at least."""

    fewest_seconds: float = 0.0


def waiting(publication: Publication) -> QuerySet[CrowdAssignment]:
    """Submissions that nobody has decided on, with no decision under way."""
    under_way = CrowdCall.objects.filter(
        publication=publication,
        kind__in=("approve", "reject"),
        status__in=(CrowdCall.Status.WAITING, CrowdCall.Status.STARTED),
    )
    return (
        CrowdAssignment.objects.filter(publication=publication, status=Status.SUBMITTED)
        .exclude(pk__in=under_way.values("crowd_assignment"))
        .select_related("participation__worker", "assignment", "listing__hit")
        .order_by("submitted_at", "pk")
    )


def fitting(publication: Publication, rule: Rule) -> QuerySet[CrowdAssignment]:
    """Those of the waiting that the rule approves."""
    found = waiting(publication).filter(problem="")
    if provider_of(publication).listing_per_hit:
        found = found.filter(assignment__status__in=("submitted", "surplus"))
    if rule.fewest_seconds > 0:
        seconds = (
            Rating.objects.filter(assignment=OuterRef("assignment"), seconds__isnull=False)
            .order_by()
            .values("assignment")
            .annotate(mean=Avg("seconds"))
            .values("mean")
        )
        found = found.annotate(pace=Subquery(seconds)).filter(
            Q(pace__gte=rule.fewest_seconds) | Q(pace=None)
        )
    return found


def approve_by_rule(publication: Publication, rule: Rule, *, by: User | None, at: datetime) -> int:
    """Order the approval of everything that the rule fits; how many."""
    with transaction.atomic():
        made = [_approve(one, "", by, at) for one in fitting(publication, rule)]
        about = {"approvals": len(made), "fewest_seconds": rule.fewest_seconds}
        study = publication.stage.study
        audit.record(by, "crowd.approved by rule", publication, after=about, study=study)
    return len(made)


def approve(
    crowd: CrowdAssignment, *, feedback: str = "", by: User | None, at: datetime
) -> CrowdCall:
    """Order one approval; of a rejected one, its override. Raises PublishingRefusedError."""
    with transaction.atomic():
        crowd = _locked(crowd)
        if crowd.status == Status.REJECTED:
            decided = crowd.decided_at or at
            if at - decided > timedelta(days=OVERRIDE_DAYS):
                raise PublishingRefusedError(
                    f"A rejection can be taken back for {OVERRIDE_DAYS} days; this one is older. "
                    "Pay the worker by a bonus."
                )
        elif crowd.status != Status.SUBMITTED:
            raise PublishingRefusedError(_not_submitted(crowd))
        _note(crowd, "approved", {"feedback": feedback.strip()}, by)
        return _approve(crowd, feedback.strip(), by, at)


def reject(
    crowd: CrowdAssignment, ground: str, feedback: str, *, by: User, at: datetime
) -> CrowdCall:
    """Order one rejection. Raises PublishingRefusedError without ground or feedback, and for
    disagreement, unless the offer said beforehand that this would be a reason."""
    feedback = feedback.strip()
    if ground not in GROUNDS:
        raise PublishingRefusedError("Say on which ground it is rejected.")
    if not feedback:
        raise PublishingRefusedError("Tell the worker why: a rejection needs feedback.")
    if len(feedback) > FEEDBACK.max_chars:
        raise PublishingRefusedError(f"Feedback has at most {FEEDBACK.max_chars:,} characters.")
    publication = crowd.publication
    if ground == "disagreement" and not offer_of(publication).reject_for_disagreement:
        raise PublishingRefusedError(
            "Others having rated otherwise is no reason to withhold pay. Approve it, and leave "
            "its ratings out by the ledger if they are noise."
        )
    if publication.provider == "prolific" and len(feedback) < PROLIFIC_LEAST:
        raise PublishingRefusedError(
            f"Prolific wants {PROLIFIC_LEAST} characters of feedback at least; this has "
            f"{len(feedback)}."
        )
    with transaction.atomic():
        crowd = _locked(crowd)
        if crowd.status != Status.SUBMITTED:
            raise PublishingRefusedError(_not_submitted(crowd))
        given: dict[str, object] = {"feedback": feedback, "ground": ground}
        _note(crowd, "rejected", given, by)
        return _order(crowd, "reject", given, 0, by, at)


def bonus(crowd: CrowdAssignment, cents: int, reason: str, *, by: User, at: datetime) -> CrowdCall:
    """Order a bonus. Raises PublishingRefusedError: beyond the budget, without a reason, and for
    one that was given already, word for word (two alike could not be told apart later)."""
    reason = reason.strip()
    if cents <= 0:
        raise PublishingRefusedError("A bonus is one cent at least.")
    if not reason:
        raise PublishingRefusedError("Tell the worker what the bonus is for.")
    with transaction.atomic():
        publication = (
            Publication.objects.select_for_update(of=("self",))
            .select_related("stage__study")
            .get(pk=crowd.publication_id)
        )
        crowd = _locked(crowd)
        if crowd.status not in (Status.SUBMITTED, Status.APPROVED, Status.REJECTED):
            raise PublishingRefusedError(_not_submitted(crowd))
        digest = hashlib.sha256(f"{cents} {reason}".encode()).hexdigest()[:16]
        key = f"{publication.uid}-bonus-{crowd.pk}-{digest}"
        if CrowdCall.objects.filter(key=key).exists():
            raise PublishingRefusedError(
                "This very bonus was given already. If it is another one, word its reason "
                "otherwise."
            )
        provider = provider_of(publication)
        if provider.drafts_bonuses and _given(crowd, cents):
            raise PublishingRefusedError(
                f"{provider.title} tells a submission's bonuses apart by their amounts only, and "
                f"${money.dollars(cents)} was given already. Give a cent more or less."
            )
        total = cents + provider.bonus_fee(cents, offer_of(publication))
        check_budget(publication, total)
        payload = {"cents": cents, "reason": reason}
        _note(crowd, "given a bonus", payload, by)
        return _order(crowd, "bonus", payload, total, by, at, key=key)


def _given(crowd: CrowdAssignment, cents: int) -> bool:
    calls = CrowdCall.objects.filter(crowd_assignment=crowd, kind="bonus", payload__cents=cents)
    return calls.exclude(status=CrowdCall.Status.CANCELLED).exists()


def owed(publication: Publication) -> list[tuple[CrowdAssignment, int]]:
    """Of a platform with sessions: those whose tasks are worth more than the reward, and by how
    much; a bonus makes up for it."""
    if provider_of(publication).listing_per_hit:
        return []
    rows = CrowdAssignment.objects.filter(publication=publication, status=Status.APPROVED)
    found = []
    for crowd in rows.select_related("participation__worker", "listing", "publication"):
        paid = sum(crowd.payments.values_list("cents", flat=True))
        more = earned_cents(crowd.participation) - paid
        if more > 0:
            found.append((crowd, more))
    return found


def set_budget(publication: Publication, cents: int | None) -> None:
    """Change what the publication may cost in all; None: no limit."""
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


def _note(crowd: CrowdAssignment, done: str, after: Mapping[str, object], by: User | None) -> None:
    study = crowd.publication.stage.study
    audit.record(by, f"work.{done}", crowd, after=after, study=study)


def _approve(crowd: CrowdAssignment, feedback: str, by: User | None, at: datetime) -> CrowdCall:
    override = crowd.status == Status.REJECTED
    payload = {"feedback": feedback, "override": override}
    # Its reward was spoken for when the place was asked for: no money is committed anew.
    return _order(crowd, "approve", payload, 0, by, at)


def _order(
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
    last = CrowdCall.objects.filter(
        crowd_assignment=crowd,
        kind=kind,
        status__in=(CrowdCall.Status.WAITING, CrowdCall.Status.STARTED),
    ).first()
    if last is not None and kind != "bonus":
        return last  # ordered already, by a button pressed twice
    made, _ = CrowdCall.objects.get_or_create(
        key=key or f"{crowd.publication.uid}-{kind}-{crowd.pk}-{number}",
        defaults={
            "publication": crowd.publication,
            "kind": kind,
            "rank": LISTING_RANK,
            "payload": payload,
            "listing": crowd.listing,
            "crowd_assignment": crowd,
            "cents": cents,
            "asked_by": by,
            "created_at": at,
        },
    )
    return made


def _locked(crowd: CrowdAssignment) -> CrowdAssignment:
    rows = CrowdAssignment.objects.select_for_update(of=("self",))
    return rows.select_related("publication__stage__study", "listing").get(pk=crowd.pk)


def _not_submitted(crowd: CrowdAssignment) -> str:
    if crowd.status in (Status.APPROVED, Status.REJECTED):
        return f"It was {crowd.status} already."
    return "The platform does not say that it was submitted, so there is nothing to decide yet."
