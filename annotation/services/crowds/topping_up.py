"""More places at a provider: for HITs that came later, and for work that did not count."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Sum

from annotation.crowds import money
from annotation.crowds.offer import Offer
from annotation.crowds.provider import Provider
from annotation.models import CrowdAssignment, CrowdCall, Hit, Listing, Publication
from annotation.services.crowds.deeds import LISTING_RANK
from annotation.services.crowds.ordering import (
    PublishingRefusedError,
    check_budget,
    cost_of,
    new_listing,
    order_listings,
    order_preparations,
)
from annotation.services.crowds.orders import offer_of, order_of, provider_of

Status = Publication.Status
# Where a place at the provider brings, or brought, something.
TAKEN = (
    CrowdAssignment.Status.SUBMITTED,
    CrowdAssignment.Status.APPROVED,
    CrowdAssignment.Status.REJECTED,
)


def top_up(publication: Publication, *, by: User | None, at: datetime) -> int:
    """Ask for the places that a stage lacks at the provider: HITs that came later, places whose
    work was not counted. How many. Raises PublishingRefusedError, CrowdError."""
    with transaction.atomic():
        publication = (
            Publication.objects.select_for_update(of=("self",))
            .select_related("stage__study")
            .get(pk=publication.pk)
        )
        if publication.status != Status.LIVE:
            raise PublishingRefusedError("It is not published, or ended.")
        lacking = _lacking(publication)
        if not lacking:
            return 0
        wider, listings = _places_lacking(publication, lacking, at)
        provider, offer = provider_of(publication), offer_of(publication)
        more = [(one, count, cost_of(one, count, provider, offer)) for one, count in wider]
        cents = sum(cost for _, _, cost in more)
        cents += sum(cost_of(one, one.places, provider, offer) for one in listings)
        check_budget(publication, cents)
        order_preparations(publication, order_of(publication), at)
        order_listings(publication, listings, by, at)
        for listing, count, cost in more:
            _widen(listing, count, cost, by, at)
    return sum(count for _, count, _ in more) + sum(one.places for one in listings)


def _lacking(publication: Publication) -> dict[int | None, int]:
    """Places to ask for, by HIT (None: of a platform with one listing).

    What a HIT wants still, less what the provider will still bring: its places, less those whose
    work was handed in. Someone who holds a HIT here holds a place there.
    """
    taken = CrowdAssignment.objects.filter(publication=publication, status__in=TAKEN)
    held = publication.stage.hits.all()
    if not provider_of(publication).listing_per_hit:
        offer = offer_of(publication)
        wanted = sum(held.values_list("open_slots", flat=True))
        coming = (publication.listings.aggregate(n=Sum("places"))["n"] or 0) - taken.count()
        more = -(-wanted // offer.tasks_each) - max(0, coming)
        return {None: more} if more > 0 else {}
    listed: dict[int, int] = {}
    for hit, places in publication.listings.filter(expired_at=None).values_list("hit", "places"):
        listed[hit] = listed.get(hit, 0) + places
    live = taken.filter(listing__expired_at=None).values_list("listing__hit", flat=True)
    for hit in live:
        listed[hit] -= 1
    found: dict[int | None, int] = {}
    from_hit = held.filter(assignments__status="held").values_list("pk", flat=True)
    holding: dict[int, int] = {}
    for pk in from_hit:
        holding[pk] = holding.get(pk, 0) + 1
    for pk, open_slots in held.values_list("pk", "open_slots"):
        lacking = open_slots + holding.get(pk, 0) - max(0, listed.get(pk, 0))
        if lacking > 0:
            found[pk] = lacking
    return found


def _places_lacking(
    publication: Publication, lacking: dict[int | None, int], at: datetime
) -> tuple[list[tuple[Listing, int]], list[Listing]]:
    """Where the places that lack are to be had: more of listings that are there, and new ones.

    A HIT of MTurk with fewer than ten assignments cannot get ten, and one that is past its time
    gets nobody: a part of its own is always possible.
    """
    provider, offer = provider_of(publication), offer_of(publication)
    wider: list[tuple[Listing, int]] = []
    made: list[Listing] = []
    hits = {hit.pk: hit for hit in Hit.objects.filter(pk__in=[pk for pk in lacking if pk])}
    for pk, places in lacking.items():
        hit = hits[pk] if pk is not None else None
        rows = list(publication.listings.filter(hit=hit).order_by("part"))
        last = rows[-1] if rows else None
        if last is not None and _takes_more(last, places, provider, offer, at):
            wider.append((last, places))
            continue
        pay = hit.pay_cents if hit else rows[0].pay_cents
        most = provider.most_places if offer.split and provider.most_places else places
        parts = money.parts(places, most)
        for part, count in enumerate(parts, start=last.part + 1 if last else 1):
            made.append(new_listing(publication, hit, part, count, pay))
    return wider, made


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
