"""Putting a stage before a crowd: the draft, what it costs, the order, more places, the end."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction

from annotation.crowds.models import CrowdCall, Listing, Publication
from annotation.crowds.providers import money
from annotation.crowds.providers.money import Price
from annotation.crowds.providers.mturk.queue import Queue
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.services.deeds import LISTING_RANK
from annotation.crowds.services.ordering import (
    PublishingRefusedError,
    check_budget,
    check_confirmed,
    new_listing,
    order_listings,
    order_preparations,
)
from annotation.crowds.services.orders import (
    kept_offer,
    lots_of,
    offer_of,
    order_of,
    places_of,
    provider_of,
    session_lots,
)
from annotation.crowds.services.splitting import fit_to_pages
from annotation.crowds.services.syncing import exclude_those_excluded
from annotation.rating.models import Hit
from annotation.studies.models import Stage
from core import audit

Status = Publication.Status


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
    """A publication that asks nobody yet. A stage has one at a time; a draft is replaced.

    HITs whose page would be too long to be rated without a server are cut here, so that the quote
    is of what will be published.
    """
    offer = offer.validated()
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
            offer=kept_offer(offer),
            uid=secrets.token_hex(6),
            budget_cents=budget_cents,
            created_at=at,
        )
        made.place = provider_of(made).place
        made.save()
        fit_to_pages(made)
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


def needs_https(publication: Publication) -> bool:
    """Whether the provider's workers come from outside, to a site that speaks no https."""
    is_public = provider_of(publication).is_public
    return is_public and not publication.site.startswith("https://")


def check_account(publication: Publication, cents: int) -> Decimal | None:
    """The provider's balance. Raises CrowdError without credentials, with too little money, and
    where the queue that is to notify cannot be read."""
    balance = provider_of(publication).balance()
    if balance is not None and balance * 100 < cents:
        raise CrowdError(
            f"The account holds ${balance:,.2f}, and this needs ${money.dollars(cents)}. Add "
            "money to it, or ask for less. Nothing was published."
        )
    if offer_of(publication).queue:
        Queue(offer_of(publication).queue).check()
    return balance


def publish(
    publication: Publication, *, confirmed: str, by: User | None, at: datetime
) -> Publication:
    """Order everything: the rows of the outbox, and nothing else. `confirmed` is the cost with
    fees as it was shown, "12.34"; for real money a person typed it.

    Raises PublishingRefusedError or CrowdError, and then nothing has changed.
    """
    provider = provider_of(publication)
    if needs_https(publication):
        raise PublishingRefusedError(
            f"{provider.title} sends workers to addresses with https only, and this site's is "
            f"{publication.site}. Nothing was published."
        )
    # On its own: where it cuts a HIT, what was confirmed is refused below, and the next look shows
    # what the HITs cost as they are now.
    with transaction.atomic():
        Stage.objects.select_for_update().get(pk=publication.stage_id)
        fit_to_pages(publication)
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
        price = quote(publication).price
        check_confirmed(confirmed, price.total)
        check_budget(publication, price.total)
        if offer_of(publication).only_passed and not order_of(publication).groups:
            raise PublishingRefusedError(
                "Nothing of this study was listed there before, so nobody there has passed its "
                "test yet. Leave out that only those who passed are asked. Nothing was published."
            )
        listings = _list(publication, _open_hits(publication.stage))
        publication.status = Status.LIVE
        publication.confirmed_cents, publication.confirmed_by = price.total, by
        publication.confirmed_at = at
        publication.save()
        order_preparations(publication, order_of(publication), at)
        exclude_those_excluded(publication, at=at)  # before there is anything to accept
        order_listings(publication, listings, by, at)
        about = {
            "crowd": provider.title,
            "listings": len(listings),
            "cents": price.total,
            "budget_cents": publication.budget_cents,
        }
        study = publication.stage.study
        audit.record(by, "crowd.published", publication, after=about, study=study)
    return publication


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
        audit.record(None, "crowd.ended", publication, study=publication.stage.study)
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


def _list(publication: Publication, hits: Sequence[Hit]) -> list[Listing]:
    """The listings of a fresh publication, as rows."""
    provider, offer = provider_of(publication), offer_of(publication)
    if not provider.listing_per_hit:
        (lot,) = session_lots(hits, offer)
        places = max(lot.places, len(offer.invited))
        return [new_listing(publication, None, 1, places, lot.pay_cents)]
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
