"""Crowds without an API: people whom the researcher invites, and panels that send their own.

The listing is a link. Decisions are recorded, and payment happens elsewhere: the payments page
shows the amounts. This site knows which of the invited people finished; a panel reports its own in
a CSV file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from urllib.parse import quote

from annotation.crowds.providers import money
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import (
    BonusPayment,
    CrowdSubmissionReport,
    Decision,
    ListingRequest,
    Provider,
    ProviderIds,
    PublicationSpec,
)


class Link(Provider):
    """A link with places and a pay, for people who are invited and for the people of a panel."""

    name, title = "link", "A link"
    summary = (
        "Colleagues or students by personal links, or a panel of your choice, which sends its "
        "people to a link and gets a completion code back."
    )
    cost = "What the protocol pays, and a panel's fee, which you enter. You or the panel pay."
    section = "a-link"
    pays = False

    def __init__(self, environment: str = "") -> None:
        self.environment = environment

    @property
    def id_namespace(self) -> str:
        return f"link {self.environment}".strip()

    def price(self, cents: int, offer: Offer, places: int = 0) -> int:
        return cents + money.percentage(cents, Decimal(offer.fee_percent or "0") / 100)

    def create(
        self, request: ListingRequest, spec: PublicationSpec, token: str, *, is_retry: bool
    ) -> str:
        return request.key

    def add_places(
        self, listing_id: str, more: int, target: int, token: str, *, is_retry: bool
    ) -> None:
        """Do nothing: a person asks the panel, and the link stays the same."""

    def stop(self, listing_id: str) -> None:
        """Do nothing: this site stops admitting new workers."""

    def submissions(self, listing_id: str) -> Iterator[CrowdSubmissionReport]:
        yield from ()

    def decide(self, submission_id: str, decision: Decision) -> None:
        """Do nothing: the decision is recorded for the list by which people are paid."""

    def bonus(
        self, bonus: BonusPayment, token: str, *, is_retry: bool, store: Callable[[str], None]
    ) -> None:
        """Do nothing: the bonus is recorded for the list by which people are paid."""

    def exclude(self, worker_id: str, provider_ids: ProviderIds) -> None:
        """Do nothing: this site itself refuses the worker."""

    def return_url(self, code: str, offer: Offer) -> str:
        return offer.return_url.replace("{code}", quote(code, safe=""))
