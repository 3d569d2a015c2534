"""Putting a stage before a crowd: the draft, what it costs, the order, more places, the end."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Sum

from annotation.crowds import money
from annotation.crowds.money import Price
from annotation.crowds.offer import Offer
from annotation.crowds.provider import CrowdError, Order, Provider
from annotation.models import CrowdAssignment, CrowdCall, Hit, Listing, Publication, Stage
from annotation.services.crowds.books import committed_cents
from annotation.services.crowds.deeds import LISTING_RANK
from annotation.services.crowds.orders import (
    lots_of,
    offer_of,
    order_of,
    places_of,
    provider_of,
    session_lots,
)
from annotation.services.crowds.splitting import fit_to_pages
from annotation.services.studies import StudyError

Status = Publication.Status
# Where a place at the provider brings, or brought, something.
TAKEN = (
    CrowdAssignment.Status.SUBMITTED,
    CrowdAssignment.Status.APPROVED,
    CrowdAssignment.Status.REJECTED,
)


class PublishingRefusedError(StudyError):
    """What was asked cannot be done now; the message says why. Nothing was changed."""


@dataclass(frozen=True)
class Quote:
    """What publishing costs as the offer says, and with listings split or whole; in cents."""

    price: Price
    split: Price
    whole: Price
    fits_budget: bool

    @property
    def saved(self) -> int:
        """What splitting saves; below zero, what it costs."""
        return self.whole.total - self.split.total


def draft(
    stage: Stage,
    provider: str,
    offer: Offer,
    *,
    place: str = "",
    site: str,
    budget_cents: int | None = None,
    at: datetime,
) -> Publication:
    """A publication that asks nobody yet. A stage has one at a time; a draft is replaced."""
    offer.validated()
    with transaction.atomic():
        Stage.objects.select_for_update().get(pk=stage.pk)
        Publication.objects.filter(stage=stage, status=Status.DRAFT).delete()
        running = Publication.objects.filter(stage=stage, status=Status.LIVE).first()
        if running is not None:
            raise PublishingRefusedError(
                f"The {stage.kind} stage is with {provider_of(running).title} already; end that "
                "first."
            )
        made = Publication(
            stage=stage,
            provider=provider,
            place=place,
            site=site,
            offer=offer.to_json(),
            uid=secrets.token_hex(6),
            budget_cents=budget_cents,
            created_at=at,
        )
        provider_of(made)
        made.save()
    return made


def quote(publication: Publication) -> Quote:
    """The cost of the draft. Asks no provider; raises StudyError when nothing is to be rated."""
    provider, offer = provider_of(publication), offer_of(publication)
    hits = _open_hits(publication.stage)
    found = {
        split: provider.price(lots_of(hits, provider, offer, split=split), offer)
        for split in (True, False)
    }
    price = found[offer.split]
    budget = publication.budget_cents
    return Quote(price, found[True], found[False], budget is None or price.total <= budget)


def check_account(publication: Publication, cents: int) -> Decimal | None:
    """The provider's balance. Raises CrowdError without credentials or with too little money."""
    balance = provider_of(publication).balance()
    if balance is not None and balance * 100 < cents:
        raise CrowdError(
            f"The account holds ${balance:,.2f}, and this needs ${money.dollars(cents)}. Add "
            "money to it, or ask for less. Nothing was published."
        )
    return balance


def publish(
    publication: Publication, *, confirmed: str, by: User | None, at: datetime
) -> Publication:
    """Order everything: the rows of the outbox, and nothing else. `confirmed` is the cost with
    fees as it was shown, "12.34"; for real money a person typed it.

    Raises PublishingRefusedError or CrowdError, and then nothing has changed.
    """
    provider = provider_of(publication)
    if provider.is_public and not publication.site.startswith("https://"):
        raise PublishingRefusedError(
            f"{provider.title} sends workers to addresses with https only, and this site's is "
            f"{publication.site}. Nothing was published."
        )
    check_account(publication, quote(publication).price.total)
    with transaction.atomic():
        Stage.objects.select_for_update().get(pk=publication.stage_id)
        publication = (
            Publication.objects.select_for_update(of=("self",))
            .select_related("stage__study")
            .get(pk=publication.pk)
        )
        if publication.status != Status.DRAFT:
            raise PublishingRefusedError("This was published already.")
        fit_to_pages(publication)
        price = quote(publication).price
        if confirmed.strip().lstrip("$").replace(",", "") != money.dollars(price.total):
            raise PublishingRefusedError(
                f"The cost is ${money.dollars(price.total)}, and that is not what was confirmed. "
                "Look at it again, and confirm the exact amount. Nothing was published."
            )
        check_budget(publication, price.total)
        listings = _list(publication, _open_hits(publication.stage))
        _prepare(publication, order_of(publication), at)
        _order(publication, listings, by, at)
        publication.status = Status.LIVE
        publication.confirmed_cents, publication.confirmed_by = price.total, by
        publication.confirmed_at = at
        publication.save()
    return publication


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
        more = [(one, count, _cents(one, count, provider, offer)) for one, count in wider]
        cents = sum(cost for _, _, cost in more)
        cents += sum(_cents(one, one.places, provider, offer) for one in listings)
        check_budget(publication, cents)
        _prepare(publication, order_of(publication), at)
        _order(publication, listings, by, at)
        for listing, count, cost in more:
            _widen(listing, count, cost, by, at)
    return sum(count for _, count, _ in more) + sum(one.places for one in listings)


def end(publication: Publication, *, at: datetime) -> int:
    """Let nobody else in at the provider; how many listings that ends. What workers hold they may
    finish, and it is reviewed and paid as ever."""
    with transaction.atomic():
        publication = Publication.objects.select_for_update().get(pk=publication.pk)
        if publication.status == Status.DRAFT:
            publication.delete()
            return 0
        calls = CrowdCall.objects.filter(publication=publication)
        calls.filter(kind="create", status=CrowdCall.Status.WAITING, attempt=0).update(
            status=CrowdCall.Status.CANCELLED
        )
        # Those whose creation is under way expire too: their calls come after it by their keys.
        cancelled = calls.filter(kind="create", status=CrowdCall.Status.CANCELLED)
        open_ = publication.listings.filter(expired_at=None).exclude(
            pk__in=cancelled.values("listing")
        )
        made = CrowdCall.objects.bulk_create(
            [
                CrowdCall(
                    publication=publication,
                    kind="expire",
                    rank=LISTING_RANK + 1,
                    key=f"{publication.uid}-end-{listing.pk}",
                    listing=listing,
                    created_at=at,
                )
                for listing in open_
            ],
            ignore_conflicts=True,
        )
        publication.status = Status.ENDED
        publication.save(update_fields=["status"])
    return len(made)


def _open_hits(stage: Stage) -> list[Hit]:
    if stage.kind == Stage.Kind.QUALIFICATION:
        raise PublishingRefusedError(
            "The test is given by the platform, or here on the way in: publish the stage after it."
        )
    hits = list(stage.hits.filter(open_slots__gt=0).order_by("index"))
    if stage.status != Stage.Status.OPEN or not hits:
        raise PublishingRefusedError(
            f"The {stage.kind} stage asks for nothing now: open it first, or ask for what is "
            "lacking."
        )
    return hits


def check_budget(publication: Publication, cents: int) -> None:
    """Raises PublishingRefusedError where so much more is beyond the budget. Call it with the
    publication locked, so that two orders cannot both find the last of it."""
    if publication.budget_cents is None:
        return
    committed = committed_cents(publication)
    if committed + cents > publication.budget_cents:
        raise PublishingRefusedError(
            f"The budget is ${money.dollars(publication.budget_cents)}; "
            f"${money.dollars(committed)} of it is spoken for, and this takes "
            f"${money.dollars(cents)}. Raise the budget, or ask for less. Nothing was changed."
        )


def _list(publication: Publication, hits: Sequence[Hit]) -> list[Listing]:
    """The listings of a fresh publication, as rows."""
    provider, offer = provider_of(publication), offer_of(publication)
    if not provider.listing_per_hit:
        (lot,) = session_lots(hits, offer)
        places = max(lot.places, len(offer.invited))
        return [_listing(publication, None, 1, places, lot.pay_cents)]
    rows = [
        Listing(
            publication=publication,
            hit=hit,
            part=part,
            places=places,
            pay_cents=hit.pay_cents,
            key=f"{publication.uid}-{hit.pk}-{part}",
        )
        for hit in hits
        for part, places in enumerate(places_of(hit, provider, split=offer.split), start=1)
    ]
    return Listing.objects.bulk_create(rows)


def _listing(
    publication: Publication, hit: Hit | None, part: int, places: int, pay: int
) -> Listing:
    return Listing.objects.create(
        publication=publication,
        hit=hit,
        part=part,
        places=places,
        pay_cents=pay,
        key=f"{publication.uid}-{hit.pk if hit else 0}-{part}",
    )


def _prepare(publication: Publication, order: Order, at: datetime) -> None:
    """Calls for what the provider needs first; those ordered before are not ordered again."""
    CrowdCall.objects.bulk_create(
        [
            CrowdCall(
                publication=publication,
                kind=what.kind,
                rank=what.rank,
                key=f"{publication.uid}-{what.kind}-{what.payload.get('pay_cents', 0)}",
                payload=what.payload,
                created_at=at,
            )
            for what in provider_of(publication).preparations(order)
        ],
        ignore_conflicts=True,
    )


def _order(
    publication: Publication, listings: Iterable[Listing], by: User | None, at: datetime
) -> None:
    provider, offer = provider_of(publication), offer_of(publication)
    CrowdCall.objects.bulk_create(
        CrowdCall(
            publication=publication,
            kind="create",
            rank=LISTING_RANK,
            key=f"{publication.uid}-list-{listing.pk}",
            payload={"places": listing.places},
            listing=listing,
            cents=_cents(listing, listing.places, provider, offer),
            asked_by=by,
            created_at=at,
        )
        for listing in listings
    )


def _cents(listing: Listing, places: int, provider: Provider, offer: Offer) -> int:
    """What so many places of a listing cost, fees included."""
    return places * (listing.pay_cents + provider.fee(listing.pay_cents, places, offer))


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
            made.append(_listing(publication, hit, part, count, pay))
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
