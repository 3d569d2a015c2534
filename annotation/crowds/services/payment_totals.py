"""Committed and paid amounts of a publication, compared with the provider's totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from django.db.models import Count, F, Q, Sum

from annotation.crowds.models import CrowdAssignment, CrowdCall, Payment, Publication
from annotation.crowds.providers.provider import PaidTotals
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.rating.services.participation import earned_cents

Status = CrowdAssignment.Status
SPENDING = (CrowdCall.Status.WAITING, CrowdCall.Status.STARTED, CrowdCall.Status.DONE)


@dataclass(frozen=True)
class PaymentComparison:
    """The totals recorded here, those the provider reported last, and the assignments by state."""

    recorded: PaidTotals
    reported: PaidTotals | None
    committed: int
    states: dict[str, int]

    @property
    def matches(self) -> bool:
        """Whether the reported totals equal the recorded ones."""
        if self.reported is None:
            return False
        fees = self.reported.fees if self.reported.fees is not None else self.recorded.fees
        return self.recorded == replace(self.reported, fees=fees)


def compare(publication: Publication) -> PaymentComparison:
    """Compare the stored totals; makes no call to the provider."""
    rows = CrowdAssignment.objects.filter(publication=publication)
    states = dict(rows.order_by().values_list("status").annotate(n=Count("pk")))
    listings = publication.listings.exclude(provider_id="").aggregate(
        n=Count("pk"), places=Sum("places")
    )
    payments = Payment.objects.filter(crowd_assignment__publication=publication).aggregate(
        rewards=Sum("cents", filter=Q(kind=Payment.Kind.REWARD)),
        bonuses=Sum("cents", filter=Q(kind=Payment.Kind.BONUS)),
        fees=Sum("fee_cents"),
    )
    recorded = PaidTotals(
        listings=listings["n"],
        places=listings["places"] or 0,
        approved=states.get(Status.APPROVED, 0),
        rewards=payments["rewards"] or 0,
        bonuses=payments["bonuses"] or 0,
        fees=payments["fees"] or 0,
    )
    audit = publication.audit
    reported = PaidTotals(**{k: v for k, v in audit.items() if k != "at"}) if audit else None
    return PaymentComparison(recorded, reported, committed_cents(publication), states)


def committed_cents(publication: Publication) -> int:
    """The most that a publication can still cost or has cost, fees included.

    Open places of a listing count until it expires. After that only paid rewards count, and
    assignments that are accepted, submitted or rejected (a rejection can be undone).
    """
    calls = CrowdCall.objects.filter(publication=publication, status__in=SPENDING)
    spending = calls.filter(Q(listing__expired_at=None) | Q(kind="bonus"))
    total: int = spending.aggregate(total=Sum("cents"))["total"] or 0
    provider, offer = provider_of(publication), offer_of(publication)
    undecided = Q(assignments__status__in=(Status.SUBMITTED, Status.REJECTED)) | (
        Q(assignments__status__in=(Status.ACCEPTED, Status.RATED))
        & (Q(assignments__assignment=None) | Q(assignments__assignment__status="held"))
    )
    expired = publication.listings.exclude(expired_at=None)
    for listing in expired.annotate(undecided=Count("assignments", filter=undecided)):
        total += listing.undecided * provider.price(listing.pay_cents, offer, listing.places)
    paid = Payment.objects.filter(crowd_assignment__listing__in=expired, kind=Payment.Kind.REWARD)
    return total + (paid.aggregate(n=Sum(F("cents") + F("fee_cents")))["n"] or 0)


def record_reward(crowd: CrowdAssignment, *, call: CrowdCall | None, at: datetime) -> None:
    """Record that the provider paid the reward. Repeated calls have no effect."""
    provider, offer = provider_of(crowd.publication), offer_of(crowd.publication)
    pay = crowd.listing.pay_cents
    if offer.pay_per_task:
        paid = Payment.objects.filter(crowd_assignment__participation=crowd.participation)
        paid_before = paid.exclude(crowd_assignment=crowd).aggregate(n=Sum("cents"))["n"] or 0
        pay = max(0, earned_cents(crowd.participation) - paid_before)
    Payment.objects.get_or_create(
        crowd_assignment=crowd,
        kind=Payment.Kind.REWARD,
        defaults={
            "cents": pay,
            "fee_cents": provider.price(pay, offer, crowd.listing.places) - pay,
            "call": call,
            "at": at,
        },
    )


def refresh(publication: Publication, *, at: datetime) -> PaymentComparison:
    """Ask the provider for its totals and store them. Raises CrowdError."""
    ids = list(publication.listings.exclude(provider_id="").values_list("provider_id", flat=True))
    paid = provider_of(publication).paid_totals(ids, offer_of(publication))
    if paid is not None:
        publication.audit = {**asdict(paid), "at": at.isoformat()}
        publication.save(update_fields=["audit"])
    return compare(publication)


def payments(publication: Publication) -> list[Mapping[str, object]]:
    """What each worker was paid, with rewards and bonuses separately."""
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
