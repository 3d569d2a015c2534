"""Prices of the platforms, in whole cents and without floats.

Mechanical Turk's fees follow its pricing page: 20% of rewards and bonuses, another 20% of the
reward for HITs with ten or more assignments, 5% for Masters, and at least one cent per assignment.
Fractions of a cent are rounded up for each assignment, so that the confirmed price is never
exceeded.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

MANY_ASSIGNMENTS = 10
FEE, FEE_OF_MANY, FEE_OF_MASTERS = Decimal("0.20"), Decimal("0.20"), Decimal("0.05")
MIN_FEE_CENTS = 1


def percentage(cents: int, share: Decimal) -> int:
    """`share` of `cents`, rounded up to whole cents."""
    return int((cents * share).to_integral_value(ROUND_CEILING))


def mturk_fee(pay_cents: int, places: int, *, masters: bool = False) -> int:
    """MTurk's fee for one assignment of a HIT with `places` assignments, or for a bonus with 0
    places; 0 if nothing is paid."""
    if not pay_cents:
        return 0
    share = FEE + (FEE_OF_MANY if places >= MANY_ASSIGNMENTS else 0)
    share += FEE_OF_MASTERS if masters else 0
    return max(MIN_FEE_CENTS, percentage(pay_cents, share))


def split_places(places: int, max_part: int) -> list[int]:
    """Split `places` into as few parts of at most `max_part` as possible, as even as possible.

    For example, 10 places in parts of at most 9 are 5 + 5.
    """
    count = -(-places // max_part)
    small, larger_parts = divmod(places, count)
    return [small + 1] * larger_parts + [small] * (count - larger_parts)


def dollars(cents: int) -> str:
    """Cents as a decimal string in dollars, such as `0.03`."""
    return f"{Decimal(cents) / 100:.2f}"


def cents(amount: str | Decimal) -> int:
    """Convert a dollar amount such as "0.03" to cents. Raises ValueError for fractions of a
    cent."""
    result = Decimal(amount) * 100
    if result != result.to_integral_value():
        raise ValueError(f"{amount} is not a whole number of cents")
    return int(result)
