"""Crowds without an API: people invited to this site, and panels that send their own people.

The listing is a link. Decisions are recorded, and payment happens elsewhere: the payments page
shows the amounts. For invited people this site knows who finished; a panel reports it in a CSV
file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from urllib.parse import quote

from annotation.crowds.providers import money
from annotation.crowds.providers.money import ListingGroup, Price
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import (
    BonusPayment,
    CrowdSubmissionReport,
    ListingRequest,
    Provider,
    ProviderIds,
    PublicationSpec,
)


class PanelProvider(Provider):
    """Any panel: a link with the panel's worker id, and a completion code at the end."""

    name, title = "link", "Any panel (link)"
    summary = "A panel of your choice sends its people to a link, and gets a completion code back."
    cost = "The panel's fee, which you enter. The panel pays its people by your list of decisions."
    section = "any-panel"
    pays = False

    def __init__(self, environment: str = "") -> None:
        self.environment = environment

    @property
    def id_namespace(self) -> str:
        return f"link {self.environment}".strip()

    def price(self, groups: Sequence[ListingGroup], offer: Offer) -> Price:
        return money.percent_price(groups, Decimal(offer.fee_percent or "0") / 100)

    def fee(self, pay_cents: int, places: int, offer: Offer) -> int:
        return money.percentage(pay_cents, Decimal(offer.fee_percent or "0") / 100)

    def bonus_fee(self, cents: int, offer: Offer) -> int:
        return self.fee(cents, 1, offer)

    def create(
        self, request: ListingRequest, spec: PublicationSpec, token: str, *, is_retry: bool
    ) -> str:
        return request.key

    def top_up(
        self, listing_id: str, more: int, target: int, token: str, *, is_retry: bool
    ) -> None:
        """Do nothing: a person asks the panel, and the link stays the same."""

    def expire(self, listing_id: str) -> None:
        """Do nothing: this site stops admitting new workers."""

    def submissions(self, listing_id: str) -> Iterator[CrowdSubmissionReport]:
        yield from ()

    def approve(self, submission_id: str, feedback: str, *, override: bool) -> None:
        """Do nothing: the decision is recorded for the panel's list."""

    def reject(self, submission_id: str, feedback: str, ground: str = "") -> None:
        """Do nothing: the decision is recorded for the panel's list."""

    def bonus(self, bonus: BonusPayment, token: str, *, is_retry: bool, draft: str = "") -> None:
        """Do nothing: the bonus is recorded for the panel's list."""

    def exclude(self, worker_id: str, provider_ids: ProviderIds) -> None:
        """Do nothing: this site itself refuses the worker."""

    def return_url(self, code: str, offer: Offer) -> str:
        return offer.return_url.replace("{code}", quote(code, safe=""))


class Local(PanelProvider):
    """People with an account here or invited by name. Each is paid for the tasks completed."""

    name, title = "local", "People invited to this site"
    summary = "Colleagues or students: each person you name gets a link of their own."
    cost = "No fee. You pay each person what the page Payments says."
    section = "invited-people"
    pays_per_task = True

    @property
    def id_namespace(self) -> str:
        return "local"

    def return_url(self, code: str, offer: Offer) -> str:
        return ""
