"""Requesting more places from a provider.

They are for HITs that were added, for work that did not count, and for places that expired.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Aggregate, Count, Model, QuerySet, Sum

from annotation.crowds.models import CrowdAssignment, CrowdCall, Listing, Publication
from annotation.crowds.providers import money
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import Provider
from annotation.crowds.services.call_handlers import LISTING_RANK
from annotation.crowds.services.outbox_entries import (
    PublishingRefusedError,
    check_budget,
    check_confirmed,
    enqueue_listings,
    enqueue_preparations,
    new_listing,
)
from annotation.crowds.services.publication_specs import offer_of, provider_of, spec_of
from annotation.crowds.services.publishing import check_account
from annotation.rating.models import Assignment, Hit
from annotation.studies.models import Stage
from core import audit

Status = Publication.Status
# States in which a place was used.
SUBMITTED_STATES = (
    CrowdAssignment.Status.SUBMITTED,
    CrowdAssignment.Status.APPROVED,
    CrowdAssignment.Status.REJECTED,
)
IN_PROGRESS_STATES = (CrowdAssignment.Status.ACCEPTED, CrowdAssignment.Status.RATED)


@dataclass(frozen=True, slots=True)
class SlotRequest:
    """Places to request: of `listing`, or of a new listing of `hit` as its `part`."""

    places: int
    pay_cents: int
    fee_cents: int
    listing: Listing | None = None
    hit: Hit | None = None
    part: int = 1

    @property
    def cents(self) -> int:
        return self.places * (self.pay_cents + self.fee_cents)


@dataclass(frozen=True)
class MissingRaters:
    """The places that a stage needs from the provider, and their cost with fees."""

    parts: tuple[SlotRequest, ...]

    @property
    def places(self) -> int:
        return sum(one.places for one in self.parts)

    @property
    def rewards(self) -> int:
        return sum(one.places * one.pay_cents for one in self.parts)

    @property
    def fees(self) -> int:
        return sum(one.places * one.fee_cents for one in self.parts)

    @property
    def cents(self) -> int:
        return self.rewards + self.fees

    @property
    def new_listings(self) -> int:
        return sum(one.listing is None for one in self.parts)


def missing_raters(publication: Publication, *, at: datetime) -> MissingRaters:
    """The places to request. Makes no calls. Raises PublishingRefusedError if it is not live."""
    if publication.status != Status.LIVE:
        raise PublishingRefusedError("This publication is not live: it is a draft or has ended.")
    return MissingRaters(tuple(_parts(publication, _count_missing(publication), at)))


def top_up(publication: Publication, *, confirmed: str, by: User | None, at: datetime) -> int:
    """Request the missing places from the provider; returns how many.

    `confirmed` is their cost with fees as it was shown, such as "12.34"; for real money a person
    typed it. Raises PublishingRefusedError or CrowdError, and then nothing has changed.
    """
    check_account(publication, missing_raters(publication, at=at).cents)
    with transaction.atomic():
        publication = (
            Publication.objects.select_for_update(of=("self",))
            .select_related("stage__study")
            .get(pk=publication.pk)
        )
        missing = missing_raters(publication, at=at)
        if not missing.places:
            return 0
        check_confirmed(confirmed, missing.cents)
        check_budget(publication, missing.cents)
        enqueue_preparations(publication, spec_of(publication), at)
        listings = [
            new_listing(publication, one.hit, one.part, one.places, one.pay_cents)
            for one in missing.parts
            if one.listing is None
        ]
        enqueue_listings(publication, listings, by, at)
        for one in missing.parts:
            if one.listing is not None:
                _add_places(one.listing, one.places, one.cents, by, at)
        about = {"places": missing.places, "cents": missing.cents}
        study = publication.stage.study
        audit.record(by, "crowd.topped up", publication, after=about, study=study)
    return missing.places


def _count_missing(publication: Publication) -> dict[int | None, int]:
    """Places to request, by HIT (None for platforms with one listing).

    They are the HIT's open slots minus the places that can still be filled: the places of its live
    listings without those submitted or in progress. A worker in progress may have got another HIT
    instead.
    """
    if publication.stage.kind == Stage.Kind.QUALIFICATION:
        return {}  # its offer says how many workers take the test
    rows = CrowdAssignment.objects.filter(publication=publication)
    hits = publication.stage.hits.all()
    if not provider_of(publication).listing_per_hit:
        offer = offer_of(publication)
        open_slots = sum(hits.values_list("open_slots", flat=True))
        submitted = rows.filter(status__in=SUBMITTED_STATES).count()
        pending = (publication.listings.aggregate(n=Sum("places"))["n"] or 0) - submitted
        count = -(-open_slots // offer.tasks_each) - max(0, pending)
        return {None: count} if count > 0 else {}
    pending_by_hit = _sums(publication.listings.filter(expired_at=None), "hit", Sum("places"))
    live = rows.filter(listing__expired_at=None)
    handed_in = live.filter(status__in=SUBMITTED_STATES)
    in_hand = live.filter(status__in=IN_PROGRESS_STATES, assignment__status=Assignment.Status.HELD)
    for used in (handed_in, in_hand):
        for hit, count in _sums(used, "listing__hit", Count("pk")).items():
            pending_by_hit[hit] -= count
    missing: dict[int | None, int] = {}
    for pk, open_slots in hits.values_list("pk", "open_slots"):
        count = open_slots - max(0, pending_by_hit.get(pk, 0))
        if count > 0:
            missing[pk] = count
    return missing


def _sums(rows: QuerySet[Model], by: str, total: Aggregate) -> dict[int, int]:
    return dict(rows.order_by().values_list(by).annotate(n=total))


def _parts(
    publication: Publication, missing: dict[int | None, int], at: datetime
) -> Iterator[SlotRequest]:
    """How to get the missing places: more places of existing listings, or new listings.

    A HIT of MTurk with fewer than ten assignments cannot be extended to ten or more, and an expired
    one gets no workers; a new listing is always possible.
    """
    provider, offer = provider_of(publication), offer_of(publication)
    hits = {hit.pk: hit for hit in Hit.objects.filter(pk__in=[pk for pk in missing if pk])}
    for pk, places in missing.items():
        hit = hits[pk] if pk is not None else None
        rows = list(publication.listings.filter(hit=hit).order_by("part"))
        last = rows[-1] if rows else None
        if last is not None and _takes_more(last, places, provider, offer, at):
            fee = provider.fee(last.pay_cents, last.places + places, offer)
            yield SlotRequest(places, last.pay_cents, fee, listing=last)
            continue
        pay = hit.pay_cents if hit else rows[0].pay_cents
        max_part = (
            provider.max_places_at_lower_fee
            if offer.split and provider.max_places_at_lower_fee
            else places
        )
        parts = money.split_places(places, max_part)
        for part, count in enumerate(parts, start=last.part + 1 if last else 1):
            yield SlotRequest(count, pay, provider.fee(pay, count, offer), hit=hit, part=part)


def _takes_more(
    listing: Listing, more: int, provider: Provider, offer: Offer, at: datetime
) -> bool:
    if not listing.provider_id or listing.expired_at is not None:
        return False
    if provider.max_places_at_lower_fee is None:
        return True
    creation = listing.calls.filter(kind="create", done_at__isnull=False).first()
    # In the hour before its end new workers might not find it.
    lifetime = timedelta(hours=offer.lifetime_hours - 1)
    is_open = (
        creation is not None and creation.done_at is not None and at < creation.done_at + lifetime
    )
    has_higher_fee = listing.places > provider.max_places_at_lower_fee
    return is_open and (has_higher_fee or listing.places + more <= provider.max_places_at_lower_fee)


def _add_places(listing: Listing, more: int, cents: int, by: User | None, at: datetime) -> None:
    """Queue a request for more places of an existing listing. They count as requested from now
    on."""
    listing.places += more
    listing.save(update_fields=["places"])
    CrowdCall.objects.create(
        publication=listing.publication,
        kind="top up",
        rank=LISTING_RANK,
        key=f"{listing.publication.uid}-more-{listing.pk}-{listing.places}",
        payload={"more": more, "target": listing.places},
        listing=listing,
        cents=cents,
        requested_by=by,
        created_at=at,
    )
