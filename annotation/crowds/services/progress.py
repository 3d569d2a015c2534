"""How a publication stands, in figures for its page."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, Sum

from annotation.crowds.models import CrowdAssignment, CrowdCall, Payment, Publication
from annotation.crowds.providers.provider import Provider
from annotation.crowds.services import pages, syncing
from annotation.crowds.services.orders import offer_of, provider_of
from annotation.identities.sealing import Sealed
from annotation.rating.services.invitations import Invitation, signed_invitation
from annotation.studies.models import Study

Status = CrowdAssignment.Status


@dataclass(frozen=True)
class Progress:
    """One publication: calls made of those ordered, places asked for, work by its state."""

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
    drift: list[tuple[str, int]]

    @property
    def percent(self) -> int:
        return int(100 * self.made / self.calls) if self.calls else 0

    @property
    def is_at_work(self) -> bool:
        return self.made + len(self.failed) < self.calls and not self.publication.problem

    @property
    def waiting(self) -> int:
        """Submissions to be decided on."""
        return self.states.get(Status.SUBMITTED, 0)

    @property
    def handed_in(self) -> int:
        return sum(self.states.get(state, 0) for state in syncing.HANDED_IN)

    @property
    def approved(self) -> int:
        return self.states.get(Status.APPROVED, 0)

    @property
    def in_hand(self) -> int:
        return self.states.get(Status.ACCEPTED, 0) + self.states.get(Status.RATED, 0)


def publications(study: Study) -> list[Progress]:
    """Everything of the study that was published, newest first."""
    rows = Publication.objects.filter(stage__study=study).exclude(status=Publication.Status.DRAFT)
    return [progress(one) for one in rows.select_related("stage__study", "confirmed_by")]


def draft(study: Study) -> Publication | None:
    rows = Publication.objects.filter(stage__study=study, status=Publication.Status.DRAFT)
    return rows.select_related("stage__study").first()


def progress(publication: Publication) -> Progress:
    calls = publication.calls.exclude(status=CrowdCall.Status.CANCELLED)
    counts = calls.aggregate(n=Count("pk"), made=Count("pk", filter=Q(status="done")))
    listed = publication.listings.aggregate(n=Count("pk"), places=Sum("places"))
    states = publication.assignments.order_by().values_list("status").annotate(n=Count("pk"))
    paid = Payment.objects.filter(crowd_assignment__publication=publication).aggregate(
        cents=Sum("cents"), fees=Sum("fee_cents")
    )
    return Progress(
        publication=publication,
        provider=provider_of(publication),
        calls=counts["n"],
        made=counts["made"],
        failed=list(calls.filter(status=CrowdCall.Status.FAILED)[:20]),
        listings=listed["n"],
        places=listed["places"] or 0,
        states=dict(states),
        paid_cents=paid["cents"] or 0,
        fee_cents=paid["fees"] or 0,
        drift=[(what, n) for what, n in syncing.drift(publication).items() if n],
    )


def entrance(publication: Publication) -> str:
    """Where a panel sends its people, with its parameter; empty where the provider knows it."""
    listing = publication.listings.filter(hit=None).first()
    if publication.provider != "link" or listing is None:
        return ""
    return f"{pages.url_of(listing)}?{offer_of(publication).id_parameter}=ID"


def invitations(publication: Publication) -> list[str]:
    """The link of each person invited to this site, in the order in which they were named. Their
    names are not said again: whoever wrote the list has it."""
    listing = publication.listings.filter(hit=None).first()
    if publication.provider != "local" or listing is None:
        return []
    study, address = publication.stage.study, pages.url_of(listing)
    return [
        f"{address}?invite={signed_invitation(study, Invitation('local', Sealed(token).open()))}"
        for token in offer_of(publication).invited
    ]
