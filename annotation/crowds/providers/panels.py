"""Two crowds without an API: people invited to this site, and any panel that sends its own.

Their listing is an address. What they decide is noted, and money moves elsewhere: the books say
what is to be paid. Who finished, the site itself knows of those invited; of a panel's people the
panel says it, by a CSV.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from urllib.parse import quote

from annotation.crowds.providers import money
from annotation.crowds.providers.money import Lot, Price
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import Bonus, Known, Order, Provider, Submission, Wanted


class Panel(Provider):
    """Any panel: an address with its worker's id, a completion code at the end."""

    name, title = "link", "Any panel, by a link"
    pays = False

    def __init__(self, place: str = "") -> None:
        self.place = place

    @property
    def space(self) -> str:
        return f"link {self.place}".strip()

    def price(self, lots: Sequence[Lot], offer: Offer) -> Price:
        return money.percent_price(lots, Decimal(offer.fee_percent or "0") / 100)

    def fee(self, pay_cents: int, places: int, offer: Offer) -> int:
        return money.percentage(pay_cents, Decimal(offer.fee_percent or "0") / 100)

    def bonus_fee(self, cents: int, offer: Offer) -> int:
        return self.fee(cents, 1, offer)

    def create(self, wanted: Wanted, order: Order, token: str, *, again: bool) -> str:
        return wanted.key

    def top_up(self, listing_id: str, more: int, target: int, token: str, *, again: bool) -> None:
        """The panel is told by a person; the address stays."""

    def expire(self, listing_id: str) -> None:
        """From now on the address lets nobody new in."""

    def submissions(self, listing_id: str) -> Iterator[Submission]:
        yield from ()

    def approve(self, submission_id: str, feedback: str, *, override: bool) -> None:
        """Noted, for the list that the panel gets."""

    def reject(self, submission_id: str, feedback: str, ground: str = "") -> None:
        """Noted, for the list that the panel gets."""

    def bonus(self, bonus: Bonus, token: str, *, again: bool, draft: str = "") -> None:
        """Noted, for the list that the panel gets."""

    def exclude(self, worker_id: str, known: Known) -> None:
        """Kept out at our own door."""

    def return_url(self, code: str, offer: Offer) -> str:
        return offer.return_url.replace("{code}", quote(code, safe=""))


class Local(Panel):
    """People with an account here, or invited by name; each is paid for what they did."""

    name, title = "local", "People invited to this site"
    pays_what_was_earned = True

    @property
    def space(self) -> str:
        return "local"

    def return_url(self, code: str, offer: Offer) -> str:
        return ""
