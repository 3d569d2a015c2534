"""Creation of listings and of the outbox entries for them, within the budget."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User

from annotation.crowds.models import CrowdCall, Listing, Publication
from annotation.crowds.providers import money
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import Provider, PublicationSpec
from annotation.crowds.services.call_handlers import LISTING_RANK
from annotation.crowds.services.payment_totals import committed_cents
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.rating.models import Hit
from annotation.studies.errors import StudyError


class PublishingRefusedError(StudyError):
    """The action is not possible now. The message says why; nothing was changed."""


def check_budget(publication: Publication, cents: int) -> None:
    """Raises PublishingRefusedError if `cents` more would exceed the budget.

    The publication must be locked, so that two actions cannot spend the same money.
    """
    if publication.budget_cents is None:
        return
    committed = committed_cents(publication)
    if committed + cents > publication.budget_cents:
        raise PublishingRefusedError(
            f"The budget is ${money.dollars(publication.budget_cents)}; "
            f"${money.dollars(committed)} of it is committed, and this costs "
            f"${money.dollars(cents)}. Raise the budget or spend less. Nothing was changed."
        )


def check_confirmed(confirmed: str, cents: int) -> None:
    """Raises PublishingRefusedError if the confirmed amount is not the cost."""
    if confirmed.strip().lstrip("$").replace(",", "") != money.dollars(cents):
        raise PublishingRefusedError(
            f"The cost is ${money.dollars(cents)}, but another amount was confirmed. Check the "
            "cost "
            "and confirm the exact amount. Nothing was published."
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


def enqueue_preparations(publication: Publication, spec: PublicationSpec, at: datetime) -> None:
    """Queue the provider's preparations; those queued before are not queued again."""
    CrowdCall.objects.bulk_create(
        [
            CrowdCall(
                publication=publication,
                kind=preparation.kind,
                rank=preparation.rank,
                key=(
                    f"{publication.uid}-{preparation.kind}-"
                    f"{preparation.payload.get('pay_cents', 0)}"
                ),
                payload=preparation.payload,
                created_at=at,
            )
            for preparation in provider_of(publication).preparations(spec)
        ],
        ignore_conflicts=True,
    )


def enqueue_listings(
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
            requested_by=by,
            created_at=at,
        )
        for listing in listings
    )


def cost_of(listing: Listing, places: int, provider: Provider, offer: Offer) -> int:
    """The cost of `places` places of a listing, fees included."""
    return places * (listing.pay_cents + provider.fee(listing.pay_cents, places, offer))
