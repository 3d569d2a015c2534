"""The books: what was committed, what was paid, and whether the provider says the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, Sum

from annotation.crowds.models import CrowdAssignment, CrowdCall, Payment, Publication
from annotation.crowds.services.orders import offer_of, provider_of
from annotation.rating.services.participation import earned_cents

Status = CrowdAssignment.Status
SPENDING = (CrowdCall.Status.WAITING, CrowdCall.Status.STARTED, CrowdCall.Status.DONE)


@dataclass(frozen=True)
class Side:
    """One side of the books, in cents; None where the provider does not say."""

    listings: int
    places: int
    approved: int
    rewards: int
    bonuses: int
    fees: int | None

    @property
    def total(self) -> int:
        return self.rewards + self.bonuses + (self.fees or 0)


@dataclass(frozen=True)
class Books:
    """Our side, the provider's when it was last asked, and how our assignments stand."""

    ours: Side
    theirs: Side | None
    committed: int
    states: dict[str, int]

    @property
    def balance(self) -> bool:
        """Whether both sides say the same, to the cent."""
        if self.theirs is None:
            return False
        fees = self.theirs.fees if self.theirs.fees is not None else self.ours.fees
        return self.ours == Side(**{**vars(self.theirs), "fees": fees})


def books(publication: Publication) -> Books:
    """Both sides as they are known here; asks nobody."""
    rows = CrowdAssignment.objects.filter(publication=publication)
    states = dict(rows.order_by().values_list("status").annotate(n=Count("pk")))
    listed = publication.listings.exclude(provider_id="").aggregate(
        n=Count("pk"), places=Sum("places")
    )
    paid = Payment.objects.filter(crowd_assignment__publication=publication).aggregate(
        rewards=Sum("cents", filter=Q(kind=Payment.Kind.REWARD)),
        bonuses=Sum("cents", filter=Q(kind=Payment.Kind.BONUS)),
        fees=Sum("fee_cents"),
    )
    ours = Side(
        listings=listed["n"],
        places=listed["places"] or 0,
        approved=states.get(Status.APPROVED, 0),
        rewards=paid["rewards"] or 0,
        bonuses=paid["bonuses"] or 0,
        fees=paid["fees"] or 0,
    )
    audit = publication.audit
    theirs = Side(**{k: v for k, v in audit.items() if k != "at"}) if audit else None
    return Books(ours, theirs, committed_cents(publication), states)


def committed_cents(publication: Publication) -> int:
    """The most that what was asked for can cost still or has cost, fees included.

    Places that nobody took are spoken for until their listing takes workers no more: from then on
    only what was paid there counts, and what somebody holds, handed in or was refused (a refusal
    can be taken back).
    """
    calls = CrowdCall.objects.filter(publication=publication, status__in=SPENDING)
    asked = calls.filter(Q(listing__expired_at=None) | Q(kind="bonus"))
    total: int = asked.aggregate(total=Sum("cents"))["total"] or 0
    provider, offer = provider_of(publication), offer_of(publication)
    undecided = Q(assignments__status__in=(Status.SUBMITTED, Status.REJECTED)) | (
        Q(assignments__status__in=(Status.ACCEPTED, Status.RATED))
        & (Q(assignments__assignment=None) | Q(assignments__assignment__status="held"))
    )
    over = publication.listings.exclude(expired_at=None)
    for listing in over.annotate(undecided=Count("assignments", filter=undecided)):
        cents = listing.pay_cents + provider.fee(listing.pay_cents, listing.places, offer)
        total += listing.undecided * cents
    paid = Payment.objects.filter(crowd_assignment__listing__in=over, kind=Payment.Kind.REWARD)
    return total + (paid.aggregate(n=Sum(F("cents") + F("fee_cents")))["n"] or 0)


def note_reward(crowd: CrowdAssignment, *, call: CrowdCall | None, at: datetime) -> None:
    """Write down that the provider paid the reward; a second time changes nothing."""
    provider, offer = provider_of(crowd.publication), offer_of(crowd.publication)
    pay = crowd.listing.pay_cents
    if provider.pays_what_was_earned:
        paid = Payment.objects.filter(crowd_assignment__participation=crowd.participation)
        before = paid.exclude(crowd_assignment=crowd).aggregate(n=Sum("cents"))["n"] or 0
        pay = max(0, earned_cents(crowd.participation) - before)
    Payment.objects.get_or_create(
        crowd_assignment=crowd,
        kind=Payment.Kind.REWARD,
        defaults={
            "cents": pay,
            "fee_cents": provider.fee(pay, crowd.listing.places, offer),
            "call": call,
            "at": at,
        },
    )


def audit(publication: Publication, *, at: datetime) -> Books:
    """Ask the provider for its side and keep it. Raises CrowdError."""
    ids = list(publication.listings.exclude(provider_id="").values_list("provider_id", flat=True))
    paid = provider_of(publication).paid(ids, offer_of(publication))
    if paid is not None:
        found = {
            "listings": paid.listings,
            "places": paid.places,
            "approved": paid.approved,
            "rewards": paid.rewards,
            "bonuses": paid.bonuses,
            "fees": paid.fees,
        }
        publication.audit = {**found, "at": at.isoformat()}
        publication.save(update_fields=["audit"])
    return books(publication)


def payments(publication: Publication) -> list[Mapping[str, Any]]:
    """What each worker was paid, rewards and bonuses apart."""
    rows = Payment.objects.filter(crowd_assignment__publication=publication)
    return list(
        rows.order_by()
        .values(name=F("crowd_assignment__participation__worker__name"))
        .annotate(
            rewards=Sum("cents", filter=Q(kind=Payment.Kind.REWARD)),
            bonuses=Sum("cents", filter=Q(kind=Payment.Kind.BONUS)),
            fees=Sum("fee_cents"),
            submissions=Count("pk", filter=Q(kind=Payment.Kind.REWARD)),
        )
        .order_by("name")
    )
