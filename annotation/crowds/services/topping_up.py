"""More places at a provider: for HITs that came later, for work that did not count, and for places
whose time ran out before anyone took them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Aggregate, Count, Sum

from annotation.crowds.models import CrowdAssignment, CrowdCall, Listing, Publication
from annotation.crowds.providers import money
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import Provider
from annotation.crowds.services.deeds import LISTING_RANK
from annotation.crowds.services.ordering import (
    PublishingRefusedError,
    check_budget,
    check_confirmed,
    new_listing,
    order_listings,
    order_preparations,
)
from annotation.crowds.services.orders import offer_of, order_of, provider_of
from annotation.crowds.services.publishing import check_account
from annotation.rating.models import Assignment, Hit
from core import audit

Status = Publication.Status
# Where a place at the provider brings, or brought, something.
TAKEN = (
    CrowdAssignment.Status.SUBMITTED,
    CrowdAssignment.Status.APPROVED,
    CrowdAssignment.Status.REJECTED,
)
IN_HAND = (CrowdAssignment.Status.ACCEPTED, CrowdAssignment.Status.RATED)


@dataclass(frozen=True, slots=True)
class More:
    """Places to be asked for: of `listing`, or of a new one of `hit` as its `part`."""

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
class Lack:
    """What a stage lacks at the provider, and what asking for it costs, fees included."""

    parts: tuple[More, ...]

    @property
    def places(self) -> int:
        return sum(more.places for more in self.parts)

    @property
    def rewards(self) -> int:
        return sum(more.places * more.pay_cents for more in self.parts)

    @property
    def fees(self) -> int:
        return sum(more.places * more.fee_cents for more in self.parts)

    @property
    def cents(self) -> int:
        return self.rewards + self.fees

    @property
    def new_listings(self) -> int:
        return sum(more.listing is None for more in self.parts)


def lack(publication: Publication, *, at: datetime) -> Lack:
    """What is to be asked for. Asks no provider; raises PublishingRefusedError where it ended."""
    if publication.status != Status.LIVE:
        raise PublishingRefusedError("It is not published, or ended.")
    return Lack(tuple(_parts(publication, _lacking(publication), at)))


def top_up(publication: Publication, *, confirmed: str, by: User | None, at: datetime) -> int:
    """Ask for the places that a stage lacks at the provider; how many. `confirmed` is their cost
    with fees as it was shown, "12.34"; for real money a person typed it.

    Raises PublishingRefusedError or CrowdError, and then nothing has changed.
    """
    check_account(publication, lack(publication, at=at).cents)
    with transaction.atomic():
        publication = (
            Publication.objects.select_for_update(of=("self",))
            .select_related("stage__study")
            .get(pk=publication.pk)
        )
        found = lack(publication, at=at)
        if not found.places:
            return 0
        check_confirmed(confirmed, found.cents)
        check_budget(publication, found.cents)
        order_preparations(publication, order_of(publication), at)
        made = [
            new_listing(publication, one.hit, one.part, one.places, one.pay_cents)
            for one in found.parts
            if one.listing is None
        ]
        order_listings(publication, made, by, at)
        for one in found.parts:
            if one.listing is not None:
                _widen(one.listing, one.places, one.cents, by, at)
        about = {"places": found.places, "cents": found.cents}
        study = publication.stage.study
        audit.record(by, "crowd.topped up", publication, after=about, study=study)
    return found.places


def _lacking(publication: Publication) -> dict[int | None, int]:
    """Places to ask for, by HIT (None: of a platform with one listing).

    What a HIT wants still, less what the provider will still bring: the places of its listings
    that take workers, less those handed in and those in a worker's hand, who may hold another HIT
    in its place.
    """
    rows = CrowdAssignment.objects.filter(publication=publication)
    wants = publication.stage.hits.all()
    if not provider_of(publication).listing_per_hit:
        offer = offer_of(publication)
        wanted = sum(wants.values_list("open_slots", flat=True))
        taken = rows.filter(status__in=TAKEN).count()
        coming = (publication.listings.aggregate(n=Sum("places"))["n"] or 0) - taken
        more = -(-wanted // offer.tasks_each) - max(0, coming)
        return {None: more} if more > 0 else {}
    coming_of = _sums(publication.listings.filter(expired_at=None), "hit", Sum("places"))
    live = rows.filter(listing__expired_at=None)
    handed_in = live.filter(status__in=TAKEN)
    in_hand = live.filter(status__in=IN_HAND, assignment__status=Assignment.Status.HELD)
    for gone in (handed_in, in_hand):
        for hit, count in _sums(gone, "listing__hit", Count("pk")).items():
            coming_of[hit] -= count
    found: dict[int | None, int] = {}
    for pk, open_slots in wants.values_list("pk", "open_slots"):
        lacking = open_slots - max(0, coming_of.get(pk, 0))
        if lacking > 0:
            found[pk] = lacking
    return found


def _sums(rows: Any, by: str, total: Aggregate) -> dict[int, int]:
    return dict(rows.order_by().values_list(by).annotate(n=total))


def _parts(
    publication: Publication, lacking: dict[int | None, int], at: datetime
) -> Iterator[More]:
    """Where the places that lack are to be had: more of listings that are there, and new ones.

    A HIT of MTurk with fewer than ten assignments cannot get ten, and one that is past its time
    gets nobody: a part of its own is always possible.
    """
    provider, offer = provider_of(publication), offer_of(publication)
    hits = {hit.pk: hit for hit in Hit.objects.filter(pk__in=[pk for pk in lacking if pk])}
    for pk, places in lacking.items():
        hit = hits[pk] if pk is not None else None
        rows = list(publication.listings.filter(hit=hit).order_by("part"))
        last = rows[-1] if rows else None
        if last is not None and _takes_more(last, places, provider, offer, at):
            fee = provider.fee(last.pay_cents, last.places + places, offer)
            yield More(places, last.pay_cents, fee, listing=last)
            continue
        pay = hit.pay_cents if hit else rows[0].pay_cents
        most = provider.most_places if offer.split and provider.most_places else places
        parts = money.parts(places, most)
        for part, count in enumerate(parts, start=last.part + 1 if last else 1):
            yield More(count, pay, provider.fee(pay, count, offer), hit=hit, part=part)


def _takes_more(
    listing: Listing, more: int, provider: Provider, offer: Offer, at: datetime
) -> bool:
    if not listing.provider_id or listing.expired_at is not None:
        return False
    if provider.most_places is None:
        return True
    made = listing.calls.filter(kind="create", done_at__isnull=False).first()
    # An hour before its end nobody new might find it.
    lifetime = timedelta(hours=offer.lifetime_hours - 1)
    is_open = made is not None and made.done_at is not None and at < made.done_at + lifetime
    many = listing.places > provider.most_places
    return is_open and (many or listing.places + more <= provider.most_places)


def _widen(listing: Listing, more: int, cents: int, by: User | None, at: datetime) -> None:
    """Order more places of a listing that is there. It counts as asked for from now on."""
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
        asked_by=by,
        created_at=at,
    )
