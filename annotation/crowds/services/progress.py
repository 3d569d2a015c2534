"""The progress of publications, as shown on the crowd page."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, Sum
from django.http import Http404

from annotation.crowds.models import CrowdAssignment, CrowdCall, Payment, Publication
from annotation.crowds.providers.provider import Provider
from annotation.crowds.services import pages, syncing
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.studies.models import Study

Status = CrowdAssignment.Status


@dataclass(frozen=True)
class PublicationProgress:
    """One publication: completed and queued calls, places, and assignments by state."""

    publication: Publication
    provider: Provider
    calls: int
    made: int
    failed: list[CrowdCall]
    listings: int
    places: int
    states: dict[str, int]
    paid_cents: int
    fee_cents: int
    mismatches: list[tuple[str, int]]

    @property
    def percent(self) -> int:
        return int(100 * self.made / self.calls) if self.calls else 0

    @property
    def is_active(self) -> bool:
        return self.made + len(self.failed) < self.calls and not self.publication.problem

    @property
    def to_review(self) -> int:
        """Submissions without a decision."""
        return self.states.get(Status.SUBMITTED, 0)

    @property
    def submitted(self) -> int:
        return sum(self.states.get(state, 0) for state in syncing.SUBMITTED_STATES)

    @property
    def approved(self) -> int:
        return self.states.get(Status.APPROVED, 0)

    @property
    def in_progress(self) -> int:
        return self.states.get(Status.ACCEPTED, 0) + self.states.get(Status.RATED, 0)


def publications(study: Study) -> list[PublicationProgress]:
    """Every publication of the study but drafts, newest first."""
    rows = Publication.objects.filter(stage__study=study).exclude(status=Publication.Status.DRAFT)
    return [progress(one) for one in rows.select_related("stage__study", "confirmed_by")]


def publication_of(study: Study, pk: int) -> Publication:
    """A publication of the study. Raises Http404 for another study's."""
    rows = Publication.objects.filter(stage__study=study).select_related("stage__study")
    publication = rows.filter(pk=pk).first()
    if publication is None:
        raise Http404("The study has no such publication.")
    return publication


def draft(study: Study) -> Publication | None:
    rows = Publication.objects.filter(stage__study=study, status=Publication.Status.DRAFT)
    return rows.select_related("stage__study").first()


def progress(publication: Publication) -> PublicationProgress:
    calls = publication.calls.exclude(status=CrowdCall.Status.CANCELLED)
    counts = calls.aggregate(n=Count("pk"), made=Count("pk", filter=Q(status="done")))
    listings = publication.listings.aggregate(n=Count("pk"), places=Sum("places"))
    states = publication.assignments.order_by().values_list("status").annotate(n=Count("pk"))
    paid = Payment.objects.filter(crowd_assignment__publication=publication).aggregate(
        cents=Sum("cents"), fees=Sum("fee_cents")
    )
    return PublicationProgress(
        publication=publication,
        provider=provider_of(publication),
        calls=counts["n"],
        made=counts["made"],
        failed=list(calls.filter(status=CrowdCall.Status.FAILED)[:20]),
        listings=listings["n"],
        places=listings["places"] or 0,
        states=dict(states),
        paid_cents=paid["cents"] or 0,
        fee_cents=paid["fees"] or 0,
        mismatches=[(kind, n) for kind, n in syncing.count_mismatches(publication).items() if n],
    )


def panel_link(publication: Publication) -> str:
    """The link for a panel, with its parameter for the worker's id; empty for other providers."""
    listing = publication.listings.filter(hit=None).first()
    if publication.provider != "link" or listing is None:
        return ""
    return f"{pages.url_of(listing)}?{offer_of(publication).id_parameter}=ID"
