"""What platforms charge: pure, in whole cents. Sums are exact; nothing here is a float.

Mechanical Turk's fees as its pricing page gave them: 20% of rewards and bonuses, 20% of the reward
more for HITs of ten assignments or more, 5% more for Masters; one cent an assignment at least.
Fractions of a cent are rounded up, an assignment at a time: what is confirmed is never exceeded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

MANY_ASSIGNMENTS = 10
FEE, FEE_OF_MANY, FEE_OF_MASTERS = Decimal("0.20"), Decimal("0.20"), Decimal("0.05")
LEAST_FEE_CENTS = 1


@dataclass(frozen=True, slots=True)
class Lot:
    """So many listings alike: each asks for `places` workers and pays each `pay_cents`."""

    listings: int
    places: int
    pay_cents: int


@dataclass(frozen=True, slots=True)
class Price:
    """Rewards and fees in cents, and what they buy."""

    listings: int = 0
    assignments: int = 0
    rewards: int = 0
    fees: int = 0

    @property
    def total(self) -> int:
        return self.rewards + self.fees

    def __add__(self, other: Price) -> Price:
        return Price(
            self.listings + other.listings,
            self.assignments + other.assignments,
            self.rewards + other.rewards,
            self.fees + other.fees,
        )


def percentage(cents: int, share: Decimal) -> int:
    """`share` of `cents`, rounded up to a cent."""
    return int((cents * share).to_integral_value(ROUND_CEILING))


def mturk_fee(pay_cents: int, places: int, *, masters: bool = False) -> int:
    """MTurk's fee for one assignment of a HIT that asks for `places`; none for no pay."""
    if not pay_cents:
        return 0
    share = FEE + (FEE_OF_MANY if places >= MANY_ASSIGNMENTS else 0)
    share += FEE_OF_MASTERS if masters else 0
    return max(LEAST_FEE_CENTS, percentage(pay_cents, share))


def mturk_bonus_fee(cents: int) -> int:
    """MTurk's fee for a bonus."""
    return max(LEAST_FEE_CENTS, percentage(cents, FEE)) if cents else 0


def mturk_price(lots: Iterable[Lot], *, masters: bool = False) -> Price:
    """What MTurk takes for the lots when every place is filled and approved."""
    total = Price()
    for lot in lots:
        assignments = lot.listings * lot.places
        fee = mturk_fee(lot.pay_cents, lot.places, masters=masters)
        total += Price(lot.listings, assignments, assignments * lot.pay_cents, assignments * fee)
    return total


def percent_price(lots: Iterable[Lot], share: Decimal) -> Price:
    """Rewards, and a fee of `share` on each, rounded up."""
    total = Price()
    for lot in lots:
        assignments = lot.listings * lot.places
        fee = percentage(lot.pay_cents, share)
        total += Price(lot.listings, assignments, assignments * lot.pay_cents, assignments * fee)
    return total


def parts(places: int, most: int) -> list[int]:
    """`places` in as few parts of at most `most` as can be, as even as can be: 10 by 9 is 5 + 5."""
    count = -(-places // most)
    least, more = divmod(places, count)
    return [least + 1] * more + [least] * (count - more)


def dollars(cents: int) -> str:
    """Cents as the platforms take them: `0.03`."""
    return f"{Decimal(cents) / 100:.2f}"


def cents(amount: str | Decimal) -> int:
    """What a platform calls "0.03", in cents. Raises ValueError for a part of a cent."""
    found = Decimal(amount) * 100
    if found != found.to_integral_value():
        raise ValueError(f"{amount} is no whole number of cents")
    return int(found)
