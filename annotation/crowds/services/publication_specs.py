"""What a publication asks of its provider, read from its study: requirements and test."""

from __future__ import annotations

from annotation.crowds.models import Publication
from annotation.crowds.providers.mturk.provider import MTurk
from annotation.crowds.providers.mturk.queue import Queue
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import Provider, PublicationSpec
from annotation.crowds.services.accounts import provider_in
from annotation.crowds.services.platform_tests import test_of
from annotation.studies.models import Stage


def provider_of(publication: Publication) -> Provider:
    """The publication's provider, with the credentials that were entered for it."""
    return provider_in(publication.provider, publication.environment)


def queue_of(publication: Publication) -> Queue:
    """The queue of the publication's notifications, read by its provider's credentials."""
    provider = provider_of(publication)
    credentials = provider.call.credentials if isinstance(provider, MTurk) else None
    return Queue(offer_of(publication).queue, credentials)


def offer_of(publication: Publication) -> Offer:
    """The publication's offer."""
    return Offer.from_json(publication.offer)


def spec_of(publication: Publication) -> PublicationSpec:
    """The publication's specification without its listings, by the study's current protocol."""
    study = publication.stage.study
    protocol = study.current.protocol
    provider, offer = provider_of(publication), offer_of(publication)
    is_paid_test = publication.stage.kind == Stage.Kind.QUALIFICATION
    runs_test = provider.has_tests and not (is_paid_test or offer.only_passed)
    pays = publication.listings.order_by().values_list("pay_cents", flat=True).distinct()
    return PublicationSpec(
        uid=publication.uid,
        offer=offer,
        pays=tuple(sorted(pays)),
        minutes=protocol.time_limit_minutes,
        approval_percent=protocol.requirements.approval_percent,
        approval_above=protocol.requirements.approval_above,
        approved_hits=protocol.requirements.approved_hits,
        locales=protocol.requirements.locales,
        test=test_of(study) if runs_test else None,
        groups=_passed_groups(publication) if offer.only_passed else (),
        study=f"{study.slug} {study.seed % 10**8}",
        is_paid_test=is_paid_test,
    )


def _passed_groups(publication: Publication) -> tuple[str, ...]:
    """The groups of workers who passed, of the study's earlier publications in this environment."""
    earlier = Publication.objects.filter(
        stage__study=publication.stage.study_id,
        provider=publication.provider,
        environment=publication.environment,
        provider_ids__has_key="passed",
    ).exclude(pk=publication.pk)
    groups = [str(one.provider_ids["passed"]) for one in earlier.order_by("pk")]
    return tuple(dict.fromkeys(groups))
