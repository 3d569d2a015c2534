"""A stage on a crowd platform: the draft, its cost, and the end. `ordering` publishes it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.timezone import now

from annotation.crowds.models import CrowdCall, Publication
from annotation.crowds.providers.offer import Offer
from annotation.crowds.services.call_handlers import LISTING_RANK
from annotation.crowds.services.ordering import MissingPlaces, missing
from annotation.crowds.services.platform_tests import check_platform_test
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.studies.models import Stage
from core import audit
from core.refusals import RefusedError

Status = Publication.Status


@dataclass(frozen=True)
class PublishingQuote:
    """The cost of publishing in cents: by the offer, with split listings, and with whole
    listings."""

    price: MissingPlaces
    split: MissingPlaces
    whole: MissingPlaces
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

    Raises RefusedError where the crowd's test cannot ask what the protocol asks.
    """
    offer = offer.validated()
    with transaction.atomic():
        Stage.objects.select_for_update().get(pk=stage.pk)
        Publication.objects.filter(stage=stage, status=Status.DRAFT).delete()
        live = Publication.objects.filter(stage=stage, status=Status.LIVE).first()
        if live is not None:
            raise RefusedError(
                f"The {stage.kind} stage is already published on {provider_of(live).title}. End "
                "that publication first.",
                "study-refused",
            )
        publication = Publication(
            stage=stage,
            provider=provider,
            environment=environment,
            site=site,
            offer=offer.to_json(),
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


def quote(publication: Publication, *, at: datetime | None = None) -> PublishingQuote:
    """The cost of the draft. Makes no calls. Raises RefusedError if nothing is to be rated."""
    at = at or now()
    offer, budget = offer_of(publication), publication.budget_cents
    split, whole = (missing(publication, split=split, at=at) for split in (True, False))
    price = split if offer.split else whole
    return PublishingQuote(price, split, whole, budget is None or price.total <= budget)


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
