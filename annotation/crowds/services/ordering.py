"""Rows of the outbox for listings and what they need, within the budget."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User

from annotation.crowds.models import CrowdCall, Listing, Publication
from annotation.crowds.providers import money
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import Order, Provider
from annotation.crowds.services.books import committed_cents
from annotation.crowds.services.deeds import LISTING_RANK
from annotation.crowds.services.orders import offer_of, provider_of
from annotation.rating.models import Hit
from annotation.studies.errors import StudyError


class PublishingRefusedError(StudyError):
    """What was asked cannot be done now; the message says why. Nothing was changed."""


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


def check_confirmed(confirmed: str, cents: int) -> None:
    """Raises PublishingRefusedError where another amount than the cost was confirmed."""
    if confirmed.strip().lstrip("$").replace(",", "") != money.dollars(cents):
        raise PublishingRefusedError(
            f"The cost is ${money.dollars(cents)}, and that is not what was confirmed. Look at it "
            "again, and confirm the exact amount. Nothing was published."
        )


def new_listing(
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


def order_preparations(publication: Publication, order: Order, at: datetime) -> None:
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


def order_listings(
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
            cents=cost_of(listing, listing.places, provider, offer),
            asked_by=by,
            created_at=at,
        )
        for listing in listings
    )


def cost_of(listing: Listing, places: int, provider: Provider, offer: Offer) -> int:
    """What so many places of a listing cost, fees included."""
    return places * (listing.pay_cents + provider.fee(listing.pay_cents, places, offer))
