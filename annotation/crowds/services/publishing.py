"""Publishing a stage on a crowd platform: the draft, its cost, publishing and ending it."""

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
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import AccountError, CrowdError
from annotation.crowds.services.call_handlers import LISTING_RANK
from annotation.crowds.services.outbox_entries import (
    PublishingRefusedError,
    check_budget,
    check_confirmed,
    enqueue_listings,
    enqueue_preparations,
    new_listing,
)
from annotation.crowds.services.platform_tests import check_platform_test
from annotation.crowds.services.publication_specs import (
    group_listings,
    group_sessions,
    offer_of,
    places_per_listing,
    provider_of,
    queue_of,
    seal_offer,
    spec_of,
)
from annotation.crowds.services.syncing import enqueue_exclusions
from annotation.rating.models import Hit
from annotation.studies.models import Stage
from core import audit

Status = Publication.Status


@dataclass(frozen=True)
class PublishingQuote:
    """The cost of publishing in cents: by the offer, with split listings, and with whole
    listings."""

    price: Price
    split: Price
    whole: Price
    fits_budget: bool

    @property
    def saved(self) -> int:
        """What splitting saves in cents; negative if it costs more."""
        return self.whole.total - self.split.total


def draft(
    stage: Stage,
    provider: str,
    offer: Offer,
    *,
    environment: str = "",
    site: str,
    budget_cents: int | None = None,
    at: datetime,
) -> Publication:
    """Create a draft, which makes no calls. It replaces an earlier draft of the stage.

    Raises StudyError where the crowd's test cannot ask what the protocol asks.
    """
    offer = offer.validated()
    with transaction.atomic():
        Stage.objects.select_for_update().get(pk=stage.pk)
        Publication.objects.filter(stage=stage, status=Status.DRAFT).delete()
        live = Publication.objects.filter(stage=stage, status=Status.LIVE).first()
        if live is not None:
            raise PublishingRefusedError(
                f"The {stage.kind} stage is already published on {provider_of(live).title}. End "
                "that "
                "publication first."
            )
        publication = Publication(
            stage=stage,
            provider=provider,
            environment=environment,
            site=site,
            offer=seal_offer(offer),
            uid=secrets.token_hex(6),
            budget_cents=budget_cents,
            created_at=at,
        )
        provided = provider_of(publication)
        publication.environment = provided.environment
        is_test = stage.kind == Stage.Kind.QUALIFICATION
        if provided.has_tests and not (is_test or offer.only_passed):
            check_platform_test(stage.study)
        publication.save()
    return publication


def quote(publication: Publication) -> PublishingQuote:
    """The cost of the draft. Makes no calls. Raises StudyError if nothing is to be rated."""
    provider, offer = provider_of(publication), offer_of(publication)
    hits = _open_hits(publication)
    prices = {
        split: provider.price(group_listings(hits, provider, offer, split=split), offer)
        for split in (True, False)
    }
    price = prices[offer.split]
    budget = publication.budget_cents
    return PublishingQuote(
        price, prices[True], prices[False], budget is None or price.total <= budget
    )


def needs_https(publication: Publication) -> bool:
    """Whether workers come from the public internet while this site has no HTTPS."""
    is_public = provider_of(publication).is_public
    return is_public and not publication.site.startswith("https://")


def check_account(publication: Publication, cents: int) -> Decimal | None:
    """The provider's balance.

    Raises CrowdError without credentials, with too little money, and if the notification queue
    cannot be read.
    """
    balance = provider_of(publication).balance()
    if balance is not None and balance * 100 < cents:
        raise CrowdError(
            f"The account's balance is ${balance:,.2f}, but this costs ${money.dollars(cents)}. "
            "Add "
            "money to it or publish less. Nothing was published."
        )
    if offer_of(publication).queue:
        queue_of(publication).check()
    return balance


def publish(
    publication: Publication, *, confirmed: str, by: User | None, at: datetime
) -> Publication:
    """Queue all calls of the draft.

    `confirmed` is the cost with fees as it was shown, such as "12.34"; for real money a person
    typed it. Raises PublishingRefusedError or CrowdError, and then nothing has changed.
    """
    provider = provider_of(publication)
    if needs_https(publication):
        raise PublishingRefusedError(
            f"{provider.title} sends workers to HTTPS addresses only, but this site's address is "
            f"{publication.site}. Nothing was published."
        )
    try:
        check_account(publication, quote(publication).price.total)
    except AccountError as error:
        raise AccountError(f"Nothing was published. {error}") from error
    with transaction.atomic():
        Stage.objects.select_for_update().get(pk=publication.stage_id)
        publication = (
            Publication.objects.select_for_update(of=("self",))
            .select_related("stage__study")
            .get(pk=publication.pk)
        )
        if publication.status != Status.DRAFT:
            raise PublishingRefusedError("This draft was published already.")
        price = quote(publication).price
        check_confirmed(confirmed, price.total)
        check_budget(publication, price.total)
        if offer_of(publication).only_passed and not spec_of(publication).groups:
            raise PublishingRefusedError(
                "No earlier publication of this study exists there, so nobody there has passed its "
                "test yet. Untick the option for workers who passed. Nothing was published."
            )
        listings = _create_listings(publication, _open_hits(publication))
        publication.status = Status.LIVE
        publication.confirmed_cents, publication.confirmed_by = price.total, by
        publication.confirmed_at = at
        publication.save()
        enqueue_preparations(publication, spec_of(publication), at)
        enqueue_exclusions(publication, at=at)  # before workers can accept anything
        enqueue_listings(publication, listings, by, at)
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
    """Admit no new workers at the provider; returns how many listings that ends.

    Workers may finish what they accepted, and it is reviewed and paid as before.
    """
    with transaction.atomic():
        publication = Publication.objects.select_for_update().get(pk=publication.pk)
        if publication.status == Status.DRAFT:
            publication.delete()
            return 0
        calls = CrowdCall.objects.filter(publication=publication)
        calls.filter(kind="create", status=CrowdCall.Status.WAITING, attempt=0).update(
            status=CrowdCall.Status.CANCELLED
        )
        # Listings that are being created expire too: their rank puts these calls later.
        cancelled = calls.filter(kind="create", status=CrowdCall.Status.CANCELLED)
        unexpired = publication.listings.filter(expired_at=None).exclude(
            pk__in=cancelled.values("listing")
        )
        calls_made = CrowdCall.objects.bulk_create(
            [
                CrowdCall(
                    publication=publication,
                    kind="expire",
                    rank=LISTING_RANK + 1,
                    key=f"{publication.uid}-end-{listing.pk}",
                    listing=listing,
                    created_at=at,
                )
                for listing in unexpired
            ],
            ignore_conflicts=True,
        )
        publication.status = Status.ENDED
        publication.save(update_fields=["status"])
        audit.record(None, "crowd.ended", publication, study=publication.stage.study)
    return len(calls_made)


def test_note(publication: Publication) -> str:
    """What the cost of a draft does not show about the qualification test; empty without one."""
    study, offer = publication.stage.study, offer_of(publication)
    if study.current.protocol.qualification is None:
        return ""
    if publication.stage.kind == Stage.Kind.QUALIFICATION:
        return (
            f"This is the qualification test as a paid task: {offer.test_places:,} workers take it "
            "once each, and are paid whether they pass or not. Who passes may take the stages that "
            "you publish only for workers who passed."
        )
    if offer.only_passed:
        return "Only workers who passed the test of an earlier publication are asked."
    return provider_of(publication).test_terms


def _open_hits(publication: Publication) -> list[Hit]:
    """The HITs to publish, with the open slots that are offered."""
    stage, provider = publication.stage, provider_of(publication)
    is_test = stage.kind == Stage.Kind.QUALIFICATION
    if is_test and not provider.has_tests:
        raise PublishingRefusedError(
            "The qualification stage cannot be published there: the platform or this site runs its "
            "test. Publish the trial or full stage."
        )
    if stage.paused_at is not None:
        raise PublishingRefusedError(f"The {stage.kind} stage is paused. Resume it first.")
    hits = list(stage.hits.filter(open_slots__gt=0).order_by("index"))
    if stage.status != Stage.Status.OPEN or not hits:
        raise PublishingRefusedError(
            f"The {stage.kind} stage has no open HITs. Open the stage, or recruit its missing "
            "raters."
        )
    if is_test:
        # Any number of workers may take the test; the offer says how many are paid for it.
        for hit in hits:
            hit.open_slots = min(hit.open_slots, offer_of(publication).test_places)
    return hits


def _create_listings(publication: Publication, hits: Sequence[Hit]) -> list[Listing]:
    """Create the listings of a publication."""
    provider, offer = provider_of(publication), offer_of(publication)
    if not provider.listing_per_hit:
        (lot,) = group_sessions(hits, offer)
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
        for part, places in enumerate(places_per_listing(hit, provider, split=offer.split), start=1)
    ]
    return Listing.objects.bulk_create(rows)
